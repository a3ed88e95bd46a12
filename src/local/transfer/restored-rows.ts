import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Json } from '../../core/json.ts'
import { type Locales, localeOf } from '../../core/locale.ts'
import type { Difference } from '../../core/patch.ts'
import type { RecordedChange, Writer } from '../../core/plan.ts'
import { stateOf } from '../../core/state.ts'
import { write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { translationsRow } from '../../db/columns.ts'
import { type Statement, statement } from '../../db/query.ts'
import { idColumn, uuidArray } from '../../db/sql.ts'
import { insert, run, type WriteStep } from '../../db/write-steps.ts'
import { campaignStatement } from '../../resources/campaigns/read.ts'
import { categoryStatement } from '../../resources/categories/read.ts'
import { collectionRow } from '../../resources/collections/document.ts'
import { collectionColumns, countOf } from '../../resources/collections/read.ts'
import { newRulesVersion, rebuildStep } from '../../resources/collections/rebuild.ts'
import { marketStatement } from '../../resources/markets/read.ts'
import { definitionStatement } from '../../resources/metaobjects/definitions/read.ts'
import { metaobjectEventDocument } from '../../resources/metaobjects/document.ts'
import { metaobjectsQueryFor } from '../../resources/metaobjects/read.ts'
import { offerEventDocument, offerRow } from '../../resources/offers/document.ts'
import { documentColumns, productCategoriesQuery } from '../../resources/offers/read.ts'
import { optionValueIri, productOptionIri } from '../../resources/product-options/schema.ts'
import { baseProductsQuery } from '../../resources/products/read.ts'
import { productEventDocument } from '../../resources/products/row.ts'
import { product } from '../../resources/products/schema.ts'
import { indexSteps } from '../../resources/products/search.ts'
import { synonymsStatement } from '../../resources/search-synonyms/operations.ts'
import { variantsStatement } from '../../resources/variants/row.ts'

/**
 * The events of restored rows: one `created` event per row, with the same document as any event of its kind.
 * Earlier states of a product are assembled from the events of its parts. Without these events, later ones would show
 * products without variants.
 */

/** The actor of the restored rows, and the locales of their tenant. */
export type Restorer = Writer & {
  readonly tenant: Locales
  /** Collections whose products must be matched again. */
  readonly rebuilding: readonly string[]
}

/** The kinds with events, by their table names. Each follows the kinds that it refers to. */
export const restoredKinds = [
  'metaobject_definitions',
  'metaobjects',
  'categories',
  'collections',
  'products',
  'product_options',
  'option_values',
  'variants',
  'campaigns',
  'sale_offers',
  'purchase_offers',
  'markets',
  'search_synonyms',
] as const
export type RestoredKind = (typeof restoredKinds)[number]

/** The parts of an event that differ between rows. */
type Event = Pick<RecordedChange, 'id' | 'topic' | 'document' | 'changes'> & { readonly ownerId?: string }

type EventPlan = {
  readonly changed: readonly Event[]
  readonly steps?: readonly WriteStep[]
  readonly totals?: Readonly<Record<string, number>>
}

type PlanEvents = (read: Session['read'], ids: readonly string[], restorer: Restorer) => Promise<EventPlan>

/** Plans the events for the rows of each kind. */
const eventPlans: Readonly<Record<RestoredKind, PlanEvents>> = {
  metaobject_definitions: async (read, ids) => {
    const { rows } = await read({ rows: definitionStatement(idsQuery(ids)) })
    return {
      changed: rows.map((row) => eventOf('metaobject_definition', row.id, JSON.stringify(row))),
      totals: { metaobject_definitions: rows.length },
    }
  },
  metaobjects: async (read, ids) => {
    const { metaobjects } = await read({ metaobjects: metaobjectsQueryFor(idsQuery(ids)) })
    const all = ids.flatMap((id) => metaobjects.parts(id)?.parts ?? [])
    return {
      changed: all.map((parts) => eventOf('metaobject', parts.id, metaobjectEventDocument(parts))),
      totals: {
        metaobjects: all.length,
        metaobjects_active: all.filter(({ status }) => status === 'ACTIVE').length,
      },
    }
  },
  categories: async (read, ids, { tenant }) => {
    const form = { locale: localeOf(tenant.locales, null), expand: 0, translations: true }
    const { rows } = await read({ rows: categoryStatement(idsQuery(ids), form) })
    return {
      changed: rows.map((row) => eventOf('category', row.id, JSON.stringify(row))),
      totals: { categories: rows.length },
    }
  },
  collections: async (read, ids, { rebuilding, ...restorer }) => {
    const { rows } = await read({
      rows: statement({ ...collectionRow, ruled: z.boolean() })`
        select ${collectionColumns(true)}, collections.rules is not null as ruled from collections
         where tenant_id = current_tenant() and id in (${idsQuery(ids)})`,
    })
    const rebuilt = rows.filter(({ id }) => rebuilding.includes(id))
    return {
      changed: rows.map(({ ruled, ...parts }) => eventOf('collection', parts.id, JSON.stringify(parts))),
      steps: [
        ...(rows.some(({ ruled }) => ruled) ? [newRulesVersion] : []),
        ...rebuilt.map(({ id }) => rebuildStep(restorer, id)),
      ],
      totals: { collections: rows.length },
    }
  },
  option_values: async (read, ids) => {
    const { rows } = await read({
      rows: statement({
        ...ownedRow,
        optionId: z.string(),
      })`select option_id as "optionId", ${ownedColumns} from option_values where ${hasIds(ids)}`,
    })
    return {
      changed: rows.map(({ productId, ...parts }) => ({
        ...eventOf('option_value', parts.id, JSON.stringify(parts), [
          difference('option', productOptionIri(parts.optionId)),
          difference('position', parts.position),
        ]),
        ownerId: productId,
      })),
      totals: { option_values: rows.length },
    }
  },
  product_options: async (read, ids) => {
    const { rows } = await read({
      rows: statement(sql`select ${ownedColumns} from product_options where ${hasIds(ids)}`, ownedRow),
    })
    return {
      changed: rows.map((parts) => ({
        ...eventOf('product_option', parts.id, JSON.stringify({ ...parts, values: [] }), [
          difference('position', parts.position),
        ]),
        ownerId: parts.productId,
      })),
    }
  },
  variants: async (read, ids) => {
    const { rows } = await read({
      rows: variantsStatement(hasIds(ids)),
    })
    return {
      changed: rows.map((parts) => ({
        ...eventOf('variant', parts.id, JSON.stringify(parts), [
          ...(parts.position === null ? [] : [difference('position', parts.position)]),
          difference('optionValues', parts.optionValueIds.map(optionValueIri)),
        ]),
        ownerId: parts.productId,
      })),
      steps: [offersCounted(ids)],
    }
  },
  products: async (read, ids, { tenant }) => {
    const { outlines } = await read({ outlines: baseProductsQuery(idsQuery(ids)) })
    const unarchived = outlines.filter(({ status }) => status !== 'ARCHIVED')
    const members = Map.groupBy(
      unarchived.flatMap(({ collections }) => collections.map(countOf)),
      (name) => name,
    )
    return {
      changed: outlines.map((outline) => eventOf('product', outline.id, productEventDocument(outline))),
      steps: indexSteps(
        outlines.map((outline) => ({ id: outline.id, state: stateOf(product, outline) })),
        tenant,
      ),
      totals: {
        products: unarchived.length,
        ...Object.fromEntries([...members].map(([name, { length }]) => [name, length])),
      },
    }
  },
  campaigns: plainRows('campaigns', 'campaign', campaignStatement),
  sale_offers: offersOf('sale_offers', 'sale_offer'),
  purchase_offers: offersOf('purchase_offers', 'purchase_offer'),
  markets: plainRows('markets', 'market', marketStatement),
  search_synonyms: plainRows('search_synonyms', 'search_synonyms', synonymsStatement),
}

/** The events of rows whose stored documents are those of their events. */
function plainRows(
  table: RestoredKind,
  subject: string,
  rowsOf: (ids: readonly string[]) => Statement<{ readonly id: string }>,
): PlanEvents {
  return async (read, ids) => {
    const { rows } = await read({ rows: rowsOf(ids) })
    return {
      changed: rows.map((row) => eventOf(subject, row.id, JSON.stringify(row))),
      totals: { [table]: rows.length },
    }
  }
}

function offersOf(table: 'sale_offers' | 'purchase_offers', subject: string): PlanEvents {
  return async (read, ids, { tenant }) => {
    const options = { locale: localeOf(tenant.locales, null), expand: 0, translations: true }
    const { rows, categoriesOf } = await read({
      rows: statement(offerRow)`select ${documentColumns} from ${sql.identifier(table)} where ${hasIds(ids)}`,
      categoriesOf: productCategoriesQuery(
        sql`select product_id from ${sql.identifier(table)} where ${hasIds(ids)}`,
        options,
      ),
    })
    return {
      changed: rows.map((row) =>
        eventOf(subject, row.id, offerEventDocument({ ...row, categories: categoriesOf(row.productId) })),
      ),
      totals: { [table]: rows.filter(({ status }) => status !== 'ARCHIVED').length },
    }
  }
}

/** The columns that option and value events store. */
const ownedRow = {
  ...{ id: z.string(), productId: z.string(), document: z.string(), title: z.string().nullable() },
  ...{ translations: translationsRow, position: z.number() },
}

const ownedColumns = sql`id, product_id as "productId", document, title, translations, position`

const hasIds = (ids: readonly string[]) => sql`tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
const idsQuery = (ids: readonly string[]) => sql`select unnest(${uuidArray(ids)})`

function eventOf(subject: string, id: string, document: string, changes: readonly Difference[] = []): Event {
  return { id, topic: `${subject}/created`, document, changes }
}

/** The history of a product is assembled from the positions in its events. */
function difference(path: string, after: Json): Difference {
  return { path, before: null, after }
}

function offersCounted(ids: readonly string[]): WriteStep {
  const count = (table: string) => sql`(select count(*) from ${sql.identifier(table)} o
    where o.tenant_id = v.tenant_id and o.variant_id = v.id and o.status <> 'ARCHIVED')`
  return run(sql`update variants v
    set sale_offer_count = ${count('sale_offers')}, purchase_offer_count = ${count('purchase_offers')}
    where ${hasIds(ids)}`)
}

/**
 * Restores rows of a catalogue with their ids.
 * The first steps write the rows. Then a write adds versions, times and events, as every write does. A row with version
 * 0 has no event yet, so an interrupted restore can resume.
 * Rules of the operations are not applied, for example to an offer of an archived variant. Database constraints are.
 */

/** A row and the rows of other tables that belong to it, by column, without the tenant column. */
export type Moved = {
  readonly id: string
  readonly row: Readonly<Record<string, Json>>
  readonly beside: Readonly<Record<string, readonly Readonly<Record<string, Json>>[]>>
}

/** Writes the missing rows of a kind (a table name). Returns their number. @throws DatabaseError */
export async function writeRows(db: Session, kind: string, rows: readonly Moved[]): Promise<number> {
  const { existing } = await db.read({ existing: existingRowsStatement(kind, rows) })
  const existingIds = new Set(existing.map((row) => row.id))
  const newRows = rows.filter(({ id }) => !existingIds.has(id))
  const tables = [...new Set(newRows.flatMap(({ beside }) => Object.keys(beside)))]
  const steps = [
    ...insert(
      kind,
      newRows.map(({ row }) => ({ ...row, version: 0 })),
    ),
    ...tables.flatMap((table) =>
      insert(
        table,
        newRows.flatMap(({ beside }) => beside[table] ?? []),
      ),
    ),
  ]
  if (newRows.length > 0) await db.apply({ beforeClock: steps })
  return newRows.length
}

function existingRowsStatement(kind: string, rows: readonly Moved[]): Statement<{ id: string }> {
  const ids = uuidArray(rows.map((row) => row.id))
  return statement(idColumn)`
    select id from ${sql.identifier(kind)} where tenant_id = current_tenant() and id = any(${ids})`
}

/** Parts of a product, in the order of their events. Their creation is in the commit of the product, unless they are too many. */
const productParts = ['product_options', 'option_values', 'variants'] as const

/** The number of rows of each kind that got their events, and the last id, which is null when no rows remain. */
type Stamped = { readonly counts: Readonly<Record<string, number>>; readonly last: string | null }

/**
 * Adds versions and creation events to rows without them, in the order of their ids after one. Their creation times stay. Products come with
 * their parts. `level` restricts categories, whose parents come first. @throws Problem like every write
 */
export async function stampRows(
  restorer: Restorer,
  kind: RestoredKind,
  { after, level }: { readonly after: string | null; readonly level?: number },
): Promise<Stamped> {
  const { result } = await write<Stamped>(restorer, 'restore', async (read) => {
    const { rows } = await read({ rows: unstampedRows(kind, after, level) })
    const ids = rows.map((row) => row.id)
    if (ids.length === 0) return { unchanged: { counts: {}, last: null } }
    const parts = kind === 'products' && rows.every(({ fits }) => fits) ? await partsOf(read, ids) : []
    const groups = [{ kind, ids }, ...parts.filter((part) => part.ids.length > 0)]
    const plans: EventPlan[] = []
    for (const group of groups) plans.push(await eventPlans[group.kind](read, group.ids, restorer))
    return {
      guard: groups.flatMap((group) => group.ids.map((id) => ({ kind: group.kind, id, version: 0 }))),
      beforeClock: plans.flatMap(({ steps = [] }) => steps),
      // Any action except `created` preserves the creation time.
      changed: plans.flatMap(({ changed }, index) =>
        changed.map((event) => ({
          ...event,
          kind: groups[index]!.kind,
          version: 1,
          action: 'updated' as const,
        })),
      ),
      totals: Object.assign({}, ...plans.map(({ totals = {} }) => totals)),
      result: {
        counts: Object.fromEntries(groups.map((group) => [group.kind, group.ids.length])),
        last: ids.at(-1) ?? null,
      },
    }
  })
  return result
}

async function partsOf(read: Session['read'], ids: readonly string[]) {
  const idsOf = (table: (typeof productParts)[number]) => statement(idColumn)`
    select id from ${sql.identifier(table)}
     where tenant_id = current_tenant() and product_id = any(${uuidArray(ids)}) and version = 0 order by product_id, id`
  const { options, values, variants } = await read({
    options: idsOf('product_options'),
    values: idsOf('option_values'),
    variants: idsOf('variants'),
  })
  return [options, values, variants].map((rows, index) => ({
    kind: productParts[index]!,
    ids: rows.map(({ id }) => id),
  }))
}

/** Maximum number of rows and bytes of one write. */
const maxRows = 200
const maxBytes = 2_000_000
/** The same for products with their parts: most of the largest ones fit. */
const maxPartRows = 3000

/** `fits` is false if the parts of a product are too many for the same write. */
function unstampedRows(
  kind: RestoredKind,
  after: string | null,
  level: number | undefined,
): Statement<{ id: string; fits: boolean }> {
  const weights = productParts.map(
    (table) =>
      sql`union all select count(*), coalesce(sum(octet_length(to_jsonb(o)::text)), 0) from ${sql.identifier(table)} o
           where o.tenant_id = t.tenant_id and o.product_id = t.id and o.version = 0`,
  )
  const ofLevel = level === undefined ? sql`` : sql`and t.level = ${level}`
  return statement({ id: z.string(), fits: z.boolean() })`
    select id, rows <= ${maxPartRows} and bytes <= ${maxBytes} as fits from (
      select id, row_number() over (order by id) as n, sum(rows) over (order by id) as rows, sum(bytes) over (order by id) as bytes from (
        select t.id, w.rows, w.bytes from ${sql.identifier(kind)} t
         cross join lateral (
           select sum(rows) as rows, sum(bytes) as bytes
             from (select 1, octet_length(to_jsonb(t)::text) ${kind === 'products' ? sql.join(weights, sql` `) : sql``}) as all_rows(rows, bytes)) w
         where t.tenant_id = current_tenant() and t.version = 0 and t.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
           ${ofLevel} order by t.id limit ${maxRows}) as first) as weighed
     where n = 1 or (rows <= ${kind === 'products' ? maxPartRows : maxRows} and bytes <= ${maxBytes}) order by id`
}

/**
 * Writes a missing webhook subscription. Returns true if it was missing.
 * The subscription is paused and has a new secret (ciphertext), which no client knows until it is rotated.
 */
export async function writeSubscription(
  restorer: Restorer,
  { id, row }: Moved,
  secret: string,
): Promise<boolean> {
  const { result } = await write<boolean>(restorer, 'restore', async (read) => {
    const { existing } = await read({
      existing: existingRowsStatement('webhook_subscriptions', [{ id, row, beside: {} }]),
    })
    if (existing.length > 0) return { unchanged: false }
    return {
      guard: [],
      beforeClock: insert('webhook_subscriptions', [{ ...row, version: 0, status: 'PAUSED', secret }]),
      changed: [
        {
          kind: 'webhook_subscriptions',
          id,
          version: 1,
          action: 'updated',
          topic: null,
          changes: [],
        },
      ],
      totals: { webhook_subscriptions: 1 },
      result: true,
    }
  })
  return result
}
