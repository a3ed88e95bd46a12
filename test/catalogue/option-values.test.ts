/** Option values: written to one option, ordered without gaps, deleted when no variant uses them. */
import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

async function withValues(shop: Shop, ...values: string[]) {
  const body = { title: 'Shirt', options: [{ title: 'Color', values: values.map((title) => ({ title })) }] }
  const product = await shop.create('/api/products', body)
  return { product, option: product.options[0], values: product.options[0].values }
}

/** Titles in the order in which the option shows them, after asserting that positions have no gap. */
async function order(shop: Shop, option: { '@id': string }) {
  const { values } = await shop.read(option['@id'])
  const positions = values.map((each: { position: number }) => each.position)
  expect(positions).toEqual(positions.map((_: number, index: number) => index))
  return values.map((each: { title: string }) => each.title).join(' ')
}

describe('creating', () => {
  test.each([
    [undefined, 'a b new'],
    [null, 'a b new'],
    [-1, 'a b new'],
    [0, 'new a b'],
    [1, 'a new b'],
    [99, 'a b new'],
  ])('position %j gives the order %s', async (position, expected) => {
    const shop = await openShop()
    const { option } = await withValues(shop, 'a', 'b')
    const body = { option: option['@id'], title: 'new', position }
    const made = await shop.post('/api/option_values', { body, status: 201 })
    expect(await order(shop, option)).toBe(expected)
    expect(made.body.position).toBe(expected.split(' ').indexOf('new'))
  })
})

describe('patching', () => {
  test.each([
    [{ position: 0 }, 'c a b d'],
    [{ position: 3 }, 'a b d c'],
    [{ position: -1 }, 'a b d c'],
    [{ position: null }, 'a b d c'],
    [{ position: 9 }, 'a b d c'],
    [{}, 'a b c d'],
  ])('%j of the third gives %s', async (body, expected) => {
    const shop = await openShop()
    const { option, values } = await withValues(shop, 'a', 'b', 'c', 'd')
    const reply = await shop.patch(values[2]['@id'], { body, status: 200 })
    expect(await order(shop, option)).toBe(expected)
    expect(reply.body.position).toBe(expected.split(' ').indexOf('c'))
  })

  test('never moves a value to another option', async () => {
    const shop = await openShop()
    const [one, two] = [await withValues(shop, 'a'), await withValues(shop, 'b')]
    const reply = await shop.patch(one.values[0]['@id'], { body: { option: two.option['@id'] } })
    expect([200, 422], reply.text).toContain(reply.status)
    expect((await shop.get(one.values[0]['@id'])).body.option).toBe(one.option['@id'])
  })

  test('a new title shows in the derived titles of its variants, whose versions stay', async () => {
    const shop = await openShop()
    const { product, values } = await withValues(shop, 'Red')
    const variant = await shop.create(`${product['@id']}/variants`, { optionValues: [values[0]['@id']] })
    await shop.patch(values[0]['@id'], { body: { title: 'Crimson' }, status: 200 })
    const now = (await shop.get(variant['@id'])).body
    expect(now).toMatchObject({ title: 'Crimson', version: 1, updatedAt: variant.updatedAt })
    expect(now.optionValues[0].title).toBe('Crimson')
  })
})

describe('deleting', () => {
  test('is 409 while an active variant uses it', async () => {
    const shop = await openShop()
    const { product, values } = await withValues(shop, 'a', 'b')
    const body = { optionValues: [values[0]['@id']] }
    const variant = await shop.create(`${product['@id']}/variants`, body)
    expect((await shop.delete(values[0]['@id'], { status: 409 })).body.slug).toBe('option_value.in_use')
    await shop.delete(values[1]['@id'], { status: 204 })
    await shop.delete(variant['@id'], { status: 204 })
    await shop.delete(values[0]['@id'], { status: 204 })
  })
})
