/** The requests of the price grid and the sale, as planned before anything is sent. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantIn, localTime } from '../../src/admin/core/clock.ts'
import { marginOf } from '../../src/admin/prices/decimals.ts'
import {
  bare,
  type Column,
  cellKey,
  cellsOf,
  columnsOf,
  overtaken,
  pasted,
  planOf,
} from '../../src/admin/prices/grid.ts'
import type { SaleOffer } from '../../src/admin/prices/offer.ts'
import { offerOfRow, rowsOf } from '../../src/admin/sale/plan.ts'
import { reduced } from '../../src/admin/sale/reduction.ts'
import { resolvePrice } from '../../src/resources/prices/price.ts'
import { saleOffer } from './sale-offer.ts'

const from = '2026-11-27T00:00:00.000000Z'
const until = '2026-11-30T00:00:00.000000Z'

let made = 0
function offer(terms: Partial<SaleOffer> = {}): SaleOffer {
  made += 1
  return saleOffer({ '@id': `/api/sale_offers/${String(made).padStart(6, '0')}`, ...terms })
}

describe('a grid of prices', () => {
  const euros: Column = { channel: null, countries: [], currency: 'EUR' }
  const plan = (offers: readonly SaleOffer[], edits: Readonly<Record<string, string>>, locale = 'en-US') => {
    const places = ['v', 'w'].map((variant) => [cellKey(variant, euros), { variant, column: euros }] as const)
    const texts = Object.entries(edits).map(([variant, text]) => [cellKey(variant, euros), text] as const)
    return planOf(new Map(texts), cellsOf(offers), new Map(places), locale)
  }

  test('creates prices of empty cells, changes existing ones, removes emptied ones', () => {
    const [kept, emptied] = [offer(), offer({ variant: 'w' })]
    expect(plan([kept], { v: '21,5', w: '9' }, 'fr-FR')).toMatchObject({
      created: [{ body: { variant: 'w', amount: '9', currency: 'EUR', channel: null, countries: [] } }],
      changed: [{ offer: kept, amount: '21.5' }],
      removed: [],
    })
    expect(plan([kept, emptied], { v: '20', w: ' ' })).toMatchObject({
      created: [],
      changed: [],
      removed: [{ offer: emptied }],
    })
  })

  test.each([
    ['12,34,5', 'number'],
    ['-3', 'negative'],
    ['1.005', 'decimals'],
  ])('does not take %s', (text, mistake) => {
    expect([...plan([offer()], { v: text }).mistakes.values()]).toEqual([mistake])
  })

  test('leaves offers with dates, for several pieces and drafts alone', () => {
    const others = [offer({ validFrom: from }), offer({ minQuantity: 5 }), offer({ status: 'DRAFT' })]
    const cell = cellsOf(others).get(cellKey('v', euros))
    expect(cell).toEqual({ standing: null, others })
    expect(plan(others, { v: '5' }).created).toHaveLength(1)
    expect(plan(others, { v: '5' }).changed).toEqual([])
  })

  test('edits the offer that wins of several in one place, and has a column for each place', () => {
    const [low, high] = [offer({ amount: '1.00' }), offer({ priority: 3 })]
    expect(cellsOf([low, high]).get(cellKey('v', euros))?.standing).toBe(high)
    const columns = columnsOf([low, offer({ countries: ['FR', 'BE'] }), offer({ countries: ['BE', 'FR'] })])
    expect(columns).toEqual([euros, { ...euros, countries: ['BE', 'FR'] }])
  })

  test('detects concurrent changes', () => {
    const [mine, theirs] = [offer(), offer({ variant: 'w' })]
    const keys = [cellKey('v', euros), cellKey('w', euros)]
    const after = cellsOf([{ ...mine, version: 2 }, theirs])
    expect(overtaken(keys, cellsOf([mine]), after)).toEqual(keys)
    expect(overtaken(keys, after, after)).toEqual([])
  })

  test('takes what spreadsheets put on the clipboard', () => {
    expect(pasted('1\t2\r\n3\t"4,5"\r\n')).toEqual([
      ['1', '2'],
      ['3', '4,5'],
    ])
    expect(['€ 1,50', '2.00 EUR', '$3'].map(bare)).toEqual(['1,50', '2.00', '3'])
  })
})

test.each([
  ['20.00', 'EUR', 'percent', '20', 'unit', '16.00'],
  ['19.99', 'EUR', 'percent', '12.5', 'unit', '17.49'],
  ['19.99', 'EUR', 'percent', '15', '5', '17.00'],
  ['19.99', 'EUR', 'percent', '15', 'ends 99', '16.99'],
  ['19.99', 'EUR', 'percent', '15', '100', '17.00'],
  ['0.80', 'EUR', 'percent', '50', 'ends 99', '0.40'],
  ['1990', 'JPY', 'percent', '15', 'ends 99', '1692'],
  ['5.00', 'EUR', 'amount', '5', 'unit', null],
  ['5.00', 'EUR', 'amount', '1.005', 'unit', null],
  ['0.01', 'EUR', 'percent', '10', 'unit', null],
  ['12.345', 'KWD', 'amount', '0.005', 'unit', '12.340'],
] as const)('%s %s less by %s %s, rounded %s, is %s', (amount, currency, by, value, rounding, expected) => {
  expect(reduced(amount, currency, { by, value, rounding })).toBe(expected)
})

test('a margin is price less cost, with its part of the price', () => {
  expect(marginOf('22.00', '8.80', 'EUR')).toEqual({ amount: '13.20', permille: 600 })
  expect(marginOf('8.00', '8.80', 'EUR')).toEqual({ amount: '-0.80', permille: -100 })
})

describe('a sale', () => {
  const reduction = { by: 'percent', value: '10', rounding: 'unit' } as const
  const names = ['web', 'pos', 'fax']
  const lands = ['FR', 'DE', 'US']
  // The third is in no offer, so that it represents all others.
  const anyOffer = fc.record({
    channel: fc.constantFrom(null, 'web', 'pos'),
    countries: fc.subarray(['FR', 'DE']),
    currency: fc.constantFrom('EUR', 'USD'),
    amount: fc.integer({ min: 100, max: 9999 }).map((units) => (units / 100).toFixed(2)),
    priority: fc.integer({ min: 0, max: 1 }),
    validFrom: fc.constantFrom(null, '2026-01-01T00:00:00.000000Z', from),
    validUntil: fc.constantFrom(null, '2027-01-01T00:00:00.000000Z', '2026-11-01T00:00:00.000000Z'),
    minQuantity: fc.constantFrom(1, 1, 1, 10),
    status: fc.constantFrom('ACTIVE' as const, 'ACTIVE' as const, 'DRAFT' as const),
  })

  test('lowers exactly the prices of its channels and countries, whatever offers there are', () => {
    fc.assert(
      fc.property(
        fc.array(anyOffer, { maxLength: 7 }),
        fc.subarray(['web', 'pos']),
        fc.subarray(['FR', 'DE']),
        (terms, channels, countries) => {
          const offers = terms.map(offer)
          const scope = { channels, countries, from, until }
          const begun = rowsOf(offers, scope, reduction).flatMap((row) =>
            row.amount === null ? [] : [offer({ ...offerOfRow(row, row.amount, scope), status: 'ACTIVE' })],
          )
          for (const channel of names) {
            for (const country of lands) {
              const question = { channel, country, at: from }
              const price = (all: readonly SaleOffer[]) => resolvePrice(all.map(termsOf), question)
              const [before, after] = [price(offers), price([...offers, ...begun])]
              const isIn =
                (channels.length === 0 || channels.includes(channel)) &&
                (countries.length === 0 || countries.includes(country))
              if (before === null || !isIn) expect(after?.saleOffer).toBe(before?.saleOffer)
              else {
                expect(after).toMatchObject({
                  amount: reduced(before.amount, before.currency, reduction),
                  compareAtAmount: before.amount,
                  currency: before.currency,
                })
              }
            }
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('says where another offer begins in its time, and what is reduced already', () => {
    const offers = [
      offer({ compareAtAmount: '25.00' }),
      offer({ validFrom: '2026-11-28T00:00:00.000000Z', channel: 'web' }),
    ]
    const scope = { channels: ['web'], countries: [], from, until }
    expect(rowsOf(offers, scope, reduction).map(({ notes }) => notes)).toEqual([['another', 'already']])
  })
})

function termsOf({ '@id': iri, ...terms }: SaleOffer) {
  return { id: iri.replace('/api/sale_offers/', ''), reductionReason: null, ...terms }
}

describe('a time by the clocks of a shop', () => {
  test.each([
    ['2026-11-27T00:00', 'Europe/Paris', '2026-11-26T23:00:00.000Z'],
    ['2026-07-01T12:30', 'Europe/Paris', '2026-07-01T10:30:00.000Z'],
    ['2026-11-27T00:00', 'America/New_York', '2026-11-27T05:00:00.000Z'],
    // An hour that is passed twice: the first; one that is left out: as far after midnight.
    ['2026-10-25T02:30', 'Europe/Paris', '2026-10-25T00:30:00.000Z'],
    ['2026-03-29T02:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
  ])('%s in %s is %s', (local, zone, instant) => {
    expect(instantIn(local, zone)?.toISOString()).toBe(instant)
  })

  test('is read back as it was written', () => {
    expect(localTime(new Date('2026-11-26T23:00:00Z'), 'Europe/Paris')).toBe('2026-11-27T00:00')
    expect(instantIn('', 'UTC')).toBeNull()
    expect(instantIn('2026-02-31T99:00', 'UTC')).toBeNull()
  })
})
