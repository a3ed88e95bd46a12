import { beforeAll, describe, expect, it, test } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { asOwner } from '../support/database.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { html } from './large.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const bytesOf = ({ text }: Reply) => Buffer.byteLength(text)

/** Puts categories below another past the API, which takes 250 at once. */
async function addChildren(parent: string, count: number, level = 1, { tenant } = shop): Promise<void> {
  await asOwner(
    `insert into categories (tenant_id, id, handle, title, parent_id, position, level, document, translations)
     select $1::uuid, id, 'child-' || id, 'Child', $2::uuid, (select coalesce(max(position) + 1, 0) from categories where tenant_id = $1::uuid and parent_id = $2::uuid) + n - 1, $4::int,
            json_build_object('@id', '/api/categories/' || id, '@type', 'Category', 'id', id, 'externalId', null, 'title', 'Child',
                              'handle', 'child-' || id, 'description', null, 'fields', array[]::text[])::text,
            '{"en-US": {"title": "Child"}}'
       from generate_series(1, $3::int) as n cross join lateral (select gen_random_uuid() as id where n > 0) as made`,
    [tenant.id, parent, count, level],
  )
  // A category without stored parts is built from its rows.
  await asOwner('delete from category_parts where tenant_id = $1 and category_id = $2', [tenant.id, parent])
}

test('5,000 new children are read in time, although statistics are from when each tenant had few categories', async () => {
  for (let tenants = 0; tenants < 60; tenants += 1) {
    const small = await openShop()
    const above = await small.create('/api/categories', { title: 'Above' })
    const few = ['A', 'B', 'C'].flatMap((title) => [{ title }, { title, parent: above['@id'] }])
    await small.create('/api/categories', few)
  }
  await asOwner('analyze', [])
  const large = await openShop()
  const root = await large.create('/api/categories', { title: 'Root' })
  await addChildren(root.id, 5000, 1, large)
  for (const levels of ['children', 'children.children'])
    expect((await large.read(`${root['@id']}?expand=${levels}`)).children).toHaveLength(5000)
})

describe('a category with 2,500 children', () => {
  let root: string
  let id: string
  beforeAll(async () => {
    const body = await shop.create('/api/categories', { title: 'Root' })
    root = body['@id']
    id = body.id
    await addChildren(id, 2500)
    const products = Array.from({ length: 50 }, (_, index) => ({ title: `P${index}`, categories: [root] }))
    await shop.create('/api/products', products)
    await shop.create('/api/products', products)
  }, 60_000)

  it('shows them all on its own item, so that they can be sent back', async () => {
    const body = await shop.read(root)
    expect(body.children).toHaveLength(2500)
    const again = await shop.update(root, body)
    expect(again.version).toBe(body.version)
  })

  it('leaves them out where it is embedded or listed, with their number and a link', async () => {
    const list = await shop.get('/api/products?itemsPerPage=100', { status: 200 })
    expect(bytesOf(list)).toBeLessThan(1_000_000)
    const [category] = list.body.member[0].categories
    expect(category).not.toHaveProperty('children')
    expect(category.childrenTotal).toBe(2500)
    expect((await shop.get(`${category.childrenView.next}&itemsPerPage=0`)).body.totalItems).toBe(2500)
    const listed = await shop.read('/api/categories?parent=null')
    expect(listed.member[0].childrenTotal).toBe(2500)
  })

  it('returns the IRIs of all children if their documents exceed the byte limit', async () => {
    const reply = await shop.get(`${root}?expand=children`, { status: 200 })
    expect(bytesOf(reply)).toBeLessThanOrEqual(byteLimits.item)
    expect(reply.body.children).toHaveLength(2500)
    expect(reply.body.children.filter((child: unknown) => typeof child !== 'string')).toEqual([])
    const list = await shop.get('/api/products?expand=children&itemsPerPage=100', { status: 200 })
    expect(bytesOf(list)).toBeLessThanOrEqual(byteLimits.answer)
    expect(list.body.member).toHaveLength(100)
  })

  it('keeps those that it does not show when only its title is changed', async () => {
    await addChildren(id, 14_000)
    const body = await shop.read(root)
    expect(body).not.toHaveProperty('children')
    expect(body.childrenTotal).toBe(16_500)
    const patched = await shop.update(root, { title: 'Trunk' })
    expect(patched.childrenTotal).toBe(16_500)
    const sent = await shop.update(root, patched)
    expect(sent.childrenTotal).toBe(16_500)
    expect((await shop.delete(root)).status).toBe(409)
  }, 60_000)

  it('hides the number from who may not read categories, as it hides the children', async () => {
    const token = await shop.token({ scope: 'products:read' })
    const body = await shop.read('/api/products', { token })
    expect(body.member[0].categories[0]).not.toHaveProperty('childrenTotal')
    expect(body.member[0].categories[0]).not.toHaveProperty('childrenView')
  })
})

describe('categories with long descriptions', () => {
  it('are IRIs in products if they are too large together, and objects otherwise', async () => {
    const made = await shop.create(
      '/api/categories',
      Array.from({ length: 12 }, (_, index) => ({ title: `Long ${index}`, description: html(30_000) })),
    )
    const iris = made.member.map((each: { '@id': string }) => each['@id'])
    const few = await shop.create('/api/products', { title: 'Few', categories: iris.slice(0, 2) })
    expect(few.categories.map((each: unknown) => typeof each)).toEqual(['object', 'object'])
    const many = await shop.create('/api/products', { title: 'Many', categories: iris })
    expect(many.categories).toEqual(iris)
    const variant = await shop.create(`${many['@id']}/variants`, {})
    expect(variant.categories).toEqual(iris)
    const again = await shop.update(many['@id'], { ...many, title: 'More' })
    expect(again.categories).toEqual(iris)
    const body = await shop.read(`/api/events?resource=${many['@id']}`)
    expect(body.member[0].document.categories).toEqual(iris)
  })
})

describe('rules of collections', () => {
  it('are bounded in all, because every product is judged by each of them', async () => {
    const own = await openShop()
    const rules = (index: number) => ({
      conditions: Array.from({ length: 60 }, (_, each) => ({
        field: 'title',
        operator: 'CONTAINS',
        value: `${index}-${each}-${'é'.repeat(245)}`,
      })),
    })
    const statuses: number[] = []
    for (let index = 0; index < 32; index += 1) {
      const reply = await own.post('/api/collections', { body: { title: `C${index}`, rules: rules(index) } })
      statuses.push(reply.status)
      if (reply.status === 422) expect(reply.body.slug).toBe('collection.rules_limit')
    }
    const made = statuses.filter((status) => status === 201).length
    expect(made).toBeGreaterThan(20)
    expect(statuses).toEqual([...Array(made).fill(201), ...Array(32 - made).fill(422)])
    const { body } = await own.get('/api/collections?itemsPerPage=1')
    await own.delete(body.member[0]['@id'], { status: 204 })
    await own.create('/api/collections', { title: 'Again', rules: rules(99) })
    const tags = Array.from({ length: 250 }, (_, index) => `tag ${index}`)
    const products = Array.from({ length: 20 }, (_, index) => ({ title: `T${index}`, tags }))
    await own.create('/api/products', products)
    await own.rest()
  }, 60_000)
})

test('rules sort products that together are larger than one read', async () => {
  const shop = await openShop()
  const body = Array.from({ length: 5 }, (_, n) => ({ title: `P${n}`, description: '長'.repeat(65_000) }))
  for (let bulk = 0; bulk < 12; bulk += 1) await shop.create('/api/products', body)
  const rules = { conditions: [{ field: 'title', operator: 'CONTAINS', value: 'P' }] }
  const { '@id': iri } = await shop.create('/api/collections', { title: 'All', rules })
  await shop.rest()
  expect(await shop.read(iri)).toMatchObject({ rebuilding: false, productsCount: 60 })
})

describe('metaobjects', () => {
  const type = (slug: string) => `/api/metafield_definition_types/${slug}`

  it('returns the IRIs of all referenced metaobjects if their documents exceed the byte limit', async () => {
    const definition = await shop.create('/api/metaobject_definitions', {
      type: 'story',
      displayNameField: 'title',
      fieldDefinitions: [
        { key: 'title', type: type('single_line_text_field') },
        { key: 'text', type: type('multi_line_text_field') },
        { key: 'more', type: type('list.metaobject_reference') },
      ],
    })
    const stories: string[] = []
    for (let index = 0; index < 6; index += 1) {
      const body = await shop.create('/api/metaobjects', {
        definition: definition['@id'],
        status: 'ACTIVE',
        fields: { title: `Story ${index}`, text: html(30_000) },
      })
      stories.push(body['@id'])
    }
    const anthology = await shop.create('/api/metaobjects', {
      definition: definition['@id'],
      fields: { title: 'All', more: JSON.stringify(stories) },
    })
    const read = await shop.read(anthology['@id'])
    const more = read.fields.find((each: { key: string }) => each.key === 'more')
    expect(more.metaobject).toEqual(stories)
    const product = await shop.create('/api/products', {
      title: 'Book',
      fields: [{ key: 'stories', type: type('list.metaobject_reference'), value: JSON.stringify(stories) }],
    })
    const book = await shop.read(product['@id'])
    expect(book.fields[0].metaobject).toEqual(stories)
  })

  it('have a bound of bytes in each language, and refer to no more than 250 others', async () => {
    const definition = await shop.create('/api/metaobject_definitions', {
      type: 'page',
      fieldDefinitions: Array.from({ length: 12 }, (_, index) => ({
        key: `t${index}`,
        type: type('multi_line_text_field'),
      })).concat({ key: 'refs', type: type('list.metaobject_reference') }),
    })
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, '語'.repeat(16_000)]))
    const body = { definition: definition['@id'] }
    await shop.create('/api/metaobjects', { ...body, fields: fields(10) })
    const large = await shop.post('/api/metaobjects', { body: { ...body, fields: fields(11) } })
    expect([large.status, large.body.slug]).toEqual([422, 'validation.document_too_large'])
  })
})
