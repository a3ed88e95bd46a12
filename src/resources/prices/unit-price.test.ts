/** Unit prices: the content of a package, and the price of a kilogram, a litre or another quantity. */
import { describe, expect, test } from 'vitest'
import { asOwner } from '../../../test/support/database.ts'
import { openShop, type Reply } from '../../../test/support/shop.ts'
import { versions } from '../../versions/index.ts'

type Body = Reply['body']

const litre = { value: 0.75, unit: 'l' }

describe('the measure of a variant', () => {
  test('is null, or what was written, in every version', async () => {
    const shop = await openShop()
    const { variants } = await shop.create('/api/products', {
      title: 'Oil',
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'L' }] }],
      variants: [
        { optionValues: [{ option: 'Size', value: 'S' }], measure: litre },
        { optionValues: [{ option: 'Size', value: 'L' }] },
      ],
    })
    expect(variants.map(({ measure }: Body) => measure)).toEqual([litre, null])
    const [small] = variants
    for (const { name: version } of versions)
      expect((await shop.get(small['@id'], { version })).body.measure).toEqual(litre)
    const changed = await shop.update(small['@id'], { measure: { value: 1e9 } })
    expect(changed.measure).toEqual({ value: 1e9, unit: 'l' })
    expect(await shop.update(small['@id'], { measure: null })).toHaveProperty('measure', null)
  })

  test.each([
    [{ value: 0, unit: 'g' }, 'measure.value', 'validation.too_small'],
    [{ value: -1, unit: 'g' }, 'measure.value', 'validation.too_small'],
    [{ value: 1e9 + 1, unit: 'g' }, 'measure.value', 'validation.too_big'],
    [{ value: 0.0000011, unit: 'g' }, 'measure.value', 'validation.too_many_decimals'],
    [{ value: '1', unit: 'g' }, 'measure.value', 'validation.type'],
    [{ value: 1, unit: 'stone' }, 'measure.unit', 'validation.choice'],
    [{ value: 1 }, 'measure.unit', 'validation.choice'],
    [{ unit: 'g' }, 'measure.value', 'validation.required'],
    [1, 'measure', 'validation.type'],
  ])('%j is 422 and stores nothing', async (measure, path, slug) => {
    const shop = await openShop()
    const { body } = await shop.post('/api/products', {
      body: { title: 'Oil', variants: [{ measure }] },
      status: 422,
    })
    expect(body).toMatchObject({ slug, violations: [{ propertyPath: `variants[0].${path}` }] })
    expect((await shop.read('/api/products')).member).toEqual([])
    const { variants } = await shop.create('/api/products', { title: 'Oil', variants: [{}] })
    await shop.patch(variants[0]['@id'], { body: { measure }, status: 422 })
    expect((await shop.read(variants[0]['@id'])).measure).toBe(null)
  })

  test.each(['{"value":0,"unit":"g"}', '{"value":1,"unit":"stone"}', '{"value":1}', '{"unit":"g"}', '1'])(
    'the database refuses %s',
    async (measure) => {
      const shop = await openShop()
      const { variants } = await shop.create('/api/products', {
        title: 'Oil',
        variants: [{ measure: litre }],
      })
      const change = `update variants set document = jsonb_set(document::jsonb, '{measure}', $2)::text where id = $1`
      await expect(asOwner(change, [variants[0].id, measure])).rejects.toThrow('variants_measure')
      await asOwner(change, [variants[0].id, '{"value":0.5,"unit":"kg"}'])
    },
  )
})
