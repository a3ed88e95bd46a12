/** Creates, changes and archives products: each operation reads, decides in rules.ts or new-product.ts, and plans a write. */

import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { levelsOf } from '../../core/expand.ts'
import type { Answer, BodyOf, Context, Input, ItemInput } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { type Plan, updateOf, type WriteOutcome } from '../../core/plan.ts'
import { patchTexts, type State, type TextUpdate, type Translated } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery, statement } from '../../db/query.ts'
import {
  type ClockStep,
  type PlannedSteps,
  replaceLinks,
  save,
  type WriteStep,
} from '../../db/write-steps.ts'
import { categoryGuards, embeddedCategoriesQuery } from '../categories/read.ts'
import { categoryIri } from '../categories/schema.ts'
import {
  type CollectionsChange,
  collectionsChangeSteps,
  collectionsChangeTotals,
  collectionsInput,
  entryGuards,
  existingCollections,
  requireManualScope,
  rulesGuard,
  rulesQuery,
  type TenantRules,
  timeDependentCollections,
} from '../collections/membership.ts'
import { recheckStep } from '../collections/rebuild.ts'
import { collectionIri } from '../collections/schema.ts'
import { differencesWithCustomFields, referencesQuery } from '../fields/custom-fields.ts'
import type { IndexPrices } from '../offers/document.ts'
import {
  countOffers,
  newPrices,
  saleOfferSteps,
  takenOfferIds,
  tooManyOffers,
} from '../sale-offers/inline.ts'
import { createdAnswer, type PlanQuery, prepared } from '../shared/ordinary-operations.ts'
import { valueLinks } from '../variants/row.ts'
import {
  type EmbeddingLimits,
  embeddedVariantsOnItem,
  itemLimits,
  type ProductBase,
  type ProductParts,
  productDocument,
  productKind,
  variantListQuery,
  withProductStamps,
} from './document.ts'
import { type NewProduct, newProductsOf, type RequestedProduct, requestedOffers } from './new-product.ts'
import { productProblems } from './problems.ts'
import { productQuery } from './read.ts'
import { categoryRows, channelRows, productEventDocument, productRow, tagRows } from './row.ts'
import {
  constraintProblems,
  decide,
  isRestoring,
  nameConflictsQuery,
  type ProductDecision,
  takenProductNames,
} from './rules.ts'
import { productIri, product as shape, type writeParameters } from './schema.ts'
import { indexSteps, searchedTexts } from './search.ts'
import {
  optionValues,
  productCategories,
  productChannels,
  productOptions,
  products,
  productTags,
  variantOptionValues,
  variants,
} from './table.ts'

/** Creates up to fifty products with their options, values, variants and prices, in one transaction. */
export async function createProducts(
  context: Context,
  { bodies, bulk, query }: Input<{ query: typeof writeParameters; body: typeof shape }>,
): Promise<Answer> {
  const requests = bodies.map((body, index) => ({
    id: uuidv7(),
    body,
    at: (path: string) => (bulk ? `[${index}].${path}` : path),
  }))
  throwViolations(tooManyOffers(requests.flatMap(requestedOffers)))
  const plan = creationQuery(context, requests, levelsOf(query.expand))
  const { result, stamps, replayed } = await write(context, 'createProducts', prepared(plan))
  const variantQuery = variantListQuery(context.url, query)
  return createdAnswer(
    result.map((product) => withProductStamps(product, stamps)),
    { bulk, replayed },
    (product) => productDocument(product, context.locale, null, itemLimits, variantQuery),
    ({ id }) => productIri(id),
  )
}

/** Reads what the creation of products depends on, and plans it. */
function creationQuery(
  context: Context,
  requests: readonly RequestedProduct[],
  expand: number,
): PlanQuery<Plan<ProductParts[]>> {
  const { locale, tenant } = context
  const offerLists = requests.flatMap(requestedOffers)
  const categoryIds = [...new Set(requests.flatMap(({ body }) => body.categories ?? []))]
  const queries = {
    takenNames: takenProductNames(requests.map(({ body }) => body)),
    references: referencesQuery(requests.flatMap(({ body }) => customFieldsOf(body))),
    rules: rulesQuery(tenant),
    takenOfferIds: takenOfferIds(offerLists),
    indexPrices: newPrices(offerLists, context),
    existing: existingQuery(requests.flatMap(({ body }) => collectionsInput(body) ?? [])),
    categories: embeddedCategoriesQuery(categoryIds, { locale, expand, translations: true }),
  }
  return mapQuery(
    combineQueries(queries),
    (inputs) => (attempt) => planCreation(context, requests, inputs, attempt),
  )
}

/** The rows that the creation of products depends on. */
export type CreationInputs = Omit<Parameters<typeof newProductsOf>[2], 'collections'> & {
  /** The ids of the requested collections that exist. */
  readonly existing: ReadonlySet<string>
  readonly indexPrices: IndexPrices
}

/** Plans the creation of products. @throws Problem 403, 409, 422 */
export function planCreation(
  context: Context,
  requests: readonly RequestedProduct[],
  { existing, indexPrices, ...input }: CreationInputs,
  attempt: number,
): Plan<ProductParts[]> {
  for (const { body } of requests) requireManualScope(context, collectionsInput(body), [], input.rules)
  const additions = newProductsOf(context, requests, { ...input, collections: existing }, attempt > 1)
  return creationPlan(context, additions, input.rules, indexPrices)
}

/** Reads which of some collections exist. */
function existingQuery(ids: readonly string[]): DatabaseQuery<ReadonlySet<string>> {
  const rows = existingCollections(ids)
  return mapQuery(combineQueries({ rows }), (read) => new Set(read.rows.map((collection) => collection.id)))
}

/** The property `fields` of a product and of its variants. */
function customFieldsOf({ fields, variants }: RequestedProduct['body']) {
  return [fields, ...(variants ?? []).map((variant) => variant.fields)]
}

function creationPlan(
  context: Context,
  additions: readonly NewProduct[],
  rules: TenantRules,
  indexPrices: IndexPrices,
): Plan<ProductParts[]> {
  const products = additions.map((addition) => addition.parts)
  const saleOffers = additions.flatMap((addition) => addition.saleOffers)
  const prices = indexPrices(saleOffers)
  const collectionChanges = products.map((product) =>
    collectionsChange({ ...product, collections: [] }, product),
  )
  return {
    guard: [
      rulesGuard(rules),
      ...categoryGuards(additions.flatMap((addition) => addition.categoryIds)),
      ...products.flatMap((product) => entryGuards([], product.collections, rules)),
    ],
    beforeClock: [
      ...recheckSteps(context, rules, products),
      ...linkSteps(context, additions),
      ...collectionsChangeSteps(collectionChanges),
      ...prices.beforeClock,
    ],
    underClock: [...insertSteps(context, additions), ...prices.underClock],
    changed: additions.flatMap((addition) => addition.events),
    totals: {
      ...collectionsChangeTotals(collectionChanges),
      products: products.filter((product) => product.status !== 'ARCHIVED').length,
      sale_offers: countOffers(saleOffers),
      option_values: products.flatMap((product) => product.options.flatMap((option) => option.values)).length,
    },
    result: products.map((product) => ({
      ...product,
      variants: product.variants.slice(0, embeddedVariantsOnItem),
    })),
    constraintProblems,
  }
}

function collectionsChange(before: ProductParts, after: ProductParts): CollectionsChange {
  return {
    productId: after.id,
    before: before.collections,
    after: after.collections,
    shownBefore: before.status !== 'ARCHIVED',
    shownAfter: after.status !== 'ARCHIVED',
  }
}

/** Rechecks new products in collections whose rules depend on time: only the database knows when they are created. */
function recheckSteps(context: Context, rules: TenantRules, products: readonly ProductParts[]): WriteStep[] {
  const ids = timeDependentCollections(rules, context.now)
  const [first] = products.map((product) => product.id).toSorted()
  return ids.length > 0 && first ? [recheckStep(context, ids, first)] : []
}

/**
 * The steps that insert the rows of new products without version and times, one per table. Their foreign keys are checked at the
 * end of the transaction.
 */
function linkSteps(context: Context, additions: readonly NewProduct[]): WriteStep[] {
  return [
    ...replaceLinks(
      productTags,
      [],
      additions.flatMap(({ parts, state }) => tagRows(parts.id, state.values.tags)),
    ),
    ...replaceLinks(
      productChannels,
      [],
      additions.flatMap(({ parts, state }) => channelRows(parts.id, state.values.channels)),
    ),
    ...replaceLinks(
      productCategories,
      [],
      additions.flatMap(({ parts, categoryIds }) => categoryRows(parts.id, categoryIds)),
    ),
    ...indexSteps(
      additions.map(({ parts, state, rows }) => ({ id: parts.id, state, variants: rows.variants })),
      context.tenant,
    ),
  ]
}

/** The steps that insert the new products themselves, one per table. */
function insertSteps(context: Context, additions: readonly NewProduct[]): ClockStep[] {
  const rowsWithArchival = <Row>(rowsOf: (rows: NewProduct['rows']) => readonly Row[]) =>
    additions.flatMap(({ parts, rows }) =>
      rowsOf(rows).map((row) => ({ ...row, productArchived: parts.status === 'ARCHIVED' })),
    )
  const options = rowsWithArchival((rows) => rows.options)
  const values = rowsWithArchival((rows) => rows.values)
  const variantRows = rowsWithArchival((rows) => rows.variants)
  return [
    ...save(
      products,
      additions.map(({ parts, state, archivedChannels }) => ({
        ...productRow(parts, state, context.tenant.locales),
        archivedChannels: [...archivedChannels],
      })),
    ),
    ...save(productOptions, options),
    ...save(optionValues, values),
    ...save(variants, variantRows),
    ...replaceLinks(variantOptionValues, [], variantRows.flatMap(valueLinks)),
    ...saleOfferSteps(additions.flatMap((addition) => addition.saleOffers)),
  ]
}

/** Merges a patch into a product; `status` archives and restores. */
export async function patchProduct(
  context: Context,
  {
    params: { id },
    query,
    bodies: [body = {}],
  }: Input<{ params: 'id'; query: typeof writeParameters; body: typeof shape }>,
): Promise<Answer> {
  const request = { id, body, expand: levelsOf(query.expand) }
  const outcome = await write<ProductParts>(context, 'patchProduct', (read) =>
    planChange(context, read, request),
  )
  return writtenProduct(context, query, outcome)
}

/** Builds the response of a write of one product. */
export function writtenProduct(
  { locale, url }: Context,
  query: Parameters<typeof variantListQuery>[1],
  { result, stamps, replayed }: WriteOutcome<ProductParts>,
): Answer & { kind: 'item' } {
  const product = withProductStamps(result, stamps)
  const document = productDocument(product, locale, null, itemLimits, variantListQuery(url, query))
  return { kind: 'item', document, version: product.version, replayed }
}

/** Replaces the texts of a product in one locale or in all. */
export async function translateProduct(
  context: Context,
  id: string,
  textUpdate: TextUpdate<typeof shape>,
): Promise<Translated<ProductParts>> {
  const { result, stamps, replayed } = await write<ProductParts>(context, 'putProductTranslations', (read) =>
    planChange(context, read, { id, body: {}, expand: 0 }, textUpdate),
  )
  return { ...withProductStamps(result, stamps), replayed }
}

/** Archives a product: empties its channels, releases its handle and SKUs, and retains its history. Idempotent. */
export async function deleteProduct(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<ProductParts>(context, 'deleteProduct', (read) =>
    planChange(context, read, { id, body: { status: 'ARCHIVED' }, expand: 0 }),
  )
  return { kind: 'empty', replayed }
}

type Body = BodyOf<typeof shape>

type ProductChange = StoredChange & { readonly id: string }
type StoredChange = { readonly id: string | SQL; readonly body: Body; readonly expand: number }

async function planChange(
  context: Context,
  read: Session['read'],
  request: ProductChange,
  textUpdate = patchTexts(shape, request.body, context.locale),
): Promise<Plan<ProductParts>> {
  const { body } = request
  const { product, ...input } = await read(changeQueries(context, request))
  if (!product) throw productProblems.not_found({ id: request.id })
  requireManualScope(context, collectionsInput(body), product.collections, input.rules)
  requireIfMatch(context, product.version)
  const decision = decide(context, { ...input, product }, body, textUpdate)
  return decision ? changePlan(context, product, decision, input.rules, textUpdate) : { unchanged: product }
}

/** Reads what a change of a product depends on. An upsert may restore the product without a `status`. */
export function changeQueries(
  context: Context,
  { id, body, expand }: StoredChange,
  { limits = itemLimits, mayRestore = isRestoring(body), fields = [body.fields] }: ReadOfChange = {},
) {
  const { locale, tenant } = context
  const options = { locale, expand, translations: true }
  return {
    product: productQuery(sql`${id}::uuid`, { ...options, limits }),
    archivedChannels: archivedChannelsQuery(id, mayRestore !== false && body.channels === undefined),
    takenNames: nameConflictsQuery(context, id, body, mayRestore),
    references: referencesQuery(fields),
    rules: rulesQuery(tenant),
    existing: existingQuery(collectionsInput(body) ?? []),
    categories: embeddedCategoriesQuery(body.categories ?? [], options),
  }
}

type ReadOfChange = {
  readonly limits?: EmbeddingLimits
  readonly mayRestore?: boolean | SQL
  readonly fields?: Parameters<typeof referencesQuery>[0]
}

/** Reads the channels that a product had when it was archived, if a write may restore it with these. */
function archivedChannelsQuery(id: string | SQL, isNeeded: boolean): DatabaseQuery<readonly string[]> {
  if (!isNeeded) return mapQuery(noQuery, () => [])
  const query = sql`
    select to_json(archived_channels) as channels from products where tenant_id = current_tenant() and id = ${id}::uuid`
  const rows = statement(query, { channels: z.array(z.string()) })
  return mapQuery(combineQueries({ rows }), (read) => read.rows[0]?.channels ?? [])
}

/** Plans a decided change of a product. */
export function changePlan(
  context: Context,
  product: ProductParts,
  decision: ProductDecision,
  rules: TenantRules,
  textUpdate: TextUpdate<typeof shape>,
): ChangePlan {
  const { before, state, after, categoryIds, transition } = decision
  const { id, version } = product
  const collectionChanges = [collectionsChange(product, after)]
  // Categories of an archived product can be deleted. The locks prevent that until the product is restored.
  const restoredCategories = transition === 'restore' ? after.categories.map((category) => category.id) : []
  const comparedValues = (state: State<typeof shape>, { categories, collections }: ProductBase) => ({
    ...textUpdate.shown(state),
    categories: categories.map((category) => categoryIri(category.id)),
    collections: collections.map(collectionIri),
  })
  return {
    guard: [
      rulesGuard(rules),
      { kind: 'products', id, version },
      ...categoryGuards(categoryIds ?? restoredCategories),
      ...entryGuards(product.collections, after.collections, rules),
    ],
    ...updateSteps(context, decision, collectionsChangeSteps(collectionChanges)),
    changed: [
      updateOf(
        productKind,
        product,
        {
          document: productEventDocument(after),
          changes: differencesWithCustomFields(comparedValues(before, product), comparedValues(state, after)),
        },
        transition === 'archive',
      ),
    ],
    totals: {
      ...collectionsChangeTotals(collectionChanges),
      products: Number(transition === 'restore') - Number(transition === 'archive'),
    },
    result: after,
    constraintProblems,
  }
}

export type ChangePlan = PlannedSteps & Extract<Plan<ProductParts>, { guard: unknown; readBack?: never }>

/** The steps that update the changed rows of a product. */
function updateSteps(
  context: Context,
  { after, before, state, categoryIds, transition, keptChannels: channels }: ProductDecision,
  collectionSteps: readonly WriteStep[],
): PlannedSteps {
  const { id } = after
  const setArchived = (archived: boolean) =>
    ({ do: 'set_product_archived', product: id, archived, channels }) as const
  const isUnchanged = (name: 'tags' | 'channels') => sameJson(before.values[name], state.values[name])
  return {
    beforeClock: [
      ...(isUnchanged('tags') ? [] : replaceLinks(productTags, [id], tagRows(id, state.values.tags))),
      ...(isUnchanged('channels')
        ? []
        : replaceLinks(productChannels, [id], channelRows(id, state.values.channels))),
      ...(categoryIds ? replaceLinks(productCategories, [id], categoryRows(id, categoryIds)) : []),
      ...(transition === 'archive' ? [setArchived(true)] : []),
      ...(sameJson(searchedTexts(before), searchedTexts(state))
        ? []
        : indexSteps([{ id, state }], context.tenant)),
      ...collectionSteps,
    ],
    underClock: [
      ...save(products, [productRow(after, state, context.tenant.locales)]),
      // Restored rows reserve their names again, which a concurrent write may be inserting. The lock orders the two writes.
      ...(transition === 'restore' ? [setArchived(false)] : []),
      ...(transition === null
        ? []
        : [{ do: 'change_live_prices', product: id, live: transition === 'restore' } as const]),
    ],
  }
}
