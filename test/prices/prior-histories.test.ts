/**
 * Random histories of recorded terms in the database, against an oracle that replays their changes and calls the
 * resolver at every microsecond where something changes: which terms are read, and the computed prices. `HISTORIES=10000` for the long
 * form.
 */
import fc from 'fast-check'
import { uuidv7 } from 'uuidv7'
import { beforeAll, expect, test } from 'vitest'
import { daysFrom } from '../../src/core/instant.ts'
import { type PriceOffer, resolvePrice } from '../../src/resources/prices/price.ts'
import { priorPriceOf } from '../../src/resources/prices/prior.ts'

import { maxPriorTerms, priorTerms, type StoredTerms } from '../../src/resources/prices/rows.ts'

import { owner } from '../support/ledger.ts'
import { priorByReplay, shifted } from '../support/prior-prices.ts'
import { openShop, type Shop } from '../support/shop.ts'

const amount = Number(process.env.HISTORIES ?? 300)
const atOnce = 500
const shopper = { channel: 'web', country: 'FR' }
const start = '2026-03-01T00:00:00.000000Z'
const historyFrom = daysFrom(start, -1)

let shop: Shop
/** An offer that is copied for each of a history. */
let template: string
beforeAll(async () => {
  shop = await openShop()
  const body = await shop.create('/api/products', { title: 'Mug', variants: [{}] })
  const variant = body.variants[0]['@id']
  const offer = { variant, currency: 'EUR', amount: '1.00' }
  const made = await shop.post('/api/sale_offers', { body: offer, status: 201 })
  template = made.body['@id'].split('/').at(-1)
})

/** Moments within some months, many of them the same, and some to either side of one by a microsecond. */
const momentOf = (...days: readonly number[]) =>
  fc
    .record({ day: fc.constantFrom(...days), micros: fc.constantFrom(0, 0, 0, -1, 1) })
    .map(({ day, micros }) => shifted(daysFrom(start, day), micros))
const moment = momentOf(0, 1, 2, 5, 10, 15, 29, 30, 31, 32, 40, 45, 60, 61, 62, 75)
const late = momentOf(15, 31, 32, 45, 60, 61, 62, 75, 76, 100)
const seldom = <Each>(each: fc.Arbitrary<Each>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: each })
const terms = fc.record({
  channel: fc.constantFrom(null, null, null, 'web', 'shop'),
  countries: fc.constantFrom<string[]>([], [], [], ['FR'], ['DE']),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
  amount: fc.constantFrom('10.00', '9.00', '8.00', '7.00'),
  compareAtAmount: fc.constantFrom(null, '12.00', '11.00'),
  validFrom: seldom(moment),
  validUntil: seldom(moment),
  priority: fc.constantFrom(0, 0, 1),
  minQuantity: fc.constantFrom(1, 1, 1, 1, 5),
  taxIncluded: fc.constant(true),
  status: fc.constantFrom(
    'ACTIVE' as const,
    'ACTIVE' as const,
    'ACTIVE' as const,
    'DRAFT' as const,
    'ARCHIVED' as const,
  ),
})
type Terms = Omit<PriceOffer, 'id'>
const change = fc.record({ at: moment, offer: fc.nat(3), terms })
const history = fc.record({
  // One change at a moment.
  changes: fc.uniqueArray(change, { selector: ({ at }) => at, minLength: 2, maxLength: 12 }),
  asked: fc.array(fc.record({ at: late, knownAt: seldom(moment) }), { minLength: 9, maxLength: 9 }),
})
type Change = { readonly at: string; readonly offer: string; readonly terms: Terms }
type History = {
  readonly variant: string
  readonly changes: readonly Change[]
  readonly asked: readonly { readonly at: string; readonly knownAt: string | null }[]
}

function made(drawn: typeof history extends fc.Arbitrary<infer Each> ? Each : never): History {
  const ids = Array.from({ length: 4 }, () => uuidv7())
  const changes = drawn.changes
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ at, offer, terms }) => ({ at, offer: ids[offer] ?? '', terms }))
  return { variant: uuidv7(), changes, asked: drawn.asked }
}

/** Records the terms of histories, as the trigger on events does. */
async function record(histories: readonly History[]): Promise<void> {
  const rows = histories.flatMap(({ variant, changes }) =>
    changes.map(({ at, offer, terms }, nth) => {
      const next = changes.slice(nth + 1).find((each) => each.offer === offer)
      return {
        variant,
        offer,
        from: at,
        until: next?.at ?? 'infinity',
        ended: next ? uuidv7() : null,
        ...terms,
      }
    }),
  )
  await owner(async (client) => {
    await client.query('begin')
    await client.query(`select set_config('app.tenant', $1, true)`, [shop.tenant.id])
    const { rows: columns } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = 'sale_offers'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> 'id'`,
    )
    const copied = columns.map(({ name }) => client.escapeIdentifier(name)).join(', ')
    await client.query(
      `insert into sale_offers (id, ${copied}) select n.id::uuid, ${copied}
         from sale_offers o, (select distinct (r ->> 'offer') as id from jsonb_array_elements($2) as r) n
        where o.tenant_id = $1 and o.id = $3`,
      [shop.tenant.id, JSON.stringify(rows), template],
    )
    await client.query(
      `insert into sale_offer_terms
       select $1, r.offer, r.variant, r."from", r.until, gen_random_uuid(), r.ended, r.status, r.channel, r.countries, r.currency, r.amount,
              r."compareAtAmount", r."validFrom", r."validUntil", r.priority, r."minQuantity", r."taxIncluded"
         from jsonb_to_recordset($2) as r(offer uuid, variant uuid, "from" timestamptz, until timestamptz, ended uuid, status text,
              channel text, countries text[], currency text, amount numeric, "compareAtAmount" numeric, "validFrom" timestamptz,
              "validUntil" timestamptz, priority int, "minQuantity" int, "taxIncluded" boolean)`,
      [shop.tenant.id, JSON.stringify(rows)],
    )
    await client.query('commit')
  })
}

/** The results of each question, in their order. */
function termsRead(
  questions: readonly { readonly variant: string; readonly at: string; readonly knownAt: string | null }[],
): Promise<(readonly StoredTerms[] | null)[]> {
  return owner(async (client) => {
    await client.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
    const { rows } = await client.query<{ terms: readonly StoredTerms[] | null }>(
      `select (select terms::json from read_prior_terms(array[(q ->> 'variant')::uuid], 'web', 'FR', (q ->> 'at')::timestamptz,
                                            (q ->> 'knownAt')::timestamptz, 30, $2)) as terms
         from jsonb_array_elements($1) with ordinality as asked(q, nth) order by nth`,
      [JSON.stringify(questions), maxPriorTerms],
    )
    return rows.map(({ terms }) => terms)
  })
}

/** The price of a history at a time by the terms that were recorded at another time. */
function priceAt({ changes }: History, at: string, knownAt: string) {
  const known = new Map(changes.filter((each) => each.at <= knownAt).map((each) => [each.offer, each.terms]))
  return resolvePrice(
    [...known].map(([id, each]) => ({ id, ...each })),
    { ...shopper, at },
  )
}

test(
  `prior prices equal those of a replay (${amount} histories)`,
  async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
    let reductions = 0
    for (let done = 0; done < amount; done += atOnce) {
      const histories = fc
        .sample(history, { numRuns: Math.min(atOnce, amount - done), seed: seed + done })
        .map(made)
      await record(histories)
      const questions = histories.flatMap((each) => each.asked.map((asked) => ({ of: each, ...asked })))
      const asked = await termsRead(
        questions.map(({ of: { variant }, at, knownAt }) => ({ variant, at, knownAt })),
      )
      for (const [nth, { of, at, knownAt }] of questions.entries()) {
        const known = knownAt ?? '9999'
        const price = priceAt(of, at, known)
        const applied = (moment: string) =>
          priceAt(of, moment, moment < at && moment < known ? moment : known)
        const moments = of.changes.flatMap((each) =>
          [each.at, each.terms.validFrom ?? [], each.terms.validUntil ?? []].flat(),
        )
        const expected = priorByReplay(applied, moments, { at, days: 30, historyFrom })
        const terms = asked[nth]
        const found = price && terms ? priorTerms(terms, historyFrom) : null
        expect(
          price && found ? priorPriceOf(price, found, 30) : null,
          `seed ${seed}: ${at} known at ${knownAt} of ${JSON.stringify(of.changes)}`,
        ).toEqual(expected)
        if (expected) reductions += 1
      }
    }
    // The history is not empty.
    expect(reductions).toBeGreaterThan(amount / 4)
  },
  20_000 + amount * 20,
)
