import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

/** A product of 50 × 50 combinations, every one of them a variant. */
function largest() {
  const values = Array.from({ length: 50 }, (_, index) => ({ title: `v${index}` }))
  const variants = values.flatMap((a) =>
    values.map((b) => ({
      sku: `${a.title}-${b.title}`,
      optionValues: [
        { option: 'A', value: a.title },
        { option: 'B', value: b.title },
      ],
    })),
  )
  return {
    title: 'Largest',
    options: [
      { title: 'A', values },
      { title: 'B', values },
    ],
    variants,
  }
}

test('a product takes 2,500 variants in one request, shows 250, and its link leads to all the others', async () => {
  const shop = await openShop()
  const body = await shop.create('/api/products', largest())
  expect(body.variantsTotal).toBe(2500)
  const seen = new Set(body.variants.map((each: { id: string }) => each.id))
  expect(seen.size).toBe(250)
  let next: unknown = body.variantsView.next
  while (typeof next === 'string') {
    const page = await shop.read(next)
    for (const each of page.member) seen.add(each.id)
    next = page.view?.next
  }
  expect(seen.size).toBe(2500)

  const full = await shop.post(`${body['@id']}/variants`, { body: { optionValues: [] }, status: 422 })
  expect(full.body.violations.map((each: { slug: string }) => each.slug)).toContain('variant.limit')
  const list = await shop.read('/api/products')
  expect(list.member[0].variants).toHaveLength(50)
})

test.each([
  ['the 2,501st variant', { variants: Array.from({ length: 2501 }, () => ({})) }, 'variants'],
  ['the eleventh option', { options: many(11) }, 'options'],
  ['the 251st value', { options: [{ title: 'Only', values: many(251) }] }, 'options[0].values'],
])('%s of a new product is refused where it stands', async (_, parts, path) => {
  const shop = await openShop()
  const refused = await shop.post('/api/products', { body: { title: 'Too large', ...parts }, status: 422 })
  expect(refused.body.slug).toBe('validation.too_many_items')
  expect(refused.body.violations[0].propertyPath).toBe(path)
})

function many(length: number) {
  return Array.from({ length }, (_, index) => ({ title: `t${index}` }))
}
