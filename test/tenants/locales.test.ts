/** Locales that come and go while a tenant is served. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { consume, runtimeOf } from '../../src/background/queue.ts'
import { type Database, openDatabase, type Session } from '../../src/db/client.ts'
import { callbacksOf } from '../../src/env.ts'
import { catalogue } from '../../src/resources/catalogue.ts'
import { changeLocales, type LocaleChange } from '../../src/resources/locale-changes.ts'
import { connected, databaseUrls, useOwnDatabase } from '../support/database.ts'
import { executionContext } from '../support/later.ts'
import { eventsOf, faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

let drop: () => Promise<void>
let database: Database
beforeAll(async () => {
  drop = await useOwnDatabase()
  database = openDatabase({ url: databaseUrls().appUrl, fetchEndpoint: inject('bridgeEndpoint') })
})
afterAll(() => drop())

let shop: Shop
beforeEach(async () => {
  shop = await openShop({ locales: ['en-US', 'fr-FR'] })
})

/** A locale that an operator adds or removes; settled when every Worker has the new settings. */
async function change(action: 'index' | 'remove', locale: string, settled = true): Promise<void> {
  const { id } = shop.tenant
  await owner(async (client) => {
    await client.query(
      action === 'index'
        ? 'update tenants set locales = locales || $2::text, arriving = arriving || $2::text where id = $1'
        : 'update tenants set leaving = leaving || $2::text where id = $1',
      [id, locale],
    )
    await client.query(
      `insert into locale_changes (tenant_id, locale, action, settles_at) values ($1, $2, $3, now() + $4 * interval '1 minute')`,
      [id, locale, action, settled ? 0 : 2],
    )
  })
}

/** Brings the last pass near, which begins when every Worker knows of the change. */
const settle = () =>
  owner((client) =>
    client.query(
      'update locale_changes set settles_at = now(), pass_began_at = now(), due_at = now() where tenant_id = $1',
      [shop.tenant.id],
    ),
  )
const goOn = () => changeLocales(database.open(shop.tenant.id), callbacksOf(shop.bindings), () => true)
const settings = () =>
  owner(async (client) => {
    const { rows } = await client.query('select locales, arriving, leaving from tenants where id = $1', [
      shop.tenant.id,
    ])
    return rows[0]
  })
const changes = () =>
  owner(async (client) => {
    const { rows } = await client.query('select * from locale_changes where tenant_id = $1', [shop.tenant.id])
    return rows
  })

/** The same tenant as a Worker sees it that has just started. */
const reopened = (): Shop => ({ ...shop, ...freshly() })
function freshly() {
  const bindings = { ...shop.bindings }
  const fetch = async (request: Request) =>
    (await import('../support/app.ts')).createApp().fetch(request, bindings, executionContext)
  return { bindings, fetch }
}

async function found(q: string, locale: string, at: Shop = reopened()): Promise<string[]> {
  const headers = { authorization: `Bearer ${await shop.token()}`, 'service-locale': locale }
  const answer = await at.fetch(new Request(`http://${shop.host}/api/products?q=${q}`, { headers }))
  const body = await answer.json<{ member: { handle: string }[] }>()
  expect(answer.status, JSON.stringify(body)).toBe(200)
  return body.member.map(({ handle }) => handle).toSorted()
}

describe('a locale that is added later', () => {
  test('is searched by the words of the default locale at once, and by its own when all products are indexed', async () => {
    const { '@id': iri } = await shop.create('/api/products', { title: 'Running shoes', handle: 'p-1' })
    await change('index', 'de-DE')
    const later = reopened()
    expect(await found('shoe', 'de-DE', later)).toEqual(['p-1'])
    // Written in the new locale before its turn has come.
    const body = JSON.stringify({ title: 'Laufschuhe' })
    const headers = {
      authorization: `Bearer ${await shop.token()}`,
      'service-locale': 'de-DE',
      'content-type': 'application/merge-patch+json',
    }
    const written = await later.fetch(
      new Request(`http://${shop.host}${iri}`, { method: 'PATCH', headers, body }),
    )
    expect(written.status).toBe(200)
    expect(await found('shoe', 'de-DE', later)).toEqual(['p-1'])
    await goOn()
    expect(await found('laufschuh', 'de-DE')).toEqual(['p-1'])
    expect(await found('shoe', 'de-DE')).toEqual([])
    expect(await found('shoe', 'en-US')).toEqual(['p-1'])
    expect(await settings()).toEqual({ locales: ['en-US', 'fr-FR', 'de-DE'], arriving: [], leaving: [] })
    expect(await changes()).toEqual([])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('is indexed for what a Worker writes that does not know of it yet, by a second pass', async () => {
    await shop.create('/api/products', { title: 'Shirt', handle: 'shirt' })
    await change('index', 'de-DE', false)
    await goOn()
    expect((await settings())?.arriving).toEqual(['de-DE'])
    // Its settings are from before: this writes no row of the new locale.
    await shop.create('/api/products', { title: 'Trousers', handle: 'trousers' })
    await goOn()
    expect((await settings())?.arriving, 'it is not due yet').toEqual(['de-DE'])
    await settle()
    await goOn()
    expect(await settings()).toEqual({ locales: ['en-US', 'fr-FR', 'de-DE'], arriving: [], leaving: [] })
    expect(await found('trousers', 'de-DE')).toEqual(['trousers'])
    expect(await found('shirt', 'de-DE')).toEqual(['shirt'])
  })

  test('is indexed during eight writers, by two workers at once, and after one that died', async () => {
    for (const part of [0, 1, 2]) {
      const body = Array.from({ length: 50 }, (_, n) => ({
        title: `Mug ${part}-${n}`,
        handle: `mug-${part}-${n}`,
      }))
      await shop.create('/api/products', body)
    }
    await change('index', 'de-DE', false)
    const list = (await shop.read('/api/products?itemsPerPage=100')).member
    await Promise.all([
      goOn(),
      goOn(),
      ...Array.from({ length: 8 }, async (_, writer) => {
        for (let turn = 0; turn < 5; turn += 1) {
          const { '@id': iri } = list[(writer * 7 + turn * 13) % list.length]
          await shop.patch(iri, { body: { vendor: `Vendor ${writer} ${turn}` } })
        }
      }),
    ])
    // The writers did not have it: their rows are indexed again. The worker that died no longer holds the work.
    await settle()
    await goOn()
    expect(await changes()).toEqual([])
    const words = await owner((client) =>
      client.query(
        `select count(*)::int as amount, count(*) filter (where s.words = e.words)::int as same
           from product_search s join product_search e using (tenant_id, product_id)
          where tenant_id = $1 and s.locale = 'de-DE' and e.locale = 'en-US'`,
        [shop.tenant.id],
      ),
    )
    // All read in English.
    expect(words.rows).toEqual([{ amount: 150, same: 150 }])
  })
})

test('a failed change logs its tenant and never the message of the error', async () => {
  await change('index', 'de-DE')
  const unwritable: Database = {
    open: (tenantId) => ({
      ...database.open(tenantId),
      ...(tenantId !== null && { write: () => Promise.reject(new Error('the value of a parameter')) }),
    }),
  }
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  try {
    const message = {
      body: { tenant: shop.tenant.id, job: 'localeChange' },
      attempts: 1,
      ack() {},
      retry() {},
    }
    const runtime = { ...runtimeOf(shop.bindings), database: unwritable }
    await consume({ queue: 'catalogue-work', messages: [message] }, runtime)
    const lines = logged.mock.calls.flat().map(String)
    expect(lines.join()).not.toContain('the value of a parameter')
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ event: 'locale_change_failed', tenant: shop.tenant.id }),
    )
  } finally {
    logged.mockRestore()
  }
})

test('every table that has translations is one that a locale is taken from', async () => {
  const { rows } = await owner((client) =>
    client.query<{ name: string }>(
      `select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'translations'
          -- Each write refreshes these from the others.
          and table_name not in ('product_parts', 'category_parts') order by 1`,
    ),
  )
  const forgetting = catalogue.flatMap(({ kind, texts, forgetLocale }) =>
    kind && (forgetLocale ?? texts) ? [kind.name] : [],
  )
  expect(rows.map(({ name }) => name)).toEqual(forgetting.toSorted())
})

describe('a locale that is removed', () => {
  const french = { locale: 'fr-FR' }
  /** Every table and column of the database with localized texts. */
  const holding = (text: string) =>
    connected(databaseUrls().ownerUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(`
        select c.table_name as name from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
         where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'`)
      const having: string[] = []
      for (const { name } of rows) {
        const { rows: lines } = await client.query(
          `select 1 from ${name} t where tenant_id = $1 and to_jsonb(t)::text like '%' || $2 || '%' limit 1`,
          [shop.tenant.id, text],
        )
        if (lines.length > 0) having.push(name)
      }
      return having.toSorted()
    })

  async function fill() {
    const product = await shop.create('/api/products', {
      title: 'Shirt',
      description: 'Of cotton',
      handle: 'shirt',
      options: [{ title: 'Size', values: [{ title: 'Small' }, { title: 'Large' }] }],
    })
    const [option] = product.options
    await shop.patch(product['@id'], { body: { title: 'Chemise' }, ...french, status: 200 })
    await shop.patch(option['@id'], { body: { title: 'Taille' }, ...french, status: 200 })
    for (const value of option.values) {
      await shop.patch(value['@id'], { body: { title: `${value.title} F` }, ...french, status: 200 })
    }
    const archived = await shop.create('/api/products', {
      title: 'Old',
      handle: 'old',
      options: [{ title: 'Size', values: [{ title: 'S' }] }],
    })
    await shop.patch(archived['@id'], { body: { title: 'Vieux' }, ...french, status: 200 })
    await shop.patch(archived.options[0]['@id'], {
      body: { title: 'Vieille taille' },
      ...french,
      status: 200,
    })
    await shop.delete(archived['@id'], { status: 204 })
    const category = await shop.create('/api/categories', { title: 'Clothes' })
    await shop.patch(category['@id'], { body: { title: 'Vêtements' }, ...french, status: 200 })
    const collection = await shop.create('/api/collections', { title: 'New' })
    await shop.patch(collection['@id'], { body: { title: 'Nouveau' }, ...french, status: 200 })
    const definition = await shop.create('/api/metaobject_definitions', {
      type: 'maker',
      name: 'Maker',
      displayNameField: 'name',
      fieldDefinitions: [
        {
          key: 'name',
          name: 'Name',
          type: type('single_line_text_field'),
          required: true,
          translatable: true,
        },
      ],
    })
    const metaobject = await shop.create('/api/metaobjects', {
      definition: definition['@id'],
      handle: 'm',
      fields: [{ key: 'name', value: 'Maker' }],
    })
    await shop.patch(metaobject['@id'], {
      body: { fields: [{ key: 'name', value: 'Fabricant' }] },
      ...french,
      status: 200,
    })
    const subscription = await shop.create('/api/webhook_subscriptions', {
      topic: '*',
      callbackUrl: 'https://hooks.example.com/in',
      locale: 'fr-FR',
    })
    return { product, archived, category, collection, metaobject, subscription }
  }
  const type = (slug: string) => `/api/metafield_definition_types/${slug}`

  test('leaves no text of any resource, no words and no subscription in it, and records each change', async () => {
    const made = await fill()
    expect(await holding('fr-FR')).toEqual(expect.arrayContaining(['product_parts', 'category_parts']))
    const before = (await eventsOf(shop)).length
    await change('remove', 'fr-FR')
    await goOn()
    expect(await changes()).toEqual([])
    expect(await settings()).toEqual({ locales: ['en-US'], arriving: [], leaving: [] })
    // Only the history has the former texts, until its documents are deleted.
    expect(await holding('fr-FR')).toEqual(['events'])
    const topics = (await eventsOf(shop)).slice(before).map(({ topic }) => topic)
    expect(topics.toSorted()).toEqual([
      'category/updated',
      'collection/updated',
      'metaobject/updated',
      'option_value/updated',
      'option_value/updated',
      ...Array.from({ length: 5 }, () => 'product/updated'),
      'product_option/updated',
      'product_option/updated',
    ])
    expect(await faultsIn(shop)).toEqual([])
    const later = await shop.read(made.product['@id'])
    expect(later).toMatchObject({ title: 'Shirt', options: [{ title: 'Size' }] })
    expect(await shop.read(made.archived['@id'])).toMatchObject({
      title: 'Old',
      status: 'ARCHIVED',
    })
    expect(await shop.read(made.metaobject['@id'])).toMatchObject({
      displayName: 'Maker',
    })
    const list = await shop.read('/api/webhook_subscriptions')
    expect(list.member).toMatchObject([{ locale: null }])
  })

  test('leaves what readers of the default locale saw in it as their own', async () => {
    const body = { title: 'Chemise', description: 'En coton', handle: 'chemise' }
    const { '@id': iri } = (await shop.post('/api/products', { body, ...french, status: 201 })).body
    await shop.update(iri, { title: 'Shirt' })
    const before = await shop.read(iri)
    expect(before).toMatchObject({
      title: 'Shirt',
      description: 'En coton',
      fallbacks: { description: 'fr-FR' },
    })
    await change('remove', 'fr-FR')
    await goOn()
    const after = await shop.read(iri)
    expect(after).toMatchObject({ title: 'Shirt', description: 'En coton' })
    expect(after).not.toHaveProperty('fallbacks')
    expect((await shop.read(`${iri}/translations`)).translations).toEqual({
      'en-US': { title: 'Shirt', description: 'En coton' },
    })
    expect(await found('coton', 'en-US')).toEqual(['chemise'])
  })

  test.each([
    ['a name that no part has', 'deleted_part'],
    ['the name of another part', 'products'],
    ['no name', null],
  ])('leaves no text if the stored number of a part has %s', async (_, name) => {
    await fill()
    await change('remove', 'fr-FR')
    const moved = 'update locale_changes set part = 6, part_name = $2 where tenant_id = $1'
    await owner((client) => client.query(moved, [shop.tenant.id, name]))
    await goOn()
    expect(await changes()).toEqual([])
    expect(await holding('fr-FR')).toEqual(['events'])
  })

  test('continues with the stored part when a worker has time for one step', async () => {
    await fill()
    await change('remove', 'fr-FR')
    const parts: (string | null)[] = []
    while ((await changes()).length > 0) {
      const steps = parts.length
      const onStep = ({ partName }: LocaleChange) => parts.push(partName)
      const session = database.open(shop.tenant.id)
      await changeLocales(session, callbacksOf(shop.bindings), () => parts.length === steps, onStep)
    }
    expect(new Set(parts).size).toBeGreaterThan(7)
    // Each part with rows has two steps: the second finds none.
    expect(parts.filter((name, index) => parts.indexOf(name) < index - 1)).toEqual([])
  })

  test('is read and not written while it is on its way out', async () => {
    const { '@id': iri } = (
      await shop.post('/api/products', { body: { title: 'Chemise' }, ...french, status: 201 })
    ).body
    await change('remove', 'fr-FR')
    const authorization = `Bearer ${await shop.token()}`
    const at = reopened()
    const ask = (method: string, path: string, body: object | null) =>
      at.fetch(
        new Request(`http://${shop.host}${path}`, {
          method,
          headers: {
            authorization,
            'service-locale': 'fr-FR',
            'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
    expect(await (await ask('GET', iri, null)).json()).toMatchObject({ title: 'Chemise' })
    for (const [method, path, body] of [
      ['PATCH', iri, { title: 'Autre' }],
      ['PUT', `${iri}/translations`, { translations: { 'fr-FR': { title: 'Autre' } } }],
      ['POST', '/api/products', { title: 'Autre' }],
    ] as const) {
      const answer = await ask(method, path, body)
      const problem = await answer.json<{ violations: { slug: string }[] }>()
      expect(answer.status, JSON.stringify(problem)).toBe(422)
      expect(problem.violations[0]?.slug).toBe('locale.not_declared')
    }
  })
})

test('a change that always fails stops no other one', async () => {
  await change('index', 'de-DE')
  await change('index', 'ja-JP')
  const session = database.open(shop.tenant.id)
  const failing: Session = {
    ...session,
    async write(queries) {
      if ('advanced' in queries && JSON.stringify(queries).includes('de-DE')) throw new TypeError('de-DE')
      return await session.write(queries)
    },
  }
  const changing = changeLocales(failing, callbacksOf(shop.bindings), () => true)
  await expect(changing).rejects.toThrow('de-DE')
  const remaining = await changes()
  expect(remaining.map(({ locale }) => locale)).not.toContain('ja-JP')
})
