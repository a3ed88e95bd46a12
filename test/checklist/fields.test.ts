/** Each resource of the interface, property by property and filter by filter, in every version. */
import { beforeAll, describe, expect, test } from 'vitest'
import { faultsOf } from './kinds.ts'
import { fieldEntry, type Row, rows } from './resources.ts'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

type Document = Readonly<Record<string, unknown>>

/** A row as a version names its properties. */
const inVersion = <Value>(properties: Readonly<Record<string, Value>>, children: string) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name === 'children' ? children : name, value]),
  )

describe.each(versions)('in $version', ({ version, children }) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  const named = rows.map((row) => [row.type, row] as const)

  test.each(named)('%s is read with every property, each of its kind', async (type, row) => {
    const { shop, iri, fill } = world
    const kinds = inVersion(row.reads, children)
    const list = await shop.read(fill(row.list), { version })
    expect(list.member.length).toBeGreaterThan(0)
    for (const member of list.member) expect(faultsOf({ ...kinds, '@type': type }, member)).toEqual([])
    const item = await shop.read(iri(row.item), { version: row.itemIn ?? version })
    const context = type === 'Metaobject' ? 'object' : 'string'
    expect(faultsOf({ ...kinds, '@context': context, '@type': type }, item)).toEqual([])
    expect(item['@id']).toBe(iri(row.item))
    for (const hidden of row.hides ?? [])
      for (const each of [...list.member, item]) expect(each).not.toHaveProperty(hidden)
    for (const entry of item.fields ?? []) expect(faultsOf(fieldEntry, entry)).toEqual([])
  })

  const written = named.filter(([, row]) => row.writes)
  test.each(written)('%s stores each written property', async (_, row) => {
    const { shop, fill } = world
    const writes = inVersion(row.writes ?? {}, children)
    const sent = valuesOf(writes, 'create', fill)
    const made = await shop.post(fill(row.create ?? row.list), { body: sent, version, status: 201 })
    expect(made.headers.get('service-ignored-properties')).toBeNull()
    const isReadable = row.itemIn === undefined || row.itemIn === version
    expect(made.headers.get('location')).toBe(isReadable ? made.body['@id'] : null)
    expect(shown(made.body, writes, sent)).toEqual(plain(writes, sent))
    const path = made.body['@id']
    const read = async () => await shop.read(path, { version: row.itemIn ?? version })
    expect(shown(await read(), writes, sent)).toEqual(plain(writes, sent))

    const changed = valuesOf(writes, 'patch', fill)
    const patched = await shop.patch(path, { body: changed, version, status: 200 })
    expect(patched.headers.get('service-ignored-properties')).toBeNull()
    expect(shown(patched.body, writes, changed)).toEqual(plain(writes, changed))
    expect(shown(await read(), writes, changed)).toEqual(plain(writes, changed))
    for (const name of Object.keys(writes).filter((each) => writes[each]?.richer && each in changed))
      expect(patched.body[name], name).not.toEqual(made.body[name])

    for (const [name, write] of Object.entries(writes)) {
      if (write.required && 'patch' in write) {
        const refused = await shop.patch(path, { body: { [name]: null }, version, status: 422 })
        expect(refused.body.violations[0].propertyPath).toBe(name)
      }
      if (!('cleared' in write)) continue
      const cleared = await shop.update(path, { [name]: null }, { version })
      expect(cleared[name], name).toEqual(write.cleared)
    }
  })

  const filtered = named.flatMap(([type, row]) =>
    row.filters.map((filter) => [`${type} by ${filter[0]}`, row, ...filter] as const),
  )
  test.each(filtered)('%s finds what matches alone', async (_, row, name, finds, misses) => {
    const { shop, fill, iri } = world
    const found = async (value: string) => {
      const query = `${name}=${encodeURIComponent(fill(value))}`
      const reply = await shop.get(`${fill(row.list)}?${query}`, { version, status: 200 })
      expect(reply.headers.get('service-ignored-parameters')).toBeNull()
      return reply.body.member.map((each: { '@id': string }) => each['@id'])
    }
    const [hits, others] = await Promise.all([found(finds), found(misses)])
    expect(hits).toContain(iri(row.item))
    expect(others).not.toContain(iri(row.item))
  })
})

type Writes = NonNullable<Row['writes']>

function valuesOf(writes: Writes, step: 'create' | 'patch', fill: World['fill']): Document {
  return Object.fromEntries(
    Object.entries(writes).flatMap(([name, write]) => (step in write ? [[name, fill(write[step])]] : [])),
  )
}

/** The sent members that the response must contain unchanged. */
function plain(writes: Writes, sent: Document): Document {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !writes[name]?.richer))
}

function shown(document: Document, writes: Writes, sent: Document): Document {
  return Object.fromEntries(Object.keys(plain(writes, sent)).map((name) => [name, document[name]]))
}
