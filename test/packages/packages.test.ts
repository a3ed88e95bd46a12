/** The checks of `npm run packages`. */
import { expect, test } from 'vitest'
import { licenceFaults } from './licences.ts'
import { signaturesOf } from './signatures.ts'

const licences: Record<string, unknown> = {
  'node_modules/good': 'MIT',
  'node_modules/choice': '(GPL-3.0-only OR Apache-2.0)',
  'node_modules/both': 'MIT AND GPL-3.0-only',
  'node_modules/good/node_modules/@scope/copyleft': 'AGPL-3.0-only',
  'node_modules/none': undefined,
  'node_modules/old': { type: 'MIT' },
  'node_modules/other-platform': null,
  'node_modules/tool': 'GPL-3.0-only',
}

test('reports production dependencies without an allowed licence', () => {
  const lock = Object.fromEntries(Object.keys(licences).map((folder) => [folder, {}]))
  const faults = licenceFaults(
    { '': {}, ...lock, 'node_modules/tool': { dev: true } },
    (folder) => licences[folder],
  )
  expect(faults).toEqual([
    'both: "MIT AND GPL-3.0-only"',
    '@scope/copyleft: "AGPL-3.0-only"',
    'none: no licence',
    'old: {"type":"MIT"}',
  ])
})

const failed = (code: string | null) => JSON.stringify({ error: { code, summary: 'a summary', detail: '' } })
const ofPackage = { name: 'a', version: '1.0.0', location: 'node_modules/a' }

test.each([
  ['valid signatures', JSON.stringify({ invalid: [], missing: [] }), [], null],
  [
    'an invalid and a missing signature',
    JSON.stringify({ invalid: [ofPackage], missing: [{ ...ofPackage, name: 'b' }] }),
    ['a@1.0.0: invalid signature', 'b@1.0.0: missing signature'],
    null,
  ],
  ['a registry that is not found', failed('ENOTFOUND'), [], 'a summary'],
  ['a registry that refuses connections', failed('ECONNREFUSED'), [], 'a summary'],
  ['a registry that answers 503', failed('E503'), [], 'a summary'],
  ['an expired key', failed('EEXPIREDSIGNATUREKEY'), ['a summary'], null],
  ['an error without a code', failed(null), ['a summary'], null],
])('the outcome of %s', (_, output, faults, unchecked) => {
  expect(signaturesOf(output)).toEqual({ faults, unchecked })
})
