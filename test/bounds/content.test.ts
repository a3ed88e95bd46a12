import { beforeAll, describe, expect, it } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { asOwner } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const type = (slug: string) => `/api/metafield_definition_types/${slug}`

describe('a definition', () => {
  it('weighs no more than is read with each of its metaobjects', async () => {
    const body = (name: string, fields: number) => ({
      type: name,
      fieldDefinitions: Array.from({ length: fields }, (_, index) => ({
        key: `key_${index}`,
        type: type('single_line_text_field'),
        validations: [
          {
            name: 'choices',
            value: JSON.stringify(Array.from({ length: 60 }, (_, choice) => `choice ${choice} of many`)),
          },
        ],
      })),
    })
    const within = await shop.post('/api/metaobject_definitions', { body: body('within', 35), status: 201 })
    expect(Buffer.byteLength(within.text)).toBeGreaterThan(byteLimits.definition / 2)
    const beyond = await shop.post('/api/metaobject_definitions', { body: body('beyond', 60) })
    expect([beyond.status, beyond.body.slug]).toEqual([422, 'validation.document_too_large'])
    const patched = await shop.patch(within.body['@id'], {
      body: { fieldDefinitions: body('x', 60).fieldDefinitions },
    })
    expect(patched.body.slug).toBe('validation.document_too_large')
  })
})

describe('references to metaobjects', () => {
  let iris: string[]
  let definition: string
  beforeAll(async () => {
    const text = { key: 'title', type: type('single_line_text_field') }
    const lists = ['a', 'b'].map((key) => ({ key, type: type('list.metaobject_reference') }))
    const made = await shop.create('/api/metaobject_definitions', {
      type: 'note',
      fieldDefinitions: [text, ...lists],
    })
    definition = made['@id']
    iris = []
    for (let index = 0; index <= byteLimits.references; index += 1) {
      const body = await shop.create('/api/metaobjects', {
        definition,
        handle: `note-${index}`,
        status: 'ACTIVE',
        fields: { title: `Note ${index}` },
      })
      iris.push(body['@id'])
    }
  }, 120_000)

  const values = (count: number) => {
    const wanted = iris.slice(0, count)
    return { a: JSON.stringify(wanted.slice(0, 125)), b: JSON.stringify(wanted.slice(125)) }
  }

  it('are no more than 250 in a metaobject, all of which are shown', async () => {
    const body = (count: number) => ({ definition, fields: { title: 'All', ...values(count) } })
    const refused = await shop.post('/api/metaobjects', { body: body(byteLimits.references + 1) })
    expect(refused.body.violations).toMatchObject([
      { propertyPath: 'fields', slug: 'validation.too_many_items' },
    ])
    const made = await shop.create('/api/metaobjects', body(byteLimits.references))
    const read = await shop.read(made['@id'])
    const shown = read.fields.flatMap((each: { metaobject: unknown[] }) => each.metaobject)
    expect(shown).toHaveLength(byteLimits.references)
  })

  it('are no more than 250 in the custom fields of a product', async () => {
    const fields = (count: number) =>
      Object.entries(values(count)).map(([key, value]) => ({
        key,
        value,
        type: type('list.metaobject_reference'),
      }))
    const refused = await shop.post('/api/products', {
      body: { title: 'Many', fields: fields(byteLimits.references + 1) },
    })
    expect(refused.body.violations).toMatchObject([
      { propertyPath: 'fields', slug: 'validation.too_many_items' },
    ])
    const made = await shop.create('/api/products', { title: 'Many', fields: fields(byteLimits.references) })
    const body = await shop.read(made['@id'])
    expect(body.fields.map((each: { metaobject: unknown[] }) => each.metaobject.length)).toEqual([125, 125])
  })
})

describe('collections with rules', () => {
  it('are no more than 250 of a tenant', async () => {
    await asOwner(
      `insert into collections (tenant_id, id, handle, title, type, rules, document, translations)
       select $1::uuid, id, 'c-' || id, 'C', 'RULE_BASED', rules, json_build_object('@id', '/api/collections/' || id,
              '@type', 'ProductCollection', 'id', id, 'title', 'C', 'handle', 'c-' || id, 'type', 'RULE_BASED', 'rules', rules)::text,
              '{"en-US": {"title": "C"}}'
         from generate_series(1, $2::int) as n cross join lateral (select gen_random_uuid() as id,
              '{"match": "ALL", "conditions": [{"field": "tag", "operator": "EQUALS", "value": "x"}]}'::jsonb as rules where n > 0) as made`,
      [shop.tenant.id, byteLimits.rules.collections - 1],
    )
    const body = {
      title: 'One more',
      rules: { conditions: [{ field: 'tag', operator: 'EQUALS', value: 'y' }] },
    }
    await shop.create('/api/collections', body)
    const refused = await shop.post('/api/collections', { body })
    expect([refused.status, refused.body.slug]).toEqual([422, 'collection.rules_limit'])
    await shop.create('/api/collections', { title: 'By hand' })
    await shop.rest()
  }, 60_000)
})
