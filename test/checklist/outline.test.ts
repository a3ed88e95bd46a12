/** Of what `properties[]` leaves out, lists read as little as they can; what it names reads as it does in the whole document. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../support/shop.ts'
import { rows } from './resources.ts'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

type Document = Readonly<Record<string, unknown>>

const identification = ['@context', '@id', '@type']
const only = (document: Document, ...names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => [...identification, ...names].includes(name)),
  )

const lists = [...rows.map(({ list }) => list), '{collection}/products']

let world: World
/** Gives things what their own rows do not hold: metaobjects, paths in the names of a version. */
beforeAll(async () => {
  world = await openWorld()
  const { shop, fill } = world
  const type = '/api/metafield_definition_types/metaobject_reference'
  const fields = fill({ care: { value: '{metaobject}', type } })
  for (const thing of ['{product}', '{variant}', '{category}']) await shop.update(fill(thing), { fields })
  const definition = await shop.create('/api/metaobject_definitions', {
    type: 'recipe',
    fieldDefinitions: [{ key: 'with', type }],
  })
  await shop.create(
    '/api/metaobjects',
    fill({
      definition: definition['@id'],
      fields: [{ key: 'with', value: '{metaobject}' }],
      status: 'ACTIVE',
    }),
  )
  await shop.update(fill('{product}'), { title: 'Chemise' }, { locale: 'fr-FR' })
  await shop.update(fill('{subscription}'), { topic: 'category/created' })
  const callbackUrl = 'http://127.0.0.1:9/old'
  const includeFields = ['title', 'childrens']
  const body = { topic: 'category/created', version: '2026-04', includeFields, callbackUrl }
  const old = await shop.create('/api/webhook_subscriptions', body, { version: '2026-04' })
  await shop.post(`${old['@id']}/replay`, { body: { afterSequence: 0 }, status: 202 })
}, 60_000)

describe.each(versions)('in $version', ({ version, children }) => {
  test.each(lists)('each member of %s alone reads as it does among all', async (list) => {
    const { shop, fill } = world
    const read = (query: string, locale: string): Promise<Reply> =>
      shop.get(`${fill(list)}?itemsPerPage=100&${query}`, { version, locale, status: 200 })
    const priced =
      'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-10-01T00:00:00Z'
    const asked = `expand=${children}.${children}&${priced}`
    for (const locale of version === 'unstable' ? ['en-US', 'fr-FR'] : ['en-US']) {
      const whole: Document[] = (await read(asked, locale)).body.member
      expect(whole.length).toBeGreaterThan(0)
      const names = [...new Set(whole.flatMap((each) => Object.keys(each)))]
      for (const name of names.filter((each) => !identification.includes(each))) {
        const reduced = await read(`${asked}&properties[]=${name}`, locale)
        const expected = whole.map((each) => only(each, name))
        expect(JSON.stringify(reduced.body.member), `${name} in ${locale}`).toBe(JSON.stringify(expected))
      }
    }
  })
})

test.each(lists)('missing members of %s, and all of them by *, can be requested as well', async (list) => {
  const { shop, fill } = world
  const read = async (query: string) => (await shop.read(`${fill(list)}?${query}`)).member
  const whole: Document[] = await read('')
  expect(await read('properties[]=*')).toEqual(whole)
  for (const name of ['%00', '%ED%A0%80', '__proto__', 'constructor', '"]}', '@id'])
    expect(await read(`properties[]=${name}`), name).toEqual(whole.map((each) => only(each)))
})
