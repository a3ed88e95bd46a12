import { expect, test } from 'vitest'
import { requestedVersion } from './headers.ts'

const during = (now: string, standard: string, asked?: string) => {
  const headers = new Headers(asked === undefined ? {} : { 'service-api-version': asked })
  const { apiVersion, problem } = requestedVersion(headers, standard, new Date(now))
  return [apiVersion.version.name, problem?.kind.slug ?? null]
}

test('a header past its sunset is retired, from that moment on', () => {
  expect(during('2027-06-30T23:59:59.999Z', '2026-10', '2026-01')).toEqual(['2026-01', null])
  expect(during('2027-07-01T00:00:00Z', '2026-10', '2026-01')).toEqual(['2026-10', 'version.retired'])
})

test('a default past its sunset is served by the oldest version that lives', () => {
  expect(during('2027-07-01T00:00:00Z', '2026-01')).toEqual(['2026-04', null])
})

test('a retired version is not among the supported ones', () => {
  const headers = new Headers({ 'service-api-version': 'x' })
  const { problem } = requestedVersion(headers, '2026-10', new Date('2027-12-01'))
  expect(problem?.extras.members).toEqual({ supportedVersions: ['2026-07', '2026-10', 'unstable'] })
})
