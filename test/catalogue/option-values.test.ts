/** Option values: written to one option, ordered without gaps, deleted when no variant uses them. */
import { describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

async function withValues(shop: Shop, ...values: string[]) {
  const body = { title: 'Shirt', options: [{ title: 'Color', values: values.map((title) => ({ title })) }] }
  const product = await shop.create('/api/products', body)
  return { product, option: product.options[0], values: product.options[0].values }
}

describe('patching', () => {
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
    await shop.update(values[0]['@id'], { title: 'Crimson' })
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
