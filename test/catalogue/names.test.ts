import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

const inline = () => ({
  title: 'Shirt',
  options: [{ title: 'Size', externalId: 'opt-1', values: [{ title: 'S', externalId: 'val-1' }] }],
})

test('external ids of inline options and values are refused by name while a live product has them', async () => {
  const shop = await openShop()
  const first = await shop.create('/api/products', inline())
  const again = await shop.post('/api/products', { body: inline(), status: 409 })
  const paths = again.body.violations.map((each: { propertyPath: string }) => each.propertyPath)
  expect(paths).toContain('options[0].externalId')

  await shop.delete(first['@id'], { status: 204 })
  await shop.create('/api/products', { ...inline(), title: 'Hat' })
  const restored = await shop.patch(first['@id'], { body: { status: 'ACTIVE' }, status: 409 })
  expect(restored.body.slug).toBe('product_option.external_id_taken')
})

test('the same external id twice inside one request is refused', async () => {
  const shop = await openShop()
  const twice = [inline(), { ...inline(), title: 'Hat' }]
  const refused = await shop.post('/api/products', { body: twice, status: 409 })
  expect(refused.body.violations[0].propertyPath).toMatch(/^\[1\]\.options/)
})

test('a key is stored for a write that changes nothing: its replay returns the same, another body is rejected', async () => {
  const shop = await openShop()
  const body = await shop.create('/api/products', { title: 'A' })
  const headers = { 'Idempotency-Key': 'k1' }
  await shop.update(body['@id'], { title: 'A' }, { headers })
  await shop.update(body['@id'], { title: 'B' })
  const replayed = await shop.patch(body['@id'], { body: { title: 'A' }, headers, status: 200 })
  expect(replayed.headers.get('Idempotency-Replayed')).toBe('true')
  const other = await shop.patch(body['@id'], { body: { title: 'Z' }, headers, status: 422 })
  expect(other.body.slug).toBe('idempotency.key_reused')
  expect((await shop.get(body['@id'])).body.title).toBe('B')
})

test('variants of one request go to the places that each was written for', async () => {
  const shop = await openShop()
  const values = Array.from({ length: 60 }, (_, index) => ({ title: `v${index}` }))
  const variants = values.slice(0, 10).map(({ title }) => ({ optionValues: [{ option: 'A', value: title }] }))
  const body = { title: 'Many', options: [{ title: 'A', values }], variants }
  const product = await shop.create('/api/products', body)
  const more = values.slice(10).map(({ title }, index) => ({
    optionValues: [{ option: 'A', value: title }],
    ...(index % 3 === 0 ? { position: index % 7 } : {}),
  }))
  const made = await shop.create(`${product['@id']}/variants`, more)
  const listed = await shop.read(`${product['@id']}/variants?itemsPerPage=100`)
  const at = new Map<string, number>(
    listed.member.map((each: { id: string }, index: number) => [each.id, index]),
  )
  expect(listed.member.map((each: { position: number }) => each.position)).toEqual([...at.values()])
  // Written one after the other into a list, they come out in this order.
  const order = variants.map(({ optionValues }) => optionValues[0]!.value)
  for (const each of more) order.splice(each.position ?? order.length, 0, each.optionValues[0]!.value)
  expect(listed.member.map((each: { title: string }) => each.title)).toEqual(order)
  for (const each of made.member) expect(each.position).toBe(at.get(each.id))
})
