/**
 * The tables in the code equal those of the migrations: a column is added in both, or in neither. A column that Postgres
 * generates from others is in the migrations only: no code writes it.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { keyDays } from '../src/core/idempotency.ts'
import { byteLimits } from '../src/core/limits.ts'
import { localeOf } from '../src/core/locale.ts'
import { liveRows, uniqueNamesOf } from '../src/core/name-holders.ts'
import { retriedConstraints } from '../src/core/write.ts'
import { resources } from '../src/resources/index.ts'
import { saleOffers, termNames } from '../src/resources/offers/table.ts'
import { policyAt } from '../src/resources/prices/policies.ts'
import { maximumOptions, maximumValues } from '../src/resources/product-options/schema.ts'
import { embeddedVariantsInList, itemLimits } from '../src/resources/products/document.ts'
import { partsOptionsOf } from '../src/resources/products/read.ts'
import { maximumVariants } from '../src/resources/variants/schema.ts'
import { owner } from './support/ledger.ts'

const root = join(import.meta.dirname, '..')

type Columns = Readonly<Record<string, string>>

/** By table: each column's name, with its type and whether it is mandatory, as Postgres writes them. */
async function declaredTables(): Promise<Map<string, Columns>> {
  const modules = globSync('src/**/*.ts', { cwd: root, exclude: ['src/{admin,client,local,reference}/**'] })
    .filter((file) => /(table|subscriptions\/schema|db\/\w+)\.ts$/.test(file))
    .map((file): Promise<Record<string, unknown>> => import(join(root, file)))
  const tables = (await Promise.all(modules)).flatMap(Object.values).filter((each) => is(each, PgTable))
  const types = new Map<string, string>()
  return owner(async (client) => {
    const nameOf = async (type: string) => {
      if (!types.has(type)) {
        const { rows } = await client.query('select $1::regtype::text as name', [type])
        types.set(type, rows[0].name)
      }
      return types.get(type)!
    }
    const declared = new Map<string, Columns>()
    for (const table of tables) {
      const { name, columns } = getTableConfig(table as PgTable)
      const typesText: Record<string, string> = {}
      for (const column of columns)
        typesText[column.name] = shown(await nameOf(column.getSQLType()), column.notNull || column.primary)
      declared.set(name, typesText)
    }
    return declared
  })
}

async function migratedTables(): Promise<Map<string, Columns>> {
  const rows = await owner(async (client) => {
    const found = await client.query<{ table: string; column: string; type: string; mandatory: boolean }>(`
      select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type, a.attnotnull as mandatory
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attgenerated = '' order by 1, 2`)
    return found.rows
  })
  const tables = Map.groupBy(rows, (each) => each.table)
  return new Map(
    [...tables].map(([table, columns]) => [
      table,
      Object.fromEntries(columns.map((each) => [each.column, shown(each.type, each.mandatory)])),
    ]),
  )
}

const shown = (type: string, mandatory: boolean) => (mandatory ? `${type}, mandatory` : type)

test('every declared table has the columns that the migrations made, with their types, and no others', async () => {
  const [declared, migrated] = [await declaredTables(), await migratedTables()]
  expect(declared.size).toBeGreaterThan(10)
  const known = Object.fromEntries([...declared.keys()].map((table) => [table, migrated.get(table)]))
  expect(known).toEqual(Object.fromEntries(declared))
})

/** Columns that an update by a save function leaves: they never change, or other steps write them. */
const keptByUpdates = {
  all: [
    'tenant_id',
    'id',
    'created_at',
    'product_id',
    'product_archived',
    'option_id',
    'variant_id',
    'definition_id',
  ],
  products: ['archived_channels'],
  variants: ['sale_offer_count', 'purchase_offer_count'],
  categories: ['parent_id', 'position', 'level'],
  collections: ['type'],
  metaobject_definitions: ['type'],
}

type Insert = {
  readonly table: string
  readonly inserted: readonly string[]
  readonly updated: readonly string[]
}

/** The inserts of the functions that save and link rows, with the columns that they update if the row exists. */
async function savingInserts(): Promise<Insert[]> {
  const { rows } = await owner((client) =>
    client.query<{ source: string }>(`select prosrc as source from pg_proc
      where (proname like 'save\\_%' or proname = 'replace_links') and pronamespace = 'public'::regnamespace`),
  )
  const inserts = rows.flatMap(({ source }) => [
    ...source.matchAll(/insert into (\w+) (?:as t )?\(([^)]*)\)[^;]*/g),
  ])
  return inserts.map(([text, table = '', columns = '']) => ({
    table,
    inserted: columns.split(/,\s*/),
    updated: [...text.matchAll(/(\w+) = (?:next_version\(t\.version, )?excluded\.\1\b/g)].map(
      ([, name = '']) => name,
    ),
  }))
}

const tablesOfResources = (declared: ReadonlyMap<string, Columns>) =>
  [...declared].filter(([, columns]) => 'version' in columns && 'document' in columns).map(([table]) => table)

test('lock_rows() locks the rows of every resource', async () => {
  const { rows } = await owner((client) =>
    client.query<{ source: string }>(`select prosrc as source from pg_proc where proname = 'lock_rows'`),
  )
  const locked = [
    ...String(rows[0]?.source).matchAll(/when '(\w+)' then select version into stored from \1 /g),
  ]
  const names = new Set(locked.map(([, name]) => name))
  const tables = tablesOfResources(await declaredTables())
  expect(tables.length).toBeGreaterThan(9)
  expect(tables.filter((table) => !names.has(table))).toEqual([])
})

test('limits of the SQL functions are those of the Worker', async () => {
  const { rows } = await owner((client) =>
    client.query(`select listed_variants() as variants, listed_variant_bytes() as bytes, listed_children() as listed_children,
                         maximum_children() as children, embedded_bytes() as embedded, searched_events() as events,
                         extract(epoch from key_lifetime())::int / 86400 as days`),
  )
  const childrenOfProduct = maximumOptions * (1 + maximumValues) + maximumVariants
  expect(rows).toEqual([
    {
      variants: embeddedVariantsInList,
      bytes: byteLimits.variantsInList,
      listed_children: byteLimits.children.list,
      children: byteLimits.children.item,
      embedded: byteLimits.embedded,
      events: expect.toSatisfy((amount) => amount > childrenOfProduct),
      days: keyDays,
    },
  ])
})

test('each save function writes every column of its declared table', async () => {
  const inserts = await savingInserts()
  expect(inserts.length).toBeGreaterThan(13)
  const declared = await declaredTables()
  const saved = new Set(inserts.map(({ table }) => table))
  // Subscriptions are changed column by column, because deliveries write to their rows too.
  const unsaved = tablesOfResources(declared).filter(
    (table) => table !== 'webhook_subscriptions' && !saved.has(table),
  )
  expect(unsaved).toEqual([])
  for (const { table, inserted, updated } of inserts) {
    const columns = Object.keys(declared.get(table) ?? {}).toSorted()
    expect(inserted.toSorted(), table).toEqual(columns)
    if (updated.length === 0) continue
    const kept = [...keptByUpdates.all, ...(Reflect.get(keptByUpdates, table) ?? [])]
    expect(updated.toSorted(), table).toEqual(columns.filter((name) => !kept.includes(name)))
  }
})

test('SQL functions save, record and return each term of sale offers', async () => {
  const { rows } = await owner((client) =>
    client.query<{ name: string; source: string }>(`select proname as name, prosrc as source from pg_proc
      where proname in ('save_sale_offers', 'record_terms', 'offer_json')`),
  )
  const sourceOf = (name: string) => rows.find((row) => row.name === name)?.source ?? ''
  /** The value of each column that the function inserts. */
  const insertedBy = (name: string) => {
    const [, columns = '', values = ''] =
      /insert into \w+(?: as t)?\s*\(([^)]*)\)\s*select (.*?)\s+from /s.exec(sourceOf(name)) ?? []
    const valueList = values.split(/,\s*/)
    return Object.fromEntries(columns.split(/,\s*/).map((column, index) => [column, valueList[index]]))
  }
  const terms = termNames.map((name) => ({ name, column: saleOffers[name].name }))
  expect(terms.length).toBeGreaterThan(10)
  const valuesWith = (prefix: string) =>
    Object.fromEntries(terms.map(({ column }) => [column, prefix + column]))
  expect(insertedBy('save_sale_offers')).toMatchObject(valuesWith(''))
  expect(insertedBy('record_terms')).toMatchObject(valuesWith('o.'))
  const json = sourceOf('offer_json')
  const missing = terms.filter(
    ({ name, column }) => !(json.includes(`"${name}":`) && new RegExp(`terms\\.${column}\\b`).test(json)),
  )
  expect(missing).toEqual([])
})

test('the rows that reserve names are those of the unique indexes and of names_in_use()', async () => {
  const { indexes, source } = await owner(async (client) => ({
    indexes: await client.query<{ table: string; condition: string }>(`
      select i.indrelid::regclass::text as table, coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') as condition
        from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indisunique and c.relname ~ '_(handle|external_id|sku|type)$' and c.relname <> 'collections_type'`),
    source: await client.query<{ text: string }>(
      `select prosrc as text from pg_proc where proname = 'names_in_use'`,
    ),
  }))
  const branches = String(source.rows[0]?.text).split('union all')
  const inFunction = branches.map((branch) => {
    const [, table = '', condition = ''] =
      /from (\w+) \w\s+where \w\.tenant_id = tenant and (.*) and \S+ = any/.exec(branch) ?? []
    return { table, condition }
  })
  expect(inFunction).toHaveLength(6)
  expect(indexes.rows.length).toBeGreaterThan(12)
  const plain = (condition: string) =>
    condition
      .replaceAll(/[()]|::text|\b[pvo]\./g, '')
      .replaceAll(/\b(?:NOT|AND)\b/g, (word) => word.toLowerCase())
  for (const { table, condition } of [...indexes.rows, ...inFunction])
    expect(`${table}: ${plain(condition)}`).toBe(`${table}: ${liveRows[table] ?? 'true'}`)
})

/** The unique indexes whose last column is a name. */
async function uniqueNameIndexes(): Promise<{ index: string; table: string; column: string }[]> {
  const { rows } = await owner((client) =>
    client.query(`
      select c.relname as index, i.indrelid::regclass::text as table, a.attname as column
        from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[i.indnkeyatts - 1]
       where i.indisunique and (a.attname in ('handle', 'external_id', 'sku', 'type', 'title') or c.relname in ('markets_key', 'search_synonyms_locale')) order by 1`),
  )
  return rows
}

test('a write that loses a race for a name reads again or has a problem for the unique index', async () => {
  const indexes = await uniqueNameIndexes()
  expect(indexes.length).toBeGreaterThan(17)
  const sources = globSync('src/resources/**/write.ts', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const named = sources
    .flatMap((text) => [...text.matchAll(/constraintProblems: \{.*?\},\n/gs)].map(([block]) => block))
    .join('')
  const isNamed = (index: string, table: string) =>
    named.includes(` ${index}: `) || named.includes(`[\`\${kind.name}${index.slice(table.length)}\`]: `)
  expect(
    indexes.filter(({ index, table }) => !retriedConstraints.test(index) && !isNamed(index, table)),
  ).toEqual([])
})

test('each unique index on a name has the problem that declares its table and property', async () => {
  const indexes = await uniqueNameIndexes()
  const declared = [...uniqueNamesOf(resources).values()].map(
    ({ table, property }) => `${table}.${property === 'externalId' ? 'external_id' : property}`,
  )
  const names = indexes.filter(({ column }) => column !== 'title')
  expect(declared.toSorted()).toEqual(names.map(({ table, column }) => `${table}.${column}`).toSorted())
})

test('SQL functions read exactly the options of products that the Worker sends', () => {
  const files = ['52_product_parts.sql', '53_read_products.sql']
  const sqlText = files.map((file) => readFileSync(join(root, 'migrations/functions', file), 'utf8')).join()
  const names = new Set([...sqlText.matchAll(/options ->>? '(\w+)'/g)].map(([, name]) => name))
  // build_members() adds it.
  names.delete('bytesPerOffer')
  const priceRequest = {
    channel: 'web',
    country: 'FR',
    at: '',
    prior: {
      policy: policyAt('FR', '2026-01-01', { pricePolicies: {}, priorPriceDays: 30 }),
      isIncluded: true,
    },
  }
  const sent = partsOptionsOf({
    locale: localeOf(['en-US'], null),
    expand: 0,
    limits: itemLimits,
    priceRequest,
  })
  expect(Object.keys(sent).toSorted()).toEqual([...names].toSorted())
})
