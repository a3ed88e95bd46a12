import { sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import { uuidv7 } from 'uuidv7'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Plan, Written } from '../../core/plan.ts'
import { patchTexts, type State, type TextUpdate, type Translated } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireVersion, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  type Statement,
  statement,
} from '../../db/query.ts'
import { deleteRows, insertRows, stepStatement, updateRows } from '../../db/write-steps.ts'
import { embeddedCategoriesQuery } from '../categories/read.ts'
import { categoryIri, levelsOf } from '../categories/schema.ts'
import {
  type CollectionsChange,
  collectionsChangeStatements,
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
import { recheckStatement } from '../collections/rebuild.ts'
import { collectionIri } from '../collections/schema.ts'
import { differencesWithCustomFields, referencesQuery } from '../fields/custom-fields.ts'
import { optionValues, productOptions } from '../product-options/table.ts'
import { claimedIdsQuery, countOffers, saleOfferStatements, tooManyOffers } from '../sale-offers/inline.ts'
import { variantOptionValues, variants } from '../variants/table.ts'
import {
  askedOfVariants,
  embeddedOnItem,
  onItem,
  type ProductOutline,
  type ProductParts,
  productDocument,
  stampedProduct,
} from './document.ts'
import { type NewProduct, newProductsOf, type RequestedProduct, writtenOffers } from './new-product.ts'
import { productProblems } from './problems.ts'
import { idOf, productQuery } from './read.ts'
import { channelRows, membershipStatements, productEventDocument, productRow, tagRows } from './row.ts'
import {
  type Decided,
  decide,
  isRestoring,
  nameConflictsQuery,
  refusals,
  requestedNames,
  takenStatement,
} from './rules.ts'
import { productIri, product as shape, type writeParameters } from './schema.ts'
import { indexStatements, searchedIn } from './search.ts'
import { productCategories, productChannels, products, productTags } from './table.ts'

/**
 * The insert statements of new products, one a table, and in front of those that take the tenant's clock whatever needs it not:
 * that a product is there is checked at the end.
 */
function insertStatements(
  context: Context,
  additions: readonly NewProduct[],
  sortings: readonly Statement[],
): Statement[] {
  const owned = <Row>(rowsOf: (rows: NewProduct['rows']) => readonly Row[]) =>
    additions.flatMap((each) =>
      rowsOf(each.rows).map((row) => ({ ...row, productArchived: each.parts.status === 'ARCHIVED' })),
    )
  const options = owned((each) => each.options)
  const values = owned((each) => each.values)
  const variantRows = owned((each) => each.variants)
  return [
    ...insertRows(
      productTags,
      additions.flatMap((each) => tagRows(each.parts.id, each.state.values.tags)),
    ),
    ...insertRows(
      productChannels,
      additions.flatMap((each) => channelRows(each.parts.id, each.state.values.channels)),
    ),
    ...membershipStatements(
      additions.map((each) => ({ productId: each.parts.id, categoryIds: each.categoryIds })),
    ),
    ...indexStatements(
      additions.map(({ parts, state, rows }) => ({ id: parts.id, state, variants: rows.variants })),
      context.tenant,
    ),
    ...sortings,
    // From here on under the clock's lock.
    ...insertRows(
      products,
      additions.map(({ parts, state, archivedChannels }) => ({
        ...productRow(parts, state, context.tenant.locales),
        archivedChannels: [...archivedChannels],
      })),
    ),
    ...insertRows(productOptions, options),
    ...insertRows(optionValues, values),
    ...insertRows(variants, variantRows),
    ...insertRows(
      variantOptionValues,
      variantRows.flatMap((row) =>
        row.optionValueIds.map((optionValueId) => ({ optionValueId, variantId: row.id })),
      ),
    ),
    ...saleOfferStatements(additions.flatMap((each) => each.saleOffers)),
  ]
}

/** Creates one product or up to fifty, each with its options, values and variants, all or nothing. */
export async function createProducts(
  context: Context,
  { bodies, bulk, query }: Input<{ query: typeof writeParameters; body: typeof shape }>,
): Promise<Answer> {
  const asked = bodies.map((body, index) => ({
    id: uuidv7(),
    body,
    wanted: requestedNames(body),
    at: (path: string) => (bulk ? `[${index}].${path}` : path),
  }))
  const expand = levelsOf(query.expand)
  throwViolations(tooManyOffers(asked.flatMap(writtenOffers)))
  let attempt = 0
  const written = await write<ProductParts[]>(context, 'createProducts', async (read) => {
    attempt += 1
    const { existing, ...found } = await readCreation(context, read, asked, expand)
    for (const { body } of asked) requireManualScope(context, collectionsInput(body), [], found.rules)
    const collections = new Set(existing.map((each) => each.id))
    const additions = newProductsOf(context, asked, { ...found, collections }, attempt > 2)
    return creationPlan(context, additions, found.rules)
  })
  return answer(context, written, bulk, askedOfVariants(context.url, query))
}

function readCreation(
  { locale, tenant }: Context,
  read: Session['read'],
  asked: readonly RequestedProduct[],
  expand: number,
) {
  const categoryIds = [...new Set(asked.flatMap(({ wanted }) => wanted.categoryIds))]
  return read({
    taken: takenStatement(asked.map(({ wanted }) => wanted)),
    references: referencesQuery(asked.flatMap(({ body }) => customFieldsOf(body))),
    rules: rulesQuery(tenant),
    claims: claimedIdsQuery(asked.flatMap(writtenOffers)),
    existing: existingCollections(asked.flatMap(({ body }) => collectionsInput(body) ?? [])),
    categories: embeddedCategoriesQuery(categoryIds, { locale, expand, translations: true }),
  })
}

/** The properties `fields` of a product and of its variants. */
function customFieldsOf({ fields, variants }: RequestedProduct['body']) {
  return [fields, ...(variants ?? []).map((each) => each.fields)]
}

function creationPlan(
  context: Context,
  additions: readonly NewProduct[],
  rules: TenantRules,
): Plan<ProductParts[]> {
  const products = additions.map((each) => each.parts)
  const saleOffers = additions.flatMap((each) => each.saleOffers)
  const sortings = products.map(sortingOf)
  return {
    guard: [rulesGuard(rules), ...products.flatMap((each) => entryGuards([], each.collections, rules))],
    statements: [
      ...insertStatements(context, additions, collectionsChangeStatements(sortings)),
      ...resortStatements(context, rules, products),
    ],
    changed: additions.flatMap((each) => each.events),
    totals: {
      ...collectionsChangeTotals(sortings),
      products: products.filter((each) => each.status !== 'ARCHIVED').length,
      sale_offers: countOffers(saleOffers),
      option_values: products.flatMap((each) => each.options.flatMap((option) => option.values)).length,
    },
    result: products.map((each) => ({ ...each, variants: each.variants.slice(0, embeddedOnItem) })),
    constraintProblems: refusals,
  }
}

function sortingOf({ id, status, collections }: ProductParts): CollectionsChange {
  const shown = status !== 'ARCHIVED'
  return { productId: id, before: [], after: collections, shownBefore: shown, shownAfter: shown }
}

/** Looks again at new products where a rule turns on the very time at which they are created. */
function resortStatements(
  context: Context,
  rules: TenantRules,
  products: readonly ProductParts[],
): Statement[] {
  const ids = timeDependentCollections(rules, context.now)
  const [first] = products.map((each) => each.id).toSorted()
  return ids.length > 0 && first ? [recheckStatement(context, ids, first)] : []
}

function answer(
  { locale }: Context,
  { result, stamps, replayed }: Written<ProductParts[]>,
  bulk: boolean,
  asked: string,
): Answer {
  const documentOf = (parts: ProductParts) =>
    productDocument(stampedProduct(parts, stamps), locale, null, onItem, asked)
  const [first] = result
  if (bulk || !first) {
    const members = result.map(documentOf)
    return { kind: 'collection', members, total: members.length, replayed }
  }
  return { kind: 'item', document: documentOf(first), version: 1, location: productIri(first.id), replayed }
}

type Update = {
  readonly after: ProductParts
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
  /** Its categories, where they changed. */
  readonly categoryIds: readonly string[] | null
  /** The channels that a later restore brings back; null if the stored ones stay. */
  readonly archivedChannels: readonly string[] | null
  /** Whether it is now archived, where that changed. */
  readonly archival: boolean | null
  /** What puts it into collections and takes it out. */
  readonly sortings: readonly Statement[]
}

/** The statements that bring a product's rows to what it is now; rows of what stayed the same are left alone. */
function updateStatements(
  context: Context,
  { after, before, state, categoryIds, archivedChannels, archival, sortings }: Update,
): Statement[] {
  const own = (table: AnyPgTable) => deleteRows(table, [after.id], 'product_id')
  const same = (name: 'tags' | 'channels') => sameJson(before.values[name], state.values[name])
  return [
    ...(same('tags')
      ? []
      : [...own(productTags), ...insertRows(productTags, tagRows(after.id, state.values.tags))]),
    ...(same('channels')
      ? []
      : [
          ...own(productChannels),
          ...insertRows(productChannels, channelRows(after.id, state.values.channels)),
        ]),
    ...(categoryIds
      ? [...own(productCategories), ...membershipStatements([{ productId: after.id, categoryIds }])]
      : []),
    ...(archival === true ? [archiveOwned(after.id, true)] : []),
    ...(sameJson(searchedIn(before), searchedIn(state))
      ? []
      : indexStatements([{ id: after.id, state }], context.tenant)),
    ...sortings,
    // Under the clock's lock.
    ...updateRows(products, [
      {
        ...productRow(after, state, context.tenant.locales),
        ...(archivedChannels && { archivedChannels: [...archivedChannels] }),
      },
    ]),
    // What is restored takes its names again, of which somebody may be making another.
    ...(archival === false ? [archiveOwned(after.id, false)] : []),
  ]
}

const archiveOwned = (product: string, archived: boolean) =>
  stepStatement({ do: 'archive_owned', product, archived })

type Body = BodyOf<typeof shape>

/** Merges a patch into a product; `status` archives and restores. */
export async function patchProduct(
  context: Context,
  {
    params: { id },
    query,
    bodies: [body = {}],
  }: Input<{ params: 'id'; query: typeof writeParameters; body: typeof shape }>,
): Promise<Answer> {
  const { locale, url } = context
  const { result, stamps, replayed } = await write<ProductParts>(context, 'patchProduct', (read) =>
    change(context, read, { id, body, expand: levelsOf(query.expand) }),
  )
  const product = stampedProduct(result, stamps)
  return {
    kind: 'item',
    document: productDocument(product, locale, null, onItem, askedOfVariants(url, query)),
    version: product.version,
    replayed,
  }
}

/** Rewrites a product's texts. */
export async function translateProduct(
  context: Context,
  id: string,
  rewrite: TextUpdate<typeof shape>,
): Promise<Translated<ProductParts>> {
  const { result, stamps, replayed } = await write<ProductParts>(context, 'putProductTranslations', (read) =>
    change(context, read, { id, body: {}, expand: 0 }, rewrite),
  )
  return { ...stampedProduct(result, stamps), replayed }
}

/** Archives a product: removes it from its channels, frees its handle and SKUs, keeps its history. Idempotent. */
export async function deleteProduct(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<ProductParts>(context, 'deleteProduct', (read) =>
    change(context, read, { id, body: { status: 'ARCHIVED' }, expand: 0 }),
  )
  return { kind: 'empty', replayed }
}

type ProductChange = { readonly id: string; readonly body: Body; readonly expand: number }

async function change(
  context: Context,
  read: Session['read'],
  asked: ProductChange,
  rewrite = patchTexts(shape, asked.body, context.locale),
): Promise<Plan<ProductParts>> {
  const { id, body } = asked
  const { product, existing, ...found } = await readChange(context, read, asked)
  if (!product) throw productProblems.not_found({ id })
  requireManualScope(context, collectionsInput(body), product.collections, found.rules)
  requireVersion(context, product.version)
  const known = new Set(existing.map((each) => each.id))
  const decided = decide(context, { ...found, product, existing: known }, body, rewrite)
  return decided ? changePlan(context, product, decided, found.rules, rewrite) : { unchanged: product }
}

function readChange(context: Context, read: Session['read'], { id, body, expand }: ProductChange) {
  const { locale, tenant } = context
  const options = { locale, expand, translations: true }
  return read({
    product: productQuery(idOf(id), { ...options, room: onItem }),
    archivedChannels: archivedChannelsReading(id, body),
    conflicts: nameConflictsQuery(context, id, body),
    references: referencesQuery([body.fields]),
    rules: rulesQuery(tenant),
    existing: existingCollections(collectionsInput(body) ?? []),
    categories: embeddedCategoriesQuery(body.categories ?? [], options),
  })
}

/** Reads the channels that a product had when it was archived, if the body may restore it without naming any. */
function archivedChannelsReading(id: string, body: Body): DatabaseQuery<readonly string[]> {
  if (!isRestoring(body) || body.channels !== undefined) return mapQuery(noQuery, () => [])
  const rows = statement<{ channels: string[] }>(sql`
    select to_json(archived_channels) as channels from products where tenant_id = current_tenant() and id = ${id}::uuid`)
  return mapQuery(combineQueries({ rows }), (read) => read.rows[0]?.channels ?? [])
}

function changePlan(
  context: Context,
  product: ProductParts,
  { before, state, after, categoryIds, archivedChannels }: Decided,
  rules: TenantRules,
  rewrite: TextUpdate<typeof shape>,
): Plan<ProductParts> {
  const { id, version } = product
  const [archived, nowArchived] = [product.status === 'ARCHIVED', after.status === 'ARCHIVED']
  const sortings = [
    {
      productId: id,
      before: product.collections,
      after: after.collections,
      shownBefore: !archived,
      shownAfter: !nowArchived,
    },
  ]
  // Nothing else keeps the categories of an archived product from being deleted while it is restored.
  const kept = archived && !nowArchived ? after.categories : []
  const archival = archived === nowArchived ? null : nowArchived
  const view = (each: State<typeof shape>, { categories, collections }: ProductOutline) => ({
    ...rewrite.shown(each),
    categories: categories.map((category) => categoryIri(category.id)),
    collections: collections.map(collectionIri),
  })
  return {
    guard: [
      rulesGuard(rules),
      { kind: 'products', id, version },
      ...kept.map((each) => ({ kind: 'categories', id: each.id, version: null })),
      ...entryGuards(product.collections, after.collections, rules),
    ],
    statements: updateStatements(context, {
      after,
      before,
      state,
      categoryIds,
      archivedChannels,
      archival,
      sortings: collectionsChangeStatements(sortings),
    }),
    changed: [
      {
        kind: 'products',
        id,
        version: version + 1,
        action: 'updated',
        topic: nowArchived && !archived ? 'product/deleted' : 'product/updated',
        document: productEventDocument(after),
        changes: differencesWithCustomFields(view(before, product), view(state, after)),
      },
    ],
    totals: { ...collectionsChangeTotals(sortings), products: Number(archived) - Number(nowArchived) },
    result: after,
    constraintProblems: refusals,
  }
}
