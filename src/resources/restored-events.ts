/**
 * The events of restored rows: one each, `created`, with the document that every event of the kind keeps. What a product embedded at
 * any moment is put together from the events of what it owns, and without them later events would show products without variants.
 */
import { sql } from 'drizzle-orm'
import type { Json } from '../core/json.ts'
import { type Locales, localeOf } from '../core/locale.ts'
import type { Difference } from '../core/patch.ts'
import type { Changed } from '../core/plan.ts'
import { stateOf } from '../core/state.ts'
import type { Writer } from '../core/write.ts'
import { type Session, type Statement, statement } from '../db/client.ts'
import { uuids } from '../db/rows.ts'
import { categoryStatement } from './categories/store.ts'
import { definitionStatement } from './content/definitions/store.ts'
import { metaobjectEventDocument } from './content/metaobjects/document.ts'
import { metaobjectsReading } from './content/metaobjects/store.ts'
import { productCategoriesReading, shownColumns } from './offers/store.ts'
import { type OfferRowParts, offerEventDocument } from './prices/offers/index.ts'
import type { CollectionParts } from './products/collections/document.ts'
import { rebuildStatement } from './products/collections/rebuilds.ts'
import { collectionColumns, countOf } from './products/collections/store.ts'
import { productOptionIri } from './products/options/iri.ts'
import { product } from './products/schema.ts'
import { indexStatements } from './products/search.ts'
import { outlinesReading, variantColumns } from './products/store.ts'
import { productEventDocument } from './products/touch.ts'
import { optionValueIri } from './products/values/iri.ts'
import type { VariantParts } from './products/variants/index.ts'

/** In whose name rows are restored, and in which languages their tenant speaks. */
export type Restorer = Writer & {
  readonly tenant: Locales
  /** Collections whose products are to be sorted anew. */
  readonly rebuilding: readonly string[]
}

/** The kinds whose rows have events, by the names of their tables, each after those that its events tell of. */
export const restoredKinds = [
  'metaobject_definitions',
  'metaobjects',
  'categories',
  'collections',
  'option_values',
  'product_options',
  'variants',
  'products',
  'sale_offers',
  'purchase_offers',
] as const
/** One of them. */
export type RestoredKind = (typeof restoredKinds)[number]

/** An event but for what all of them have in common. */
type Event = Pick<Changed, 'id' | 'topic' | 'document' | 'changes'> & { readonly ownerId?: string }

type Stamping = {
  readonly changed: readonly Event[]
  readonly statements?: readonly Statement[]
  readonly totals?: Readonly<Record<string, number>>
}

type Stamp = (read: Session['read'], ids: readonly string[], restorer: Restorer) => Promise<Stamping>

/** How the rows of each kind are told of. */
export const stampings: Readonly<Record<RestoredKind, Stamp>> = {
  metaobject_definitions: async (read, ids) => {
    const { rows } = await read({ rows: definitionStatement(selected(ids)) })
    return {
      changed: rows.map((row) => eventOf('metaobject_definition', row.id, JSON.stringify(row))),
      totals: { metaobject_definitions: rows.length },
    }
  },
  metaobjects: async (read, ids) => {
    const { found } = await read({ found: metaobjectsReading(selected(ids)) })
    const all = ids.flatMap((id) => found.parts(id)?.parts ?? [])
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
    const { rows } = await read({ rows: categoryStatement(selected(ids), form) })
    return {
      changed: rows.map((row) => eventOf('category', row.id, JSON.stringify(row))),
      totals: { categories: rows.length },
    }
  },
  collections: async (read, ids, { rebuilding, ...restorer }) => {
    const { rows } = await read({
      rows: statement<CollectionParts & { ruled: boolean }>(sql`
        select ${collectionColumns(true)}, collections.rules is not null as ruled from collections
         where tenant_id = current_tenant() and id in (${selected(ids)})`),
    })
    const again = rows.filter(({ id }) => rebuilding.includes(id))
    return {
      changed: rows.map(({ ruled, ...parts }) => eventOf('collection', parts.id, JSON.stringify(parts))),
      statements: [
        ...(rows.some(({ ruled }) => ruled) ? [rulesChanged] : []),
        ...again.map(({ id }) => rebuildStatement(restorer, id)),
      ],
      totals: { collections: rows.length },
    }
  },
  option_values: async (read, ids) => {
    const { rows } = await read({
      rows: statement<OwnedRow & { optionId: string }>(
        sql`select option_id as "optionId", ${ownedColumns} from option_values where ${among(ids)}`,
      ),
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
      rows: statement<OwnedRow>(sql`select ${ownedColumns} from product_options where ${among(ids)}`),
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
      rows: statement<VariantParts>(sql`select ${variantColumns} from variants where ${among(ids)}`),
    })
    return {
      changed: rows.map((parts) => ({
        ...eventOf('variant', parts.id, JSON.stringify(parts), [
          ...(parts.position === null ? [] : [difference('position', parts.position)]),
          difference('optionValues', parts.optionValueIds.map(optionValueIri)),
        ]),
        ownerId: parts.productId,
      })),
      statements: [offersCounted(ids)],
    }
  },
  products: async (read, ids, { tenant }) => {
    const { outlines } = await read({ outlines: outlinesReading(selected(ids)) })
    const shown = outlines.filter(({ status }) => status !== 'ARCHIVED')
    const members = Map.groupBy(
      shown.flatMap(({ collections }) => collections.map(countOf)),
      (name) => name,
    )
    return {
      changed: outlines.map((each) => eventOf('product', each.id, productEventDocument(each))),
      statements: indexStatements(
        outlines.map((each) => ({ id: each.id, state: stateOf(product, each) })),
        tenant,
      ),
      totals: {
        products: shown.length,
        ...Object.fromEntries([...members].map(([name, { length }]) => [name, length])),
      },
    }
  },
  sale_offers: offersOf('sale_offers', 'sale_offer'),
  purchase_offers: offersOf('purchase_offers', 'purchase_offer'),
}

function offersOf(table: 'sale_offers' | 'purchase_offers', subject: string): Stamp {
  return async (read, ids, { tenant }) => {
    const options = { locale: localeOf(tenant.locales, null), expand: 0, translations: true }
    const { rows, categoriesOf } = await read({
      rows: statement<OfferRowParts>(
        sql`select ${shownColumns} from ${sql.identifier(table)} where ${among(ids)}`,
      ),
      categoriesOf: productCategoriesReading(
        sql`select product_id from ${sql.identifier(table)} where ${among(ids)}`,
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

/** What options and values keep in their events. */
type OwnedRow = { readonly id: string; readonly productId: string; readonly position: number }

const ownedColumns = sql`id, product_id as "productId", document, title, translations, position`

const among = (ids: readonly string[]) => sql`tenant_id = current_tenant() and id = any(${uuids(ids)})`
const selected = (ids: readonly string[]) => sql`select unnest(${uuids(ids)})`

function eventOf(subject: string, id: string, document: string, changes: readonly Difference[] = []): Event {
  return { id, topic: `${subject}/created`, document, changes }
}

/** The history of a product is put together from the places that its events tell of. */
function difference(path: string, after: Json): Difference {
  return { path, before: null, after }
}

const rulesChanged: Statement = statement(sql`
  insert into collection_rules as r (tenant_id, version) values (current_tenant(), 1)
  on conflict (tenant_id) do update set version = r.version + 1`)

function offersCounted(ids: readonly string[]): Statement {
  const count = (table: string) => sql`(select count(*) from ${sql.identifier(table)} o
    where o.tenant_id = v.tenant_id and o.variant_id = v.id and o.status <> 'ARCHIVED')`
  return statement(sql`update variants v
    set sale_offer_count = ${count('sale_offers')}, purchase_offer_count = ${count('purchase_offers')}
    where ${among(ids)}`)
}
