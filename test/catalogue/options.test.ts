/** Product options: created on a product, ordered without gaps, deleted when no variant needs them. */
import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

async function product(shop: Shop, ...options: string[]) {
  const body = { title: 'Shirt', options: options.map((title) => ({ title })) }
  return await shop.create('/api/products', body)
}

/** Titles in the order of the list, after asserting that positions have no gap. */
async function order(shop: Shop, owner: { '@id': string }) {
  const body = await shop.read(`${owner['@id']}/product_options`)
  const positions = body.member.map((each: { position: number }) => each.position)
  expect(positions).toEqual(positions.map((_: number, index: number) => index))
  const embedded = (await shop.get(owner['@id'])).body.options
  expect(embedded).toEqual(body.member)
  return body.member.map((each: { title: string }) => each.title).join(' ')
}

describe('creating', () => {
  test.each([
    [undefined, 'a b new'],
    [null, 'a b new'],
    [-1, 'a b new'],
    [0, 'new a b'],
    [1, 'a new b'],
    [2, 'a b new'],
    [99, 'a b new'],
    [Number.MAX_SAFE_INTEGER, 'a b new'],
  ])('position %j gives the order %s', async (position, expected) => {
    const shop = await openShop()
    const owner = await product(shop, 'a', 'b')
    const made = await shop.create(`${owner['@id']}/product_options`, { title: 'new', position })
    expect(await order(shop, owner)).toBe(expected)
    expect(made.position).toBe(expected.split(' ').indexOf('new'))
  })

  test('options without a title never collide', async () => {
    const shop = await openShop()
    const owner = await product(shop)
    for (let count = 0; count < 2; count += 1) {
      const reply = await shop.create(`${owner['@id']}/product_options`, {})
      expect(reply.title).toBeNull()
    }
  })

  test('an eleventh option is refused', async () => {
    const shop = await openShop()
    const owner = await product(shop, ...'abcdefghij')
    const reply = await shop.post(`${owner['@id']}/product_options`, { body: { title: 'k' } })
    expect([409, 422], reply.text).toContain(reply.status)
    expect(await order(shop, owner)).toBe('a b c d e f g h i j')
  })

  test('leaves the variants that are there as they are; new ones need a value of it', async () => {
    const shop = await openShop()
    const owner = await product(shop)
    const variant = await shop.create(`${owner['@id']}/variants`, { sku: 'a' })
    const option = await shop.create(`${owner['@id']}/product_options`, { title: 'Color' })
    const body = { option: option['@id'], title: 'Red' }
    const value = await shop.create('/api/option_values', body)
    expect((await shop.get(variant['@id'])).body).toEqual({ ...variant })
    await shop.post(`${owner['@id']}/variants`, { body: { sku: 'b' }, status: 422 })
    await shop.create(`${owner['@id']}/variants`, { optionValues: [value['@id']] })
  })
})

describe('patching', () => {
  test.each([
    [{ position: 0 }, 'c a b d'],
    [{ position: 1 }, 'a c b d'],
    [{ position: 3 }, 'a b d c'],
    [{ position: 42 }, 'a b d c'],
    [{ position: -1 }, 'a b d c'],
    [{ position: null }, 'a b d c'],
    [{ title: 'c' }, 'a b c d'],
    [{ position: 2 }, 'a b c d'],
  ])('%j of the third gives %s', async (body, expected) => {
    const shop = await openShop()
    const owner = await product(shop, 'a', 'b', 'c', 'd')
    const third = owner.options[2]
    const reply = await shop.update(third['@id'], body)
    expect(await order(shop, owner)).toBe(expected)
    expect(reply.position).toBe(expected.split(' ').indexOf('c'))
    expect(reply.version).toBe(expected === 'a b c d' ? 1 : 2)
    for (const each of owner.options)
      if (each.id !== third.id) expect((await shop.get(each['@id'])).body.version).toBe(1)
  })
})

describe('deleting', () => {
  test('takes its values with it, and its title is free', async () => {
    const shop = await openShop()
    const owner = await product(shop, 'a')
    const option = owner.options[0]['@id']
    const value = await shop.create('/api/option_values', { option, title: 'v' })
    await shop.delete(option, { status: 204 })
    await shop.get(value['@id'], { status: 404 })
    expect((await shop.get('/api/option_values')).body).toMatchObject({ totalItems: 0, member: [] })
    await shop.create(`${owner['@id']}/product_options`, { title: 'a' })
  })

  test('is 409 while an active variant uses it and 204 once that is archived', async () => {
    const shop = await openShop()
    const body = {
      title: 'Shirt',
      options: [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }],
      variants: [{ optionValues: [{ option: 'Color', value: 'Red' }] }],
    }
    const owner = await shop.create('/api/products', body)
    const [option] = owner.options
    expect((await shop.delete(option['@id'], { status: 409 })).body.slug).toBe('product_option.in_use')
    await shop.delete(owner.variants[0]['@id'], { status: 204 })
    await shop.delete(option['@id'], { status: 204 })
    expect((await shop.read(owner.variants[0]['@id'])).status).toBe('ARCHIVED')
  })
})

describe('listing', () => {
  test('pages by a title of which some are null without losing one', async () => {
    const shop = await openShop()
    const owner = await product(shop, 'b')
    for (const body of [{}, { title: 'a' }, {}, { title: 'c' }])
      await shop.create(`${owner['@id']}/product_options`, body)
    for (const direction of ['asc', 'desc', 'DESC']) {
      const seen: string[] = []
      let next: string | undefined =
        `${owner['@id']}/product_options?itemsPerPage=1&order[title]=${direction}`
      for (let count = 0; next && count < 7; count += 1) {
        const body = await shop.read(next)
        seen.push(...body.member.map((each: { id: string }) => each.id))
        next = body.view.next
      }
      expect(new Set(seen).size).toBe(5)
      expect(seen).toHaveLength(5)
    }
  })
})
