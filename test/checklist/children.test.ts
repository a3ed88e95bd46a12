/** The rename of the category property: each of its twenty operations, in every version, in both directions. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../support/shop.ts'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

type Document = Record<string, unknown>

/** An operation, the rest of its body in addition to the categories, and where its response shows them. */
type Row = readonly [method: 'GET' | 'POST' | 'PATCH', path: string, body?: Document]

const rows: readonly Row[] = [
  ['GET', '/api/categories'],
  ['POST', '/api/categories', { title: 'New' }],
  ['GET', '{category}'],
  ['PATCH', '{category}', { description: '{new}' }],
  ['GET', '/api/products'],
  ['POST', '/api/products', { title: 'New' }],
  ['GET', '{product}'],
  ['PATCH', '{product}', { vendor: '{new}' }],
  ['GET', '{product}/variants'],
  ['POST', '{sized}/variants', {}],
  ['GET', '{variant}'],
  ['PATCH', '{variant}', { sku: '{new}' }],
  ['GET', '/api/purchase_offers'],
  ['POST', '/api/purchase_offers', { variant: '{variant}', supplier: 'mill', cost: '1.00', currency: 'EUR' }],
  ['GET', '{purchaseOffer}'],
  ['PATCH', '{purchaseOffer}', { supplierSku: '{new}' }],
  ['GET', '/api/sale_offers'],
  ['POST', '/api/sale_offers', { variant: '{variant}', amount: '1.00', currency: 'EUR' }],
  ['GET', '{saleOffer}'],
  ['PATCH', '{saleOffer}', { amount: '{money}' }],
]
const named = rows.map((row) => [`${row[0]} ${row[1]}`, row] as const)
const writes = named.filter(([, [method]]) => method !== 'GET')

const ofCategories = (path: string) => path.includes('categor')

/** The category objects in an answer, at the first depth. */
function categoriesIn(path: string, body: Reply['body']): Document[] {
  const documents: Document[] = body.member ?? [body]
  return ofCategories(path) ? documents : documents.flatMap((each) => each.categories as Document[])
}

/** A body in which a category's children stand under a name, where the operation takes categories. */
function withChildren([, path, body]: Row, name: string, children: unknown, category: string): Document {
  if (ofCategories(path)) return { ...body, [name]: children }
  return { ...body, categories: [{ '@id': category, [name]: children }] }
}

const placeOf = (path: string, name: string) => (ofCategories(path) ? name : `categories[0].${name}`)

describe.each(versions)('in $version', ({ version, children: name, other }) => {
  let world: World
  const sizes = ['{small}', '{large}', '{small}', '{large}']
  let count = 0
  beforeAll(async () => {
    world = await openWorld()
    const { shop, fill } = world
    for (const product of ['sized', 'blank'])
      await shop.update(world.iri(product), { categories: [fill('{category}')] })
  })

  /** Calls a row; each variant that it makes is archived at once, so that its combination is free again. */
  async function ask(row: Row, body = row[2], query = ''): Promise<Reply> {
    const [method, path] = row
    const { shop, fill } = world
    const variants = path === '{sized}/variants'
    const sized = { ...body, ...(variants && { optionValues: [sizes[(count += 1) % sizes.length]] }) }
    const money = (text: string) => text.replaceAll('{money}', `${(count += 1)}.00`)
    const sent = fill(JSON.parse(money(JSON.stringify(sized))))
    const reply = await shop.request(method, fill(path) + query, {
      version,
      ...(method !== 'GET' && { body: sent }),
    })
    if (variants && reply.status === 201) await shop.delete(reply.body['@id'], { status: 204 })
    return reply
  }
  const succeeded = (reply: Reply) => expect([200, 201], reply.text).toContain(reply.status)

  test.each(named)(`%s answers ${name} at every depth`, async (_, row) => {
    const created = row[0] === 'POST' && row[1] === '/api/products'
    const body = created ? { ...row[2], categories: ['{category}'] } : row[2]
    const reply = await ask(row, body)
    succeeded(reply)
    expect(reply.headers.get('service-api-version')).toBe(version)
    const categories = categoriesIn(row[1], reply.body)
    expect(categories.length).toBeGreaterThan(0)
    for (const category of categories) expect(category[name], reply.text).toBeInstanceOf(Array)
    expect(reply.text).not.toContain(`"${other}"`)
  })

  test.each(named)(`%s answers it under expand=${name}.${name}`, async (_, row) => {
    if (row[0] !== 'GET') return
    const reply = await ask(row, undefined, `?expand=${name}.${name}`)
    succeeded(reply)
    const [category] = categoriesIn(row[1], reply.body).filter((each) => each.title === 'Shoes')
    expect(category).toMatchObject({ [name]: [{ '@type': 'Category', title: 'Boots', [name]: [] }] })
    expect(reply.text).not.toContain(`"${other}"`)
    const same = await ask(row, undefined, `?expand=${other}.${other}`)
    succeeded(same)
    expect(categoriesIn(row[1], same.body)).toEqual(categoriesIn(row[1], reply.body))
    const wrong = await ask(row, undefined, '?expand=child')
    expect(wrong.status).toBe(422)
    expect(wrong.body.violations[0]).toMatchObject({ propertyPath: 'expand' })
  })

  test.each(named)(`%s selects it as ${name}`, async (_, row) => {
    const path = ofCategories(row[1]) ? 'properties[]' : 'properties[categories][]'
    const created = row[0] === 'POST' && row[1] === '/api/products'
    const body = created ? { ...row[2], categories: ['{category}'] } : row[2]
    const selected = async (wanted: string) => {
      const reply = await ask(row, body, `?${path}=${wanted}`)
      succeeded(reply)
      const categories = categoriesIn(row[1], reply.body)
      return categories.map((each) => Object.keys(each).filter((key) => key !== '@context'))
    }
    const found = await selected(name)
    expect(found.length).toBeGreaterThan(0)
    for (const each of found) expect(each).toEqual(['@id', '@type', name])
    for (const each of await selected(other)) expect(each).toEqual(['@id', '@type'])
  })

  test.each(writes)(`%s takes ${name}`, async (_, row) => {
    const leaf = world.iri('leaf')
    const sent = withChildren(row, name, [leaf], '{category}')
    const reply = await ask(row, sent)
    succeeded(reply)
    if (!ofCategories(row[1])) return
    expect(reply.body[name]).toEqual([leaf])
    await world.shop.update(world.iri('category'), { [name]: [leaf] }, { version })
  })

  test.each(writes)(`%s refuses ${other}, naming the right one, and changes nothing`, async (_, row) => {
    const { shop } = world
    const before = (await shop.get('/api/products?itemsPerPage=0')).headers.get('service-sequence')
    for (const children of [[world.iri('leaf')], [], null]) {
      const reply = await ask(row, withChildren(row, other, children, '{category}'))
      expect(reply.status, reply.text).toBe(422)
      const found = reply.body.violations.find(
        (each: { slug: string }) => each.slug === 'version.renamed_property',
      )
      expect(found?.propertyPath, reply.text).toBe(placeOf(row[1], other))
      expect(found.message).toContain(name)
    }
    const after = (await shop.get('/api/products?itemsPerPage=0')).headers.get('service-sequence')
    expect(after).toBe(before)
  })

  const takers = writes.filter(
    ([, [, path]]) => ofCategories(path) || path.startsWith('/api/products') || path === '{product}',
  )
  test.each(takers)(`%s names violations of it as ${name}`, async (_, row) => {
    for (const [wrong, at] of [
      ['x', ''],
      [[7], '[0]'],
    ] as const) {
      const reply = await ask(row, withChildren(row, name, wrong, '{category}'))
      expect(reply.status, reply.text).toBe(422)
      expect(reply.body.violations[0].propertyPath).toBe(placeOf(row[1], name) + at)
      expect(reply.text).not.toMatch(new RegExp(`\\b${other}\\b`))
    }
  })
})
