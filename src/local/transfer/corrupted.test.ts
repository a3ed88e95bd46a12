/** Damaged files: each is rejected with its line and nothing written, or restored exactly. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wholeCatalogue } from '../../../test/catalogue/whole-catalogue.ts'
import { chanceOf } from '../../../test/faults/chance.ts'
import { connected, databaseUrls } from '../../../test/support/database.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { localSecretKeys } from '../../env.ts'
import { Failure } from '../cli/command.ts'
import { noProgress } from '../cli/output.ts'
import { exportCatalogue } from './export.ts'
import { sealOf } from './file.ts'
import { readExport, restoreCatalogue } from './restore.ts'
import { type Columns, columnsOf, enterTenant, movedKinds } from './tables.ts'

const locales = ['en-US', 'fr-FR', 'de-DE'] as const
const directory = mkdtempSync(join(tmpdir(), 'corrupted-'))
const original = join(directory, 'shop.ndjson')
const damaged = join(directory, 'damaged.ndjson')
let content: Buffer
let columns: Columns

beforeAll(async () => {
  const { shop } = await wholeCatalogue()
  const body = { title: 'Old', handle: 'old', tags: ['Old'], channels: ['web'], variants: [{ sku: 'OLD' }] }
  const old = await shop.create('/api/products', body)
  await shop.delete(old['@id'], { status: 204 })
  await shop.create('/api/webhook_subscriptions', { topic: 'product/*' })
  await exportOf(shop, original)
  content = readFileSync(original)
  columns = await connected(databaseUrls().ownerUrl, columnsOf)
}, 60_000)

afterAll(() => rmSync(directory, { recursive: true }))

type Entered = Awaited<ReturnType<typeof enterTenant>>

const entered = <Result>(
  { host }: Shop,
  ask: (client: pg.Client, tenant: Entered) => Promise<Result>,
): Promise<Result> =>
  connected(databaseUrls().ownerUrl, async (client) => ask(client, await enterTenant(client, host)))

const exportOf = (shop: Shop, path: string) =>
  entered(shop, (client, tenant) => exportCatalogue(client, tenant, path, { progress: noProgress }))

const restoreInto = (shop: Shop, path: string, isEdited: boolean) =>
  entered(shop, (client, tenant) =>
    restoreCatalogue(
      { client, tenant, secretKeys: localSecretKeys, progress: noProgress, isEdited },
      path,
    ).catch((error: unknown) => {
      if (error instanceof Failure) return error.message
      throw error
    }),
  )

/** Everything that a restore could leave behind. */
async function leftovers(shop: Shop): Promise<unknown> {
  const tables = movedKinds.flatMap(({ name, beside }) => [name, ...Object.keys(beside)])
  const counted = [
    ...tables,
    'events',
    'tenant_totals',
    'product_search',
    'product_parts',
    'category_parts',
    'sale_offer_terms',
  ]
  return entered(shop, async (client, { id }) => {
    const counts = counted.map((table) => `(select count(*)::int from ${table} where tenant_id = $1)`)
    const { rows } = await client.query(
      `select ${counts.join(' + ')} + (select sequence::int from tenant_clock where tenant_id = $1) as count`,
      [id],
    )
    return rows[0]?.count
  })
}

type Parsed = {
  kind: string
  id: string
  row: Record<string, unknown>
  beside?: Record<string, Record<string, unknown>[]>
  [name: string]: unknown
}

const linesIn = (text: string): Parsed[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The file with the first row of a kind changed, and its number of the line. */
function changed(kind: string, change: (line: Parsed) => void): number {
  const lines = linesIn(content.toString())
  const at = lines.findIndex((line) => line.kind === kind)
  change(lines[at] as Parsed)
  writeFileSync(damaged, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  return at + 1
}

const inDocument = (change: (document: Record<string, unknown>) => void) => (line: Parsed) => {
  const document = JSON.parse(String(line.row.document))
  change(document)
  line.row.document = JSON.stringify(document)
}

const inRow = (values: Record<string, unknown>) => (line: Parsed) => {
  Object.assign(line.row, values)
}

const inCategory = (id: string) => (line: Parsed) => {
  const [row] = line.beside?.product_categories ?? []
  Object.assign(row ?? {}, { category_id: id })
}

const faultsOf = (path: string, isEdited = true): string => {
  try {
    readExport(path, columns, { isEdited })
    return ''
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

const stranger = '01a20d64-6d42-7e54-adf4-6afeeb6c972f'

const withoutValidations = {
  ...{ key: 'name', name: null, type: '/api/metafield_definition_types/single_line_text_field' },
  ...{ required: false, translatable: false },
}

describe('a changed row', () => {
  const rejected: readonly [kind: string, change: (line: Parsed) => void, fault: string][] = [
    ['sale_offers', inRow({ document: '{"amount": ' }), 'sale_offers.document is not JSON'],
    ['sale_offers', inRow({ document: '[]' }), 'sale_offers.document is no JSON object'],
    ['sale_offers', inRow({ document: null }), 'sale_offers.document is null'],
    ['sale_offers', inRow({ amount: 10 }), 'sale_offers.amount is not of type numeric'],
    ['sale_offers', inRow({ amount: '11.00' }), 'sale_offers.amount differs from the document'],
    ['sale_offers', inRow({ variant_id: stranger }), `sale_offers.variant_id names ${stranger}`],
    ['sale_offers', inRow({ more: 1 }), 'sale_offers.more is no column'],
    [
      'sale_offers',
      inRow({ valid_from: '2026-13-01T00:00:00+00:00' }),
      'valid_from is not of type timestamp',
    ],
    ['sale_offers', inDocument((document) => delete document.currency), 'document.currency is missing'],
    [
      'products',
      inDocument((document) => Object.assign(document, { tags: 'soft' })),
      'document.tags is not valid',
    ],
    [
      'products',
      inDocument((document) => Object.assign(document, { more: 1 })),
      'document.more is no property',
    ],
    [
      'products',
      inDocument((document) => Object.assign(document, { id: stranger })),
      'products.document.id is not',
    ],
    [
      'products',
      inDocument((document) => Object.assign(document, { vendor: 'X' })),
      'products.vendor differs',
    ],
    [
      'products',
      inDocument((document) => Object.assign(document, { fields: [{ key: 'size', value: 'L' }] })),
      'products.document.fields.0.type is not valid',
    ],
    [
      'variants',
      inDocument((document) => Object.assign(document, { measure: { value: 0, unit: 'g' } })),
      'variants.document.measure.value is not valid',
    ],
    ['products', inRow({ status: 'GONE' }), 'products.status differs from the document'],
    ['products', inRow({ title: null }), 'products.title is null'],
    ['products', inRow({ translations: { 'en-US': { title: 'Else' } } }), 'title differs from the document'],
    ['products', inRow({ translations: { 'en-US': { vendor: 'X' } } }), 'vendor is no translatable property'],
    ['products', (line) => Object.assign(line, { id: stranger }), "products.id differs from the line's id"],
    ['products', (line) => Object.assign(line, { beside: {} }), 'products lacks its rows of product_tags'],
    ['products', inCategory(stranger), `product_categories.category_id names ${stranger}`],
    ['products', inCategory('01a20e7b-c8cb-7d9e-8b;8-0f18'), 'category_id is not of type uuid'],
    ['variants', inRow({ position: 0.5 }), 'variants.position is not of type integer'],
    ['variants', inRow({ option_value_ids: [stranger] }), 'variants.combination differs'],
    ['variants', inRow({ product_archived: true }), 'variants.product_archived differs from the status'],
    ['categories', inRow({ level: 4 }), 'categories.level is not one more than that of the parent'],
    [
      'metaobject_definitions',
      inDocument((document) => Object.assign(document, { fieldDefinitions: [withoutValidations] })),
      'document.fieldDefinitions.0.validations is not valid',
    ],
    ['metaobjects', inRow({ definition_id: stranger }), 'metaobjects.definition_id'],
    ['metaobjects', inRow({ fields: { name: null } }), 'metaobjects.fields.name is not valid'],
    ['metaobjects', inRow({ fields: [] }), 'metaobjects.fields is not valid'],
    ['option_values', inRow({ external_id: 'a\u0000b' }), 'is not JSON that Postgres can store'],
    ['end', (line) => Object.assign(line, { counts: {} }), 'counts 0 rows of products, and the file has 3'],
    ['end', (line) => Object.assign(line, { rebuilding: [stranger] }), 'which is no collection'],
  ]

  test.each(rejected)('of %s is rejected with its line (%#)', (kind, change, fault) => {
    const number = changed(kind, change)
    const faults = faultsOf(damaged)
    expect(faults).toContain(`damaged.ndjson:${number}: `)
    expect(faults).toContain(fault)
  })

  test('is accepted without a property that has a default, as a row from before the property has none', () => {
    changed(
      'products',
      inDocument((document) => delete document.productType),
    )
    expect(faultsOf(damaged)).toBe('')
  })

  test('is rejected if another row has the same handle', () => {
    const lines = linesIn(content.toString())
    const products = lines.filter(({ kind, row }) => kind === 'products' && row.status !== 'ARCHIVED')
    for (const line of products) {
      line.row.handle = 'same'
      inDocument((document) => Object.assign(document, { handle: 'same' }))(line)
    }
    writeFileSync(damaged, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    expect(faultsOf(damaged)).toMatch(/products\.handle is the same as in line \d+/)
  })

  test('lists twenty faults, and counts the others', () => {
    const lines = content.toString().trimEnd().split('\n')
    writeFileSync(damaged, `${lines.map((line, at) => (at === 0 ? line : '{')).join('\n')}\n`)
    const faults = faultsOf(damaged).split('\n')
    expect(faults).toHaveLength(22)
    expect(faults.at(-2)).toBe(`${lines.length - 20} more faults are not listed.`)
    expect(faults.at(-1)).toBe('Nothing was restored.')
  })

  test('that only the database rejects is named with its line, and leaves the tenant empty', async () => {
    const shop = await openShop({ locales })
    const number = changed('sale_offers', (line) => {
      line.row.compare_at_amount = '1.00'
      inDocument((document) => Object.assign(document, { compareAtAmount: '1.00' }))(line)
    })
    expect(faultsOf(damaged)).toBe('')
    expect(await restoreInto(shop, damaged, true)).toContain(
      `damaged.ndjson:${number}: sale_offers does not fit the database or a row there (sale_offers_compare_at)`,
    )
    expect(await leftovers(shop)).toBe(0)
  })

  test('of an edited file is restored, but only with --edited', async () => {
    const shop = await openShop({ locales })
    changed('products', (line) => {
      line.row.vendor = 'Edited'
      inDocument((document) => Object.assign(document, { vendor: 'Edited' }))(line)
    })
    expect(await restoreInto(shop, damaged, false)).toContain('the digest differs from the content')
    expect(await leftovers(shop)).toBe(0)
    expect(await restoreInto(shop, damaged, true)).toMatchObject({ equal: true })
    const body = await shop.read('/api/products?vendor=Edited')
    expect(body.totalItems).toBe(1)
  })
})

test('a file that is cut at any byte is rejected', () => {
  const size = content.length
  const offsets = new Set(
    [...content.keys()].filter((at) => content[at] === 10).flatMap((at) => [at, at + 1]),
  )
  const random = chanceOf(7).next
  for (let at = size - 120; at < size; at += 1) offsets.add(at)
  while (offsets.size < 240) offsets.add(Math.floor(random() * size))
  offsets.delete(size)
  for (const offset of offsets) {
    writeFileSync(damaged, content.subarray(0, offset))
    expect(faultsOf(damaged), `cut at byte ${offset} of ${size}`).not.toBe('')
  }
})

/** `CORRUPTIONS=1000` tries more. */
const amount = Number(process.env.CORRUPTIONS ?? 100)

describe(`${amount} corruptions`, () => {
  test('are found by the digest, unless they change nothing', () => {
    for (let seed = 0; seed < amount; seed += 1) {
      const bytes = corrupted(seed)
      writeFileSync(damaged, bytes)
      expect(sealOf(damaged) === 'matches', `seed ${seed}`).toBe(bytes.equals(content))
    }
  })

  test('are rejected without a digest as well, or restored exactly', { timeout: 120_000 }, async () => {
    const accepted: number[] = []
    for (let seed = 0; seed < amount; seed += 1) {
      writeFileSync(damaged, corrupted(seed))
      if (faultsOf(damaged) === '') accepted.push(seed)
    }
    // Some change nothing, some only what may be anything.
    expect(accepted.length).toBeGreaterThan(amount / 100)
    expect(accepted.length).toBeLessThan(amount * 0.35)
    const step = Math.ceil(accepted.length / 5)
    for (const seed of accepted.filter((_, nth) => nth % step === 0)) {
      writeFileSync(damaged, corrupted(seed))
      const shop = await openShop({ locales })
      const outcome = await restoreInto(shop, damaged, true)
      if (typeof outcome === 'string') expect(`${seed}: ${await leftovers(shop)}`).toBe(`${seed}: 0`)
      else await demandRestored(shop, seed)
    }
  })

  /** The tenant has exactly the rows of the file, and every list can be read. */
  async function demandRestored(shop: Shop, seed: number): Promise<void> {
    const again = join(directory, `again-${seed}.ndjson`)
    await exportOf(shop, again)
    expect(rowsIn(readFileSync(again)), `seed ${seed}`).toEqual(rowsIn(readFileSync(damaged)))
    for (const list of [
      'products',
      'categories',
      'collections',
      'sale_offers',
      'purchase_offers',
      'metaobjects',
    ]) {
      const body = await shop.read(`/api/${list}?itemsPerPage=100`)
      expect(body.totalItems, `${list} of seed ${seed}`).toBe(body.member.length)
    }
  }
})

/** The last line of each row, without its stamps. */
function rowsIn(bytes: Buffer): Map<string, unknown> {
  const rows = new Map<string, unknown>()
  for (const line of linesIn(bytes.toString())) {
    if (!('row' in line)) continue
    const { version: _, updated_at: __, ...row } = line.row
    const beside = Object.entries(line.beside ?? {}).map(([table, all]) => [table, new Set(all.map(sorted))])
    rows.set(`${line.kind} ${line.id}`, { row, beside: Object.fromEntries(beside) })
  }
  return rows
}

const sorted = (row: object) => JSON.stringify(Object.entries(row).toSorted())

test('a restore that is killed leaves the tenant empty, and succeeds when it is run again', {
  timeout: 120_000,
}, async () => {
  const source = await openShop({ locales })
  const titles = Array.from({ length: 50 }, (_, index) => ({
    title: `Many ${index}`,
    variants: [{ sku: `M-${index}`, saleOffers: [{ currency: 'EUR', amount: '1.00' }] }],
  }))
  for (let round = 0; round < 6; round += 1) {
    const body = titles.map(({ title, variants: [variant] }) => ({
      title: `${title} of ${round}`,
      variants: [{ ...variant, sku: `${variant?.sku}-${round}` }],
    }))
    await source.create('/api/products', body)
  }
  const path = join(directory, 'large.ndjson')
  await exportOf(source, path)
  const shop = await openShop({ locales })
  const run = (): ReturnType<typeof spawn> => {
    const script = fileURLToPath(import.meta.resolve('./restore.ts'))
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrls().ownerUrl,
      WEBHOOK_SECRET_KEY: localSecretKeys[0],
    }
    return spawn(process.execPath, [script, path, '--tenant', shop.host], { env })
  }
  for (const moment of ['products ', 'sale_offers ', 'sale_offers (events)']) {
    const process = run()
    let shown = ''
    process.stderr?.on('data', (text) => {
      shown += text
      if (shown.includes(moment)) process.kill('SIGKILL')
    })
    const [, signal] = await once(process, 'exit')
    expect(`${moment}: ${signal}`).toBe(`${moment}: SIGKILL`)
    expect(await leftovers(shop)).toBe(0)
  }
  const [code] = await once(run(), 'exit')
  expect(code).toBe(0)
  const body = await shop.read('/api/products?itemsPerPage=1')
  expect(body.totalItems).toBe(300)
})

/** The file with one corruption, the same for a seed. */
function corrupted(seed: number): Buffer {
  const random = chanceOf(seed * 7919 + 1).next
  const upTo = (end: number) => Math.floor(random() * end)
  const lines = content.toString().trimEnd().split('\n')
  const at = upTo(lines.length)
  const other = upTo(lines.length)
  const text = () => Buffer.from(`${lines.join('\n')}\n`)
  const bytes = Buffer.from(content)
  switch (seed % 10) {
    case 0:
      bytes[upTo(bytes.length)] = upTo(256)
      return bytes
    case 1: {
      const place = upTo(bytes.length)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << upTo(7))
      return bytes
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, upTo(bytes.length)), bytes.subarray(upTo(bytes.length))])
    case 3: {
      const place = upTo(bytes.length)
      const invalid = Buffer.from([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]][upTo(4)] ?? [0xff])
      return Buffer.concat([bytes.subarray(0, place), invalid, bytes.subarray(place)])
    }
    case 4:
      lines.splice(at, 1)
      return text()
    case 5:
      lines.splice(other, 0, lines[at] ?? '')
      return text()
    case 6:
      ;[lines[at], lines[other]] = [lines[other] ?? '', lines[at] ?? '']
      return text()
    default: {
      const line = JSON.parse(lines[at] ?? '')
      const document = line.row?.document
      if (typeof document === 'string' && random() < 0.5) {
        const inner = JSON.parse(document)
        mutate(inner, random)
        line.row.document = JSON.stringify(inner)
      } else mutate(line, random)
      lines[at] = JSON.stringify(line)
      return text()
    }
  }
}

type Place = { readonly holder: Record<string, unknown>; readonly name: string }

/** Changes one member somewhere in an object: drops it, alters it, changes its type, nests it, or moves it. */
function mutate(object: Record<string, unknown>, random: () => number): void {
  const places: Place[] = []
  const gather = (holder: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(holder)) {
      places.push({ holder, name })
      if (typeof value === 'object' && value !== null) gather(value as Record<string, unknown>)
    }
  }
  gather(object)
  const { holder, name } = places[Math.floor(random() * places.length)] ?? { holder: object, name: '' }
  const value = holder[name]
  const others = [null, 0, 1.5, -1, true, '', 'text', [], {}, [value], { value }, String(value), `${value}x`]
  const choice = random()
  if (choice < 0.25) Reflect.deleteProperty(holder, name)
  else if (choice < 0.35) {
    holder[`${name}x`] = value
    Reflect.deleteProperty(holder, name)
  } else if (choice < 0.5 && typeof value === 'string' && value.length > 0) {
    const at = Math.floor(random() * value.length)
    holder[name] =
      `${value.slice(0, at)}${String.fromCharCode(97 + Math.floor(random() * 26))}${value.slice(at + 1)}`
  } else holder[name] = others[Math.floor(random() * others.length)]
}
