import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../../test/support/app.ts'
import { openShop, type Shop } from '../../../../test/support/shop.ts'
import { resource as types } from '../../fields/operations.ts'
import { resource as metaobjects } from '../operations.ts'
import { resource } from './operations.ts'

const list = '/api/metaobject_definitions'
const type = (slug: string) => `/api/metafield_definition_types/${slug}`

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: createApp({ resources: [types, resource, metaobjects] }) })
})

let count = 0
const fresh = () => `kind_${(count += 1)}`
const add = async (body: object = {}) => await shop.create(list, { type: fresh(), ...body })
const title = { key: 'title', type: type('single_line_text_field') }

describe('a definition', () => {
  test('keys that objects have anyway are keys like others', async () => {
    const created = await add({ fieldDefinitions: [{ ...title, key: 'constructor' }] })
    expect(created.fieldDefinitions[0].key).toBe('constructor')
  })
})

describe('in use', () => {
  test('it stays, and its fields change only as far as the values fit', async () => {
    const fields = [
      { ...title, required: true },
      { key: 'note', type: type('multi_line_text_field'), translatable: true },
    ]
    const created = await add({ fieldDefinitions: fields })
    const record = await shop.create('/api/metaobjects', {
      definition: created['@id'],
      status: 'ACTIVE',
      fields: { title: 'A', note: 'b' },
    })
    const patch = (fieldDefinitions: object[]) => shop.patch(created['@id'], { body: { fieldDefinitions } })
    const refused = async (fieldDefinitions: object[]) => {
      const reply = await patch(fieldDefinitions)
      expect([reply.status, reply.body.slug], reply.text).toEqual([409, 'metaobject_definition.in_use'])
    }
    expect((await shop.delete(created['@id'], { status: 409 })).body.slug).toBe(
      'metaobject_definition.in_use',
    )
    const [first, second] = fields as [object, object]
    await refused([first])
    await refused([first, { ...second, type: type('json') }])
    await refused([first, { ...second, translatable: false }])
    await refused([first, { ...second, validations: [{ name: 'max', value: '1' }] }])
    await refused([first, second, { key: 'more', type: type('date'), required: true }])
    expect(
      (await patch([{ ...second, required: true }, first, { key: 'more', type: type('date') }])).status,
    ).toBe(200)
    await shop.update(record['@id'], { status: 'DRAFT' })
    expect((await patch([second, first, { key: 'more', type: type('date'), required: true }])).status).toBe(
      200,
    )
    await shop.delete(record['@id'], { status: 204 })
    expect((await patch([])).status).toBe(200)
    await shop.delete(created['@id'], { status: 204 })
  })
})
