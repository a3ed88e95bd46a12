/** The guide “Prior prices”: its table is that of the policies, its example what the service computes. */
import { expect, test } from 'vitest'
import { documentOf } from '../../src/docs/generate.ts'
import { readPages } from '../../src/local/guides/pages.ts'
import { resources } from '../../src/resources/index.ts'
import { policyAt, presets } from '../../src/resources/prices/policies.ts'
import { noPriorReasons, priorPriceOf } from '../../src/resources/prices/prior.ts'
import { apiVersionNamed, currentVersion } from '../../src/versions/index.ts'

const publication = { resources, origin: 'https://shop.example', everyName: false }
const { components } = JSON.parse(
  documentOf('openapi', { ...publication, apiVersion: apiVersionNamed(currentVersion) })!,
)
const { text: page } = readPages().find(({ slug }) => slug === 'prior-prices')!
const rowOf = (country: string, table = page) =>
  table.split('\n').filter((line) => line.startsWith('| ') && line.includes(`(${country})`))

test('has a row for each policy: its countries, act, section, page, and whether it was read', () => {
  expect(presets.length).toBeGreaterThan(9)
  for (const { countries, days, source, verified } of presets)
    for (const country of countries) {
      const row = rowOf(country).at(-1)!
      for (const text of [source.act, source.section, source.url ?? '', `${days} days`])
        expect(row).toContain(text)
      expect(row).toContain(verified ? `read on ${source.readOn}` : 'not verified')
    }
})

test.each(['DE', 'PL', 'FR'])('the example has the prior price of %s', (country) => {
  const [, result] = rowOf(country)[0]!.split(' | ')
  const offers = [
    { amount: '100', compareAtAmount: null, from: '2026-01-01', until: '2026-05-01' },
    { amount: '50', compareAtAmount: '100', from: '2026-05-01', until: '2026-05-08' },
    { amount: '80', compareAtAmount: '100', from: '2026-05-08', until: null },
  ]
  const midnight = (day: string) => `${day}T00:00:00.000000Z`
  const common = { currency: 'EUR', taxIncluded: true }
  const recorded = offers.map(({ from, until, ...amounts }) => ({
    ...{ id: from, channel: null, countries: [], priority: 0, minQuantity: 1, status: 'ACTIVE' as const },
    ...{
      reductionReason: null,
      recordedBy: '',
      endedBy: null,
      knownFrom: midnight('2026-01-01'),
      knownUntil: null,
    },
    ...{ validFrom: midnight(from), validUntil: until && midnight(until), ...common, ...amounts },
  }))
  const at = midnight('2026-05-10')
  const { priorPrice } = priorPriceOf(
    { channel: 'web', country, at, amount: '80', compareAtAmount: '100', ...common },
    { recorded, recordedSince: midnight('2026-01-01'), hasFirstPrice: true },
    policyAt(country, at, { pricePolicies: {}, priorPriceDays: 30 }),
    { launchedAt: null, isExpiring: false },
  )
  const percent = priorPrice?.reductionPercent ?? null
  expect(result).toBe(`${priorPrice?.amount}, so ${percent === null ? 'no reduction' : `${percent}% less`}`)
})

test('describes each member of a prior price, and each reason for having none', () => {
  const properties = components.schemas.ResolvedPrice.properties.priorPrice.anyOf[0].properties
  const members = Object.keys(properties).filter((name) => name !== 'from' && name !== 'until')
  expect(members.length).toBeGreaterThan(5)
  for (const name of [...noPriorReasons, ...members]) expect(page).toContain(`\`${name}\``)
})
