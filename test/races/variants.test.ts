import { beforeEach, expect, test } from 'vitest'
import { faultsIn } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

const writers = 8
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

const sizes = Array.from({ length: 12 }, (_, index) => `S${index}`)
const choice = (value: string) => [{ option: 'Size', value }]

/** A product whose first `variants` sizes have a variant. */
async function shirt(variants: number) {
  const made = await shop.create('/api/products', {
    title: 'Shirt',
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.slice(0, variants).map((size) => ({ sku: size, optionValues: choice(size) })),
  })
  return made
}

const allowed = (reply: { status: number; body: { slug?: string } }, slugs: readonly string[]) =>
  reply.status < 300 || slugs.includes(reply.body?.slug ?? '')

test('eight variants of the same combination: one is created, seven get variant.combination_exists', async () => {
  const product = await shirt(0)
  const replies = await race(writers, 1, () =>
    persistent(() => shop.post(`${product['@id']}/variants`, { body: { optionValues: choice('S1') } })),
  )
  expect(replies.map((each) => each.status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  expect(replies.flatMap((each) => each.body.slug ?? [])).toEqual(Array(7).fill('variant.combination_exists'))
  const after = await shop.read(product['@id'])
  expect(after).toMatchObject({ variantsTotal: 1, version: 2 })
  expect(await faultsIn(shop)).toEqual([])
})

test('eight variants with the same SKU in eight products: one is created, seven get variant.sku_taken', async () => {
  const products = await Promise.all(
    Array.from({ length: writers }, (_, index) =>
      shop.post('/api/products', { body: { title: `P${index}` }, status: 201 }),
    ),
  )
  const replies = await race(writers, 1, (writer) =>
    persistent(() => shop.post(`${products[writer]!.body['@id']}/variants`, { body: { sku: 'ONE' } })),
  )
  expect(replies.map((each) => each.status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  expect(replies.flatMap((each) => each.body.slug ?? [])).toEqual(Array(7).fill('variant.sku_taken'))
  expect(await faultsIn(shop)).toEqual([])
})

test('two bulk writers that take the same SKUs in opposite orders end without a 5xx', async () => {
  const products = await Promise.all([
    shirt(0),
    shop
      .post('/api/products', {
        body: { title: 'B', options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }] },
        status: 201,
      })
      .then((made) => made.body),
  ])
  const orders = [sizes, sizes.toReversed()]
  const replies = await race(2, 1, (writer) =>
    persistent(() =>
      shop.post(`${products[writer]['@id']}/variants`, {
        body: orders[writer]!.map((size) => ({ sku: `same-${size}`, optionValues: choice(size) })),
      }),
    ),
  )
  expect(replies.map((each) => each.status).toSorted()).toEqual([201, 409])
  expect(await faultsIn(shop)).toEqual([])
})

test('variants inserted, moved, archived and restored by eight writers stay gapless', async () => {
  const product = await shirt(6)
  const ids: string[] = product.variants.map((each: { '@id': string }) => each['@id'])
  const replies = await race(writers, 3, (writer, turn) =>
    persistent(() => {
      const id = ids[(writer + turn) % ids.length]!
      if (writer < 2)
        return shop.post(`${product['@id']}/variants`, {
          body: { position: 0, optionValues: choice(sizes[6 + writer * 3 + turn]!) },
        })
      if (writer < 5) return shop.patch(id, { body: { position: (turn * 3 + writer) % 6 } })
      if (writer < 6) return shop.delete(id)
      if (writer < 7) return shop.patch(id, { body: { status: 'ACTIVE' } })
      return shop.patch(id, { body: { barcode: null, weight: { value: turn + 1, unit: 'kg' } } })
    }),
  )
  const wrong = replies.filter((each) => !allowed(each, ['variant.archived']))
  expect(wrong.map((each) => each.text)).toEqual([])
  expect(await faultsIn(shop)).toEqual([])
})

test('eight moves of eight variants lose none: each move has one version', async () => {
  const product = await shirt(writers)
  const ids: string[] = product.variants.map((each: { '@id': string }) => each['@id'])
  const replies = await race(writers, 2, (writer, turn) =>
    persistent(() => shop.patch(ids[writer]!, { body: { sku: `moved-${writer}-${turn}`, position: 0 } })),
  )
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 200))
  expect(replies.map((each) => each.body.position)).toEqual(replies.map(() => 0))
  const after = await shop.read(product['@id'])
  expect(after.version).toBe(1 + writers * 2)
  const last = replies.toSorted((a, b) => a.body.updatedAt.localeCompare(b.body.updatedAt)).at(-1)!
  expect(after.variants[0]['@id']).toBe(last.body['@id'])
  expect(after.variants.map((each: { sku: string }) => each.sku).toSorted()).toEqual(
    ids.map((_, writer) => `moved-${writer}-1`),
  )
  expect(await faultsIn(shop)).toEqual([])
})
