/** A variant with as many planned sales as it may have. */
import { beforeAll, expect, test } from 'vitest'
import { type Chance, chanceOf } from '../faults/chance.ts'
import { movedBy, type Terms, winnerAt } from '../faults/price-oracle.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Body = Reply['body']

const amount = 1000
const place = { channel: 'web', country: 'FR', currency: 'EUR' }
const day = 86_400_000
const chance: Chance = chanceOf(20261129)

let shop: Shop
let variant: string
const sales = new Map<string, Terms & { '@id': string }>()
/** Before all sales, and the moment at which the last one has ended. */
const [start, end] = [Date.now() + day, Date.now() + 300 * day]

function newSale() {
  const from = start + chance.below(end - start - day)
  return {
    variant,
    currency: 'EUR',
    amount: `${1 + chance.below(400)}.50`,
    validFrom: new Date(from).toISOString(),
    validUntil: new Date(from + 1 + chance.below(chance.one([day, end - from]))).toISOString(),
    priority: chance.below(3),
  }
}

beforeAll(async () => {
  shop = await openShop()
  await shop.create('/api/markets', { key: 'fr', ...place })
  const product = await shop.create('/api/products', { title: 'Mug', variants: [{ sku: 'MUG' }] })
  variant = product.variants[0]['@id']
  for (let left = amount; left > 0; left -= 200) {
    const { member } = await shop.create('/api/sale_offers', Array.from({ length: 200 }, newSale))
    for (const sale of member) sales.set(sale['@id'], sale)
  }
  await shop.rest()
})

/** All moments at which a sale begins or ends, in order. */
const moments = () =>
  [
    ...new Set([...sales.values()].flatMap((sale) => [sale.validFrom ?? '', sale.validUntil ?? ''])),
  ].toSorted()
const amountAt = (at: string) => winnerAt([...sales.values()], place, at)?.amount ?? null

/** The changes of the coming year in the market, as the feed lists them. */
async function listedChanges(): Promise<string[]> {
  const changes: string[] = []
  for (let path: string | undefined = '/api/price_changes?market=fr&ahead=P400D&itemsPerPage=100'; path; ) {
    const { member, view }: Body = await shop.read(path)
    changes.push(...member.map(({ effectiveAt, before, after }: Body) => `${effectiveAt} ${before} ${after}`))
    path = view?.next
  }
  return changes
}

function expectedChanges(): string[] {
  let before: string | null = null
  return moments().flatMap((at) => {
    const [previous, after] = [before, amountAt(at)]
    before = after
    return previous === after ? [] : [`${at} ${previous} ${after}`]
  })
}

async function expectExact(): Promise<void> {
  const changes = await listedChanges()
  expect(changes).toEqual(expectedChanges())
  expect(changes.length).toBeGreaterThan(100)
  const all = moments()
  for (let left = 20; left > 0; left -= 1) {
    const at = movedBy(chance.one(all), chance.below(3) - 1)
    const { member } = await shop.read(`/api/products?market=fr&order[price]=asc&priceAt=${at}`)
    const [{ priceRange, variants }] = member
    const expected = amountAt(at)
    expect([at, priceRange?.from ?? null, variants[0].resolvedPrice?.amount ?? null]).toEqual([
      at,
      expected,
      expected,
    ])
  }
}

test('1,000 planned sales of a variant have exact prices, and one more is refused', async () => {
  await expectExact()
  const { body } = await shop.post('/api/sale_offers', { body: newSale(), status: 422 })
  expect(body.violations).toMatchObject([{ slug: 'sale_offer.limit' }])
})

test('1,000 planned sales can be edited, archived and restored', async () => {
  const iris = [...sales.keys()]
  for (let left = 5; left > 0; left -= 1) {
    const { variant: _, ...terms } = newSale()
    const iri = chance.one(iris)
    sales.set(iri, await shop.update(iri, terms))
  }
  const archived = chance.one(iris)
  await shop.delete(archived, { status: 204 })
  const kept = sales.get(archived)!
  sales.delete(archived)
  await expectExact()
  sales.set(archived, await shop.update(archived, { status: 'ACTIVE', amount: kept.amount }))
  await expectExact()
})
