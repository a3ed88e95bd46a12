import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import { iri } from '../../core/iri.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { render, type State, standardText, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, type Stamps, write } from '../../core/write.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { insertRows, updateRows, uuids } from '../../db/rows.ts'
import { assembleCategories, categoryStatements } from '../categories/index.ts'
import { readingRules, rulesGuard, sorted, sortingStatements, sortingTotals } from '../collections/index.ts'
import {
  changesWithFields,
  fieldViolations,
  metaobjectsOf,
  referencesIn,
  referencesStatement,
} from '../custom-fields/index.ts'
import { optionValueProblems } from '../option-values/problems.ts'
import { productOptionProblems } from '../product-options/problems.ts'
import { offerStatement, pricesOf, questionOf } from '../sale-offers/index.ts'
import { variantProblems } from '../variants/problems.ts'
import { type ProductParts, productDocument } from './document.ts'
import { productProblems } from './problems.ts'
import { channelRows, membershipStatements, productRow, subjectOf, tagRows } from './rows.ts'
import { product as shape } from './schema.ts'
import { indexStatements, searchedIn } from './search.ts'
import { stampedProduct } from './stamped.ts'
import { embeddedOnItem, idOf, readProduct } from './store.ts'
import { productChannels, products, productTags } from './table.ts'
import { eventDocument } from './touch.ts'

type Body = Readonly<Record<string, Json>>

/** Reads one product; archived ones too. */
export async function getProduct(context: Context, { params, query }: Input): Promise<Answer> {
  const id = params.id!
  const question = questionOf(query, context)
  const variantIds = sql`select id from variants where tenant_id = current_tenant() and product_id = ${id}::uuid and position < ${embeddedOnItem}`
  const { product, sequence, more } = await readProduct(
    context.db.read,
    idOf(id),
    { locale: context.locale, expand: query.expand as number, variants: embeddedOnItem },
    ...(question ? [offerStatement(variantIds, question)] : []),
  )
  if (!product) throw productProblems.not_found({ id })
  const prices = question ? pricesOf(more[0] as Parameters<typeof pricesOf>[0], question) : null
  return {
    kind: 'item',
    document: productDocument(product, context.locale, prices),
    version: product.version,
    sequence,
  }
}

/** Merges a patch into a product; `status` archives and restores. */
export async function patchProduct(context: Context, { params, query, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const [body = {}] = bodies
  const expand = query.expand as number
  const { result, stamps, replayed } = await write<Json>(context, 'patchProduct', (read) =>
    change(context, read, id, body, expand),
  )
  return answer(context, result as unknown as ProductParts, stamps, replayed)
}

/** Rewrites a product's texts. */
export async function translateProduct(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<ProductParts>> {
  const { result, stamps, replayed } = await write<Json>(context, 'putProductTranslations', (read) =>
    change(context, read, id, {}, 0, rewrite),
  )
  return { ...stampedProduct(result as unknown as ProductParts, stamps), replayed }
}

function answer(context: Context, parts: ProductParts, stamps: Stamps, replayed: boolean): Answer {
  const product = stampedProduct(parts, stamps)
  return {
    kind: 'item',
    document: productDocument(product, context.locale),
    version: product.version,
    replayed,
  }
}

/** Takes a product down: out of its channels, its handle and SKUs free, its history kept. Idempotent. */
export async function deleteProduct(context: Context, { params }: Input): Promise<Answer> {
  const { replayed } = await write<Json>(context, 'deleteProduct', (read) =>
    change(context, read, params.id!, { status: 'ARCHIVED' }, 0),
  )
  return { kind: 'empty', replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
  expand: number,
  rewrite = patching(shape, body, context.locale),
): Promise<Plan<Json>> {
  const wantedCategories = (body.categories as string[] | null | undefined) ?? []
  const options = { locale: context.locale, expand, variants: embeddedOnItem, translations: true }
  const reading = readingRules(context.tenant)
  const { product, more } = await readProduct(
    read,
    idOf(id),
    options,
    conflictStatement(id, body),
    referencesStatement([body.fields]),
    reading.statement,
    ...categoryStatements(sql`select unnest(${uuids(wantedCategories)})`, options),
  )
  if (!product) throw productProblems.not_found({ id })
  demandVersion(context, product.version)
  const archived = product.status === 'ARCHIVED'
  if (
    archived &&
    (body.status === undefined || (body.status === 'ARCHIVED' && Object.keys(body).length > 1))
  ) {
    throw productProblems.archived()
  }
  const before = stateOf(shape, product)
  const { state: plain, violations } = rewrite.apply(before)
  const state = withArchival(before, plain, context)
  const [conflicts, referred, [rulesRow], ...categoryRows] = more as [
    Conflict[],
    unknown[],
    Parameters<typeof reading.rules>,
    ...unknown[][],
  ]
  const references = referencesIn(referred)
  const rules = reading.rules(rulesRow)
  const categories = assembleCategories(categoryRows, options)
  const categoryIds =
    body.categories === undefined ? product.categories.map((each) => each.id) : wantedCategories
  const unknown =
    body.categories === undefined
      ? []
      : wantedCategories.flatMap((each, index) =>
          categories.has(each)
            ? []
            : [validationProblems.unknown_reference.at(`categories[${index}]`, { iri: iri.category(each) })],
        )
  const cleared = body.handle === null ? [validationProblems.required.at('handle')] : []
  const misfits = fieldViolations({ fields: body.fields, before, after: state }, references)
  refuse([...violations, ...cleared, ...misfits, ...unknown])
  refuseConflicts(conflicts)

  const sameCategories = sameJson(categoryIds as Json, product.categories.map((each) => each.id) as Json)
  const view = (each: State, ids: readonly string[], collections: readonly string[]) =>
    ({
      ...rewrite.shown(each),
      categories: ids.map(iri.category),
      collections: collections.map(iri.collection),
    }) as Json
  if (
    sameCategories &&
    sameJson(before.values as Json, state.values as Json) &&
    sameJson(before.translations as Json, state.translations as Json)
  ) {
    return { unchanged: product as unknown as Json }
  }
  const after: ProductParts = {
    ...product,
    status: String(state.values.status),
    document: render(shape, { iri: iri.product(id), id }, state, context.tenant.locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, product.metaobjects, references.metaobjects),
    categories:
      body.categories === undefined
        ? product.categories
        : categoryIds.flatMap((each) => categories.get(each) ?? []),
    collections: sorted(
      product.collections,
      subjectOf(state, {
        title: standardText(state, 'title', context.tenant.locales) ?? '',
        createdAt: product.createdAt,
        categoryIds,
      }),
      rules,
    ),
  }
  const nowArchived = after.status === 'ARCHIVED'
  const deleted = nowArchived && !archived
  const sortings = [
    {
      productId: id,
      before: product.collections,
      after: after.collections,
      shownBefore: !archived,
      shownAfter: !nowArchived,
    },
  ]
  return {
    guard: [rulesGuard(rules), { kind: 'products', id, version: product.version }],
    statements: [
      ...statementsOf(
        context,
        after,
        before,
        state,
        sameCategories ? null : categoryIds,
        archived === nowArchived ? null : nowArchived,
      ),
      ...sortingStatements(sortings),
    ],
    changed: [
      {
        kind: 'products',
        id,
        version: product.version + 1,
        action: 'updated',
        topic: deleted ? 'product/deleted' : 'product/updated',
        document: eventDocument(after),
        changes: changesWithFields(
          view(
            before,
            product.categories.map((each) => each.id),
            product.collections,
          ),
          view(state, categoryIds, after.collections),
        ),
      },
    ],
    totals: { ...sortingTotals(sortings), products: Number(archived) - Number(nowArchived) },
    result: after as unknown as Json,
    refusals: {
      products_handle: 'again',
      products_external_id: 'again',
      variants_sku: 'again',
      variants_external_id: 'again',
      product_options_external_id: 'again',
      option_values_external_id: 'again',
      product_categories_category: 'again',
    },
  }
}

/** Archiving empties the channels and notes when; restoring forgets when. */
function withArchival(before: State, after: State, context: Context): State {
  const archived = after.values.status === 'ARCHIVED'
  const archivedAt = archived ? ((before.values.archivedAt as string | null) ?? instantOf(context.now)) : null
  return { ...after, values: { ...after.values, archivedAt, ...(archived ? { channels: [] } : {}) } }
}

function statementsOf(
  context: Context,
  after: ProductParts,
  before: State,
  state: State,
  categoryIds: readonly string[] | null,
  archival: boolean | null,
): Statement[] {
  const own = (table: string) =>
    statement(
      sql`delete from ${sql.identifier(table)} where tenant_id = current_tenant() and product_id = ${after.id}::uuid`,
    )
  const same = (name: string) => sameJson(before.values[name] ?? null, state.values[name] ?? null)
  return [
    ...updateRows(products, [productRow(after, state, context.tenant.locales)]),
    ...(same('tags')
      ? []
      : [own('product_tags'), ...insertRows(productTags, tagRows(after.id, state.values.tags))]),
    ...(same('channels')
      ? []
      : [
          own('product_channels'),
          ...insertRows(productChannels, channelRows(after.id, state.values.channels)),
        ]),
    ...(categoryIds
      ? [own('product_categories'), ...membershipStatements([{ productId: after.id, categoryIds }])]
      : []),
    ...(archival === null
      ? []
      : [
          ...['product_options', 'option_values', 'variants'].map((table) =>
            statement(sql`update ${sql.identifier(table)} set product_archived = ${archival}
              where tenant_id = current_tenant() and product_id = ${after.id}::uuid`),
          ),
        ]),
    ...(sameJson(searchedIn(before) as Json, searchedIn(state) as Json)
      ? []
      : indexStatements([{ id: after.id, state }], context.tenant.locales)),
  ]
}

type Conflict = {
  kind: 'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId'
  value: string
}

/** Names that another live product or variant has: the ones to be written, and on a restore all of the product's own. */
function conflictStatement(id: string, body: Body): Statement<Conflict> {
  const restores = body.status !== undefined && body.status !== 'ARCHIVED'
  const named = (column: string, kind: string, given: Json | undefined) =>
    sql`select ${kind} as kind, o.${sql.identifier(column)} as value from products me join products o
          on o.tenant_id = current_tenant() and o.status <> 'ARCHIVED' and o.id <> me.id
         and o.${sql.identifier(column)} = ${typeof given === 'string' ? sql`${given}` : sql`me.${sql.identifier(column)}`}
        where me.tenant_id = current_tenant() and me.id = ${id}::uuid and (me.status <> 'ARCHIVED' or ${restores})`
  // Each table's own condition for a row to hold its name.
  const owned = (table: string, column: string, kind: string, active: SQL) =>
    sql`select ${kind}, o.${sql.identifier(column)} from ${sql.identifier(table)} v join ${sql.identifier(table)} o
          on o.tenant_id = current_tenant() and not o.product_archived and o.product_id <> v.product_id
         and o.${sql.identifier(column)} = v.${sql.identifier(column)}
        where v.tenant_id = current_tenant() and v.product_id = ${id}::uuid and ${active}`
  const both = sql`o.status = 'ACTIVE' and v.status = 'ACTIVE'`
  const ofRestored = [
    owned('variants', 'sku', 'sku', both),
    owned('variants', 'external_id', 'variantExternalId', both),
    owned('product_options', 'external_id', 'optionExternalId', sql`true`),
    owned('option_values', 'external_id', 'valueExternalId', sql`true`),
  ]
  const all = [
    named('handle', 'handle', body.handle),
    named('external_id', 'externalId', body.externalId),
    ...(restores ? ofRestored : []),
  ]
  return statement(sql.join(all, sql` union all `))
}

function refuseConflicts(conflicts: readonly Conflict[]): void {
  refuse(
    conflicts.map(({ kind, value }) => {
      if (kind === 'handle') return productProblems.handle_taken.at('handle', { handle: value })
      if (kind === 'externalId')
        return productProblems.external_id_taken.at('externalId', { externalId: value })
      if (kind === 'sku') return variantProblems.sku_taken.at('variants', { sku: value })
      if (kind === 'variantExternalId')
        return variantProblems.external_id_taken.at('variants', { externalId: value })
      if (kind === 'optionExternalId')
        return productOptionProblems.external_id_taken.at('options', { externalId: value })
      return optionValueProblems.external_id_taken.at('options', { externalId: value })
    }),
  )
}
