import { beforeEach, expect, test } from 'vitest'
import { faultsIn } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

const writers = 8
type Named = { '@id': string; title: string; position: number }
let shop: Shop
let product: { '@id': string; options: (Named & { values: Named[] })[] }
beforeEach(async () => {
  shop = await openShop()
  const values = ['a', 'b', 'c', 'd', 'e', 'f'].map((title) => ({ title }))
  const made = await shop.create('/api/products', { title: 'Shirt', options: [{ title: 'Size', values }] })
  product = made
})

test('eight writers that insert at 0 all get in, the last first', async () => {
  const option = product.options[0]!['@id']
  const replies = await race(writers, 2, (writer, turn) =>
    persistent(() =>
      shop.post('/api/option_values', { body: { option, title: `${writer}-${turn}`, position: 0 } }),
    ),
  )
  expect(replies.map((each) => each.status)).toEqual(replies.map(() => 201))
  const inOrder = replies.toSorted((a, b) => b.body.createdAt.localeCompare(a.body.createdAt))
  const body = await shop.read(option)
  expect(body.values.map((each: Named) => each.title)).toEqual([
    ...inOrder.map((each) => each.body.title),
    ...'abcdef',
  ])
  const after = await shop.read(product['@id'])
  expect(after.version).toBe(1 + writers * 2)
  expect(await faultsIn(shop)).toEqual([])
})

test('values inserted, moved, renamed and deleted by eight writers stay gapless and lose no name', async () => {
  const { '@id': option, values } = product.options[0]!
  const replies = await race(writers, 3, (writer, turn) =>
    persistent(() => {
      const own = values[writer % values.length]!['@id']
      if (writer < 2)
        return shop.post('/api/option_values', {
          body: { option, title: `n${writer}-${turn}`, position: turn },
        })
      if (writer < 4) return shop.patch(own, { body: { position: turn === 1 ? -1 : 0 } })
      if (writer < 6) return shop.patch(own, { body: { title: `r${writer}-${turn}` } })
      return shop.delete(own)
    }),
  )
  const codes = replies.filter((each) => each.status >= 300).map((each) => each.body?.slug)
  expect(codes.filter((each) => each !== 'option_value.not_found')).toEqual([])
  const titles = (await shop.read(option)).values.map((each: Named) => each.title)
  expect(titles.toSorted()).toEqual(
    [
      ...[0, 1].flatMap((writer) => [0, 1, 2].map((turn) => `n${writer}-${turn}`)),
      'c',
      'd',
      'r4-2',
      'r5-2',
    ].toSorted(),
  )
  expect(await faultsIn(shop)).toEqual([])
})

test('of eight values with one title one is created, seven get option_value.title_taken', async () => {
  const option = product.options[0]!['@id']
  const replies = await race(writers, 1, () =>
    persistent(() => shop.post('/api/option_values', { body: { option, title: 'same' } })),
  )
  expect(replies.map((each) => each.status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  expect(replies.flatMap((each) => each.body.slug ?? [])).toEqual(Array(7).fill('option_value.title_taken'))
  expect(await faultsIn(shop)).toEqual([])
})

test('a value is never deleted under a variant that begins to use it', async () => {
  const values = product.options[0]!.values
  const replies = await race(writers, 1, (writer) =>
    persistent(() => {
      const value = values[writer % 4]!
      if (writer < 4) return shop.delete(value['@id'])
      return shop.post(`${product['@id']}/variants`, {
        body: { optionValues: [{ option: 'Size', value: value.title }] },
      })
    }),
  )
  for (const index of [0, 1, 2, 3]) {
    const [deleted, made] = [replies[index]!.status, replies[index + 4]!.status]
    expect([[204, 422].join(), [409, 201].join()]).toContain([deleted, made].join())
  }
  expect(await faultsIn(shop)).toEqual([])
})

test('options added, moved and deleted by eight writers stay gapless', async () => {
  const first = product.options[0]!['@id']
  const replies = await race(writers, 1, (writer) =>
    persistent(() => {
      if (writer < 5)
        return shop.post(`${product['@id']}/product_options`, { body: { title: `o${writer}`, position: 0 } })
      if (writer < 7) return shop.patch(first, { body: { position: -1 } })
      return shop.delete(first)
    }),
  )
  const codes = replies.filter((each) => each.status >= 300).map((each) => each.body?.slug)
  expect(codes.filter((each) => each !== 'product_option.not_found')).toEqual([])
  expect((await shop.read(product['@id'])).options).toHaveLength(5)
  expect(await faultsIn(shop)).toEqual([])
})
