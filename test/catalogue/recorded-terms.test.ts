/** The recorded terms of sale offers: written with each change, and never altered. */
import { beforeAll, expect, test } from 'vitest'
import { connected, databaseUrls, useOwnDatabase } from '../support/database.ts'
import { faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

beforeAll(useOwnDatabase)

/** A shop with an offer whose terms were recorded five times, one archived and restored, and one of a product's own POST. */
async function shopWithHistory(): Promise<{ shop: Shop; offer: string }> {
  const shop = await openShop()
  const product = await shop.create('/api/products', {
    title: 'Mug',
    variants: [{ saleOffers: [{ currency: 'JPY', amount: '1200' }] }],
  })
  const variant = product.variants[0]['@id']
  const make = async (body: object) =>
    (await shop.create('/api/sale_offers', { variant, currency: 'EUR', amount: '10.00', ...body }))['@id']
  const offer = await make({
    channel: 'web',
    countries: ['FR', 'BE'],
    validFrom: '2026-01-01T00:00:00.000001Z',
  })
  const other = await make({ compareAtAmount: '12.00', validUntil: '2090-01-01T00:00:00Z' })
  const patch = (iri: string, body: object) => shop.patch(iri, { body, status: 200 })
  await patch(offer, { amount: '9.90' })
  await patch(offer, { externalId: 'no-term' })
  await patch(offer, { countries: [], priority: 7, minQuantity: 3 })
  await patch(offer, { channel: null, validFrom: null, taxIncluded: false })
  await patch(offer, { status: 'DRAFT', currency: 'USD' })
  await shop.delete(other, { status: 204 })
  await patch(other, { status: 'ACTIVE' })
  return { shop, offer }
}

const termsOf = (shop: Shop) =>
  owner(async (client) => {
    const { rows } = await client.query(
      `select to_jsonb(t) as terms from sale_offer_terms t where tenant_id = $1 order by sale_offer_id, known_from`,
      [shop.tenant.id],
    )
    return rows.map(({ terms }) => terms)
  })

test('each change of a term is recorded with its period and its events, in the change itself, and no other change is', async () => {
  const { shop, offer } = await shopWithHistory()
  const terms = await termsOf(shop)
  const own = terms.filter((each) => offer.endsWith(each.sale_offer_id))
  expect(
    own.map(({ amount, countries, min_quantity, channel, status }) => [
      amount,
      countries,
      min_quantity,
      channel,
      status,
    ]),
  ).toEqual([
    [10, ['FR', 'BE'], 1, 'web', 'ACTIVE'],
    [9.9, ['FR', 'BE'], 1, 'web', 'ACTIVE'],
    [9.9, [], 3, 'web', 'ACTIVE'],
    [9.9, [], 3, null, 'ACTIVE'],
    [9.9, [], 3, null, 'DRAFT'],
  ])
  expect(terms).toHaveLength(1 + 5 + 3)
  expect(await faultsIn(shop)).toEqual([])
})

test('the role of the Worker reads them, and cannot write them', async () => {
  const { shop } = await shopWithHistory()
  const asWorker = (statement: string) =>
    connected(databaseUrls().appUrl, async (client) => {
      await client.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
      return client.query(statement)
    })
  expect((await asWorker('select from sale_offer_terms')).rowCount).toBe(9)
  for (const statement of [
    'delete from sale_offer_terms',
    `update sale_offer_terms set amount = 1`,
    'insert into sale_offer_terms select * from sale_offer_terms',
    `select apply_write('', '0', '{"steps": [{"do": "run", "query": "delete from sale_offer_terms", "params": []}]}')`,
  ])
    await expect(asWorker(statement), statement).rejects.toThrow(/permission denied/)
})
