import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

test('a batch of too large resources is answered with ids and versions, or rejected', {
  timeout: 120_000,
}, async () => {
  const shop = await openShop()
  const values = Array.from({ length: 40 }, (_, index) => ({ title: `v${index}` }))
  const product = {
    title: 'Shirt',
    options: [{ title: 'Size', values }],
    variants: values.map(({ title }) => ({ optionValues: [{ option: 'Size', value: title }] })),
  }
  const made: { '@id': string; id: string }[] = []
  for (let count = 0; count < 25; count += 1)
    made.push(
      ...(
        await shop.create(
          '/api/products',
          Array.from({ length: 10 }, () => product),
        )
      ).member,
    )
  const body = made.map(({ '@id': id }) => ({ '@id': id, vendor: 'Acme' }))
  const reply = await shop.patch('/api/products', { body, status: 200 })
  expect(reply.body.member[249]).toEqual({
    '@id': made[249]?.['@id'],
    '@type': 'Product',
    id: made[249]?.id,
    version: 2,
  })
  expect(reply.text.length).toBeLessThan(100_000)
  const long = { title: 'Long', description: 'x'.repeat(65_000) }
  const large: string[] = []
  for (let count = 0; count < 12; count += 1) {
    const { member } = await shop.create(
      '/api/products',
      Array.from({ length: 15 }, () => long),
    )
    large.push(...member.map(({ '@id': id }: { '@id': string }) => id))
  }
  const patches = large.map((id) => ({ '@id': id, vendor: 'Acme' }))
  const rejected = await shop.patch('/api/products', { body: patches, status: 413 })
  expect(rejected.body).toMatchObject({ slug: 'http.batch_too_large' })
  expect(await shop.read(large[0] ?? '')).toMatchObject({ version: 1 })
  await shop.patch('/api/products', { body: patches.slice(0, 9), status: 200 })
})
