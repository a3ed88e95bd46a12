/** Undo: `POST …/revert` restores the values before a version or an event. */
import { beforeAll, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { connected, databaseUrls } from '../support/database.ts'
import { addressOf, sampleCalls } from '../support/samples.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Document = Reply['body']

let shop: Shop

beforeAll(async () => {
  shop = await openShop({ locales: ['en-US', 'de-DE', 'fr-FR'] })
})

const eventsOf = async (iri: string, at = shop): Promise<Document[]> =>
  (await at.read(`/api/events?resource=${iri}`)).member
const lastEvent = async (iri: string, at = shop) => (await eventsOf(iri, at)).at(-1)

/** The values of a resource, without the stamps of its last write. */
async function valuesOf(iri: string, locale = 'en-US', at = shop): Promise<Document> {
  const { version, updatedAt, ...values } = await at.read(iri, { locale })
  return values
}

const revert = (iri: string, body: object, options: object = {}, at = shop): Promise<Reply> =>
  at.post(`${iri}/revert`, { body, ...options })

async function reverted(iri: string, body: object, options: object = {}): Promise<Document> {
  return (await revert(iri, body, { status: 200, ...options })).body
}

const operations = resources.flatMap((resource) => resource.operations)

const media = (name: string, alt: string | null) => ({ url: `https://example.com/${name}.jpg`, alt })

/** Random choices that a seed repeats. */
function randomPicks(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    one: <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)]!,
    some: <Value>(values: readonly Value[]): Value[] => values.filter(() => next() < 0.4),
  }
}

describe('a revert', () => {
  test('to a version restores its values in every language', async () => {
    const { '@id': iri } = await shop.create('/api/products', {
      title: 'Shirt',
      vendor: 'Acme',
      seo: { title: 'Shirts' },
      fields: { size: 'M', color: { value: '#ff0000', type: '/api/metafield_definition_types/color' } },
    })
    await shop.update(iri, { title: 'Hemd' }, { locale: 'de-DE' })
    const { version } = await shop.read(iri)
    const locales = ['en-US', 'de-DE', 'fr-FR']
    const before = await Promise.all(locales.map((locale) => valuesOf(iri, locale)))
    const wrong = {
      title: 'Wrong',
      vendor: null,
      seo: { description: 'Wrong' },
      fields: { color: null, size: 'L' },
    }
    await shop.update(iri, wrong)
    await shop.update(iri, { title: 'Falsch', seo: { title: 'Falsch' } }, { locale: 'de-DE' })
    const body = await reverted(iri, { to: version })
    expect(body).toMatchObject({
      '@type': 'Revert',
      resource: iri,
      version: version + 3,
      leftOut: [],
      laterChanges: [],
    })
    expect(body.restored.toSorted()).toEqual([
      'fields.color',
      'fields.size',
      'seo',
      'title',
      'translations.de-DE.seo',
      'translations.de-DE.title',
      'vendor',
    ])
    expect(body.undone.map(({ resourceVersion }: Document) => resourceVersion)).toEqual([
      version + 2,
      version + 1,
    ])
    expect(await Promise.all(locales.map((locale) => valuesOf(iri, locale)))).toEqual(before)
    const { changes, locale, occurredAt } = await lastEvent(iri)
    expect(locale).toBe('en-US')
    expect(occurredAt).toBe(body.effectiveAt)
    expect(changes).toContainEqual({ path: 'translations.de-DE.title', before: 'Falsch', after: 'Hemd' })
  })

  test('to any version restores what the resource was, after random changes', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
    const pick = randomPicks(seed)
    const categories = await Promise.all(
      ['C1', 'C2'].map(async (title) => (await shop.create('/api/categories', { title }))['@id']),
    )
    const type = '/api/metafield_definition_types'
    const patch = (): object =>
      Object.fromEntries(
        pick.some<[string, unknown]>([
          ['title', pick.one(['A', 'B', 'C'])],
          ['description', pick.one([null, 'One', 'Two'])],
          ['seo', pick.one([null, { title: null }, { title: 'S1' }, { description: 'S2' }])],
          ['vendor', pick.one([null, 'V1', 'V2'])],
          ['tags', pick.one([[], ['x'], ['x', 'y'], ['y', 'x']])],
          ['status', pick.one(['DRAFT', 'ACTIVE'])],
          ['categories', pick.one([[], categories, categories.slice(1), categories.toReversed()])],
          [
            'media',
            pick
              .one([[], ['a', 'b'], ['b']])
              .map((name: string) => media(name, pick.one([null, 'T1', 'T2']))),
          ],
          [
            'fields',
            pick.one([
              { size: 'M' },
              { size: null },
              { size: { value: '2', type: `${type}/number_integer` } },
              { 'care.wash': '30' },
            ]),
          ],
        ]),
      )
    const locales = ['en-US', 'de-DE', 'fr-FR']
    // A restored field is the last one.
    const seen = (iri: string) =>
      Promise.all(
        locales.map(async (locale) => {
          const { fields, ...values } = await valuesOf(iri, locale)
          return {
            ...values,
            fields: Object.fromEntries(fields.map((field: Document) => [field.key, field])),
          }
        }),
      )
    for (let round = 0; round < 12; round += 1) {
      const { '@id': iri } = await shop.create('/api/products', { title: 'A', ...patch() })
      const states = new Map([[1, await seen(iri)]])
      for (let change = 0; change < 6; change += 1) {
        const { status, body } = await shop.patch(iri, { body: patch(), locale: pick.one(locales) })
        if (status === 200) states.set(body.version, await seen(iri))
      }
      const to = pick.one([...states.keys()])
      const { status, body } = await revert(iri, { to })
      expect(status, `SEED=${seed} round ${round}: ${JSON.stringify(body)}`).toBe(200)
      expect(await seen(iri), `SEED=${seed} round ${round}`).toEqual(states.get(to))
    }
  })

  test('of an event undoes every PATCH of the API', async () => {
    const at = await openShop()
    const sampleOf = await sampleCalls(at)
    const patches = operations.filter(
      ({ method, path, isUpsert, body }) =>
        method === 'PATCH' &&
        !isUpsert &&
        !body?.isBatch &&
        operations.some((other) => other.path === `${path}/revert`),
    )
    expect(patches.length).toBeGreaterThan(9)
    for (const operation of patches) {
      const { body, ...sample } = sampleOf(operation)
      const iri = addressOf(operation, sample)
      await at.rest()
      const before = await valuesOf(iri, 'en-US', at)
      await at.update(iri, body)
      const { id: event } = await lastEvent(iri, at)
      expect(await valuesOf(iri, 'en-US', at), operation.name).not.toEqual(before)
      const { status, body: answer } = await revert(iri, { event }, {}, at)
      expect(status, `${operation.name} ${JSON.stringify(answer)}`).toBe(200)
      await at.rest()
      expect(await valuesOf(iri, 'en-US', at), operation.name).toEqual(before)
    }
  })

  test('of a creation deletes or archives the resource', async () => {
    const product = await shop.create('/api/products', { title: 'New' })
    const { id: event } = await lastEvent(product['@id'])
    expect(await reverted(product['@id'], { event })).toMatchObject({ version: null, restored: [] })
    expect((await shop.read(product['@id'])).status).toBe('ARCHIVED')
    const category = await shop.create('/api/categories', { title: 'New' })
    const created = await lastEvent(category['@id'])
    await reverted(category['@id'], { event: created['@id'] })
    await shop.get(category['@id'], { status: 404 })
    expect((await revert(category['@id'], { event: created.id }, { status: 409 })).body.slug).toBe(
      'revert.deleted',
    )
  })

  test('of a creation with later changes is rejected, and with all of them accepted', async () => {
    const { '@id': iri } = await shop.create('/api/categories', { title: 'New' })
    await shop.update(iri, { title: 'Newer' })
    const [created, renamed] = await eventsOf(iri)
    const { body } = await revert(iri, { event: created.id }, { status: 409 })
    expect(body.violations).toMatchObject([{ propertyPath: '', slug: 'revert.changed_later' }])
    await reverted(iri, { event: [created.id, renamed.id] })
    await shop.get(iri, { status: 404 })
  })

  test('restores an archived product', async () => {
    const { '@id': iri } = await shop
      .create('/api/products', {
        title: 'Old',
        status: 'ACTIVE',
        variants: [{ sku: 'old-1' }, { sku: 'old-2' }],
        options: [{ name: 'Size', values: [{ name: 'S' }, { name: 'M' }] }],
      })
      .catch(() => shop.create('/api/products', { title: 'Old', status: 'ACTIVE' }))
    await shop.delete(iri)
    await reverted(iri, { event: (await lastEvent(iri)).id })
    expect((await shop.read(iri)).status).toBe('ACTIVE')
  })

  test('leaves later changes, names them, and rejects the undoing of properties that they changed again', async () => {
    const { '@id': iri } = await shop.create('/api/products', { title: 'A', vendor: 'V1', productType: 'T1' })
    await shop.update(iri, { title: 'B', vendor: 'V2' })
    const { id: event } = await lastEvent(iri)
    const other = await shop.token({ client: 'other-client' })
    await shop.update(iri, { vendor: 'V3', productType: 'T2' }, { token: other })
    const later = await lastEvent(iri)
    const { body } = await revert(iri, { event }, { status: 409 })
    expect(body.slug).toBe('revert.changed_later')
    expect(body.violations).toMatchObject([{ propertyPath: 'vendor', slug: 'revert.changed_later' }])
    expect(body.violations[0].message).toContain(later['@id'])
    expect((await shop.read(iri)).title).toBe('B')
    const partial = (await shop.post(`${iri}/revert?partial=true`, { body: { event }, status: 200 })).body
    expect(partial).toMatchObject({
      restored: ['title'],
      leftOut: [{ propertyPath: 'vendor', slug: 'revert.changed_later' }],
      laterChanges: [
        { event: later['@id'], actor: { client: 'other-client' }, properties: ['vendor', 'productType'] },
      ],
    })
    expect(await shop.read(iri)).toMatchObject({ title: 'A', vendor: 'V3', productType: 'T2' })
  })

  test('reports what today’s rules reject, or leaves it out', async () => {
    const { '@id': category } = await shop.create('/api/categories', { title: 'Gone' })
    const { '@id': iri } = await shop.create('/api/products', {
      title: 'P',
      handle: 'wanted',
      categories: [category],
    })
    const { version } = await shop.read(iri)
    await shop.update(iri, { categories: [], handle: 'other', vendor: 'X' })
    await shop.delete(category, { status: 204 })
    await shop.create('/api/products', { title: 'Q', handle: 'wanted' })
    const { body } = await revert(iri, { to: version }, { status: 409 })
    expect(body.slug).toBe('revert.not_restorable')
    expect(body.violations.map(({ propertyPath }: Document) => propertyPath)).toContain('categories[0]')
    expect((await shop.read(iri)).vendor).toBe('X')
    const { body: partial } = await shop.post(`${iri}/revert?partial=true`, {
      body: { to: version },
      status: 200,
    })
    expect(partial.restored).toEqual(['vendor'])
    expect(partial.leftOut.map(({ propertyPath }: Document) => propertyPath).toSorted()).toEqual([
      'categories[0]',
      'handle',
    ])
    expect(await shop.read(iri)).toMatchObject({ handle: 'other', vendor: null })
  })

  test('restores the fields of a metaobject in two languages', async () => {
    const type = '/api/metafield_definition_types/single_line_text_field'
    const { '@id': definition } = await shop.create('/api/metaobject_definitions', {
      type: 'story',
      fieldDefinitions: [
        { key: 'text', type, translatable: true },
        { key: 'year', type },
      ],
    })
    const { '@id': iri } = await shop.create('/api/metaobjects', {
      definition,
      fields: { text: 'One', year: '2026' },
    })
    await shop.update(iri, { fields: { text: 'Eins' } }, { locale: 'de-DE' })
    const { version } = await shop.read(iri)
    await shop.update(iri, { fields: { text: 'Falsch' } }, { locale: 'de-DE' })
    await shop.update(iri, { fields: { text: 'Wrong', year: '1' } })
    await reverted(iri, { to: version })
    const field = (document: Document, name: string) =>
      document.fields.find(({ key }: Document) => key === name)?.value
    const [english, german] = [await shop.read(iri), await shop.read(iri, { locale: 'de-DE' })]
    expect([field(english, 'text'), field(english, 'year'), field(german, 'text')]).toEqual([
      'One',
      '2026',
      'Eins',
    ])
  })

  test('rejects bad requests', async () => {
    const { '@id': iri } = await shop.create('/api/products', { title: 'Bad' })
    const other = await shop.create('/api/products', { title: 'Other' })
    const { id: event } = await lastEvent(other['@id'])
    const slugs = async (body: object) => {
      const { status, body: answer } = await revert(iri, body)
      return [status, answer.violations?.map(({ propertyPath, slug }: Document) => `${propertyPath} ${slug}`)]
    }
    expect(await slugs({})).toEqual([422, ['event validation.required']])
    expect(await slugs({ to: 1, event })).toEqual([422, ['to validation.unknown_property']])
    expect(await slugs({ to: 9 })).toEqual([422, ['to validation.too_big']])
    expect(await slugs({ event })).toEqual([422, ['event validation.unknown_reference']])
    expect((await slugs({ event: 'x' }))[0]).toBe(422)
    expect((await slugs({ to: 0 }))[0]).toBe(422)
    expect(await slugs({ to: 1 })).toEqual([200, undefined])
    await revert('/api/products/01a21df1-36fe-726e-94a2-081fd6b7eba6', { to: 1 }, { status: 404 })
    for (const scope of [
      'products:read events:read',
      'products:write events:read',
      'products:read products:write',
    ])
      await revert(iri, { to: 1 }, { token: await shop.token({ scope }), status: 403 })
    const writer = await shop.token({ scope: 'products:read products:write events:read' })
    await reverted(iri, { to: 1 }, { token: writer })
  })

  test('of changes older than 90 days is 410', async () => {
    const { '@id': iri, id } = await shop.create('/api/products', { title: 'Old' })
    await shop.update(iri, { title: 'Older' })
    await connected(databaseUrls().ownerUrl, (owner) =>
      owner.query(`update events set occurred_at = occurred_at - interval '91 days' where resource_id = $1`, [
        id,
      ]),
    )
    expect((await revert(iri, { to: 1 }, { status: 410 })).body.slug).toBe('revert.expired')
  })

  test('repeats its response for its key, and compares versions', async () => {
    const { '@id': iri } = await shop.create('/api/products', { title: 'A' })
    await shop.update(iri, { title: 'B' })
    const { id: event } = await lastEvent(iri)
    const key = { 'idempotency-key': 'undo-1' }
    const first = await reverted(iri, { event }, { headers: key })
    await shop.update(iri, { vendor: 'later' })
    expect(await reverted(iri, { event }, { headers: key })).toEqual(first)
    expect((await revert(iri, { to: 1 }, { headers: key, status: 422 })).body.slug).toBe(
      'idempotency.key_reused',
    )
    const { version } = await shop.read(iri)
    await revert(iri, { to: 1 }, { headers: { 'if-match': `"${version - 1}."` }, status: 412 })
    await reverted(iri, { to: 1 }, { headers: { 'if-match': `"${version}."` } })
    const created = await shop.create('/api/products', { title: 'C' })
    const creation = { event: (await lastEvent(created['@id'])).id }
    const deleted = await reverted(created['@id'], creation, { headers: { 'idempotency-key': 'undo-2' } })
    expect(await reverted(created['@id'], creation, { headers: { 'idempotency-key': 'undo-2' } })).toEqual(
      deleted,
    )
  })

  test('repeats itself if another write comes between', async () => {
    const { '@id': iri } = await shop.create('/api/products', { title: 'A' })
    await shop.update(iri, { title: 'B' })
    const { id: event } = await lastEvent(iri)
    const others = Array.from({ length: 4 }, (_, count) => shop.update(iri, { vendor: `V${count}` }))
    const answers = await Promise.all([revert(iri, { event }), ...others.map(async (other) => other)])
    expect([200, 409]).toContain(answers[0].status)
    if (answers[0].status === 409) expect(answers[0].body.slug).toBe('concurrency.busy')
    else expect((await shop.read(iri)).title).toBe('A')
  })

  test('as a dry run previews the change', async () => {
    const { '@id': iri } = await shop.create('/api/products', { title: 'A' })
    await shop.update(iri, { title: 'B' })
    const body = await reverted(iri, { to: 1 }, { headers: { 'service-dry-run': 'true' } })
    expect(body.dryRun.events).toMatchObject([{ changes: [{ path: 'title', before: 'B', after: 'A' }] }])
    expect((await shop.read(iri)).title).toBe('B')
  })
})
