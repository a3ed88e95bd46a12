import { sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { render, type State, standardText, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, type Stamps, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import { assembleCategories, categoryStatements, levelsOf } from '../categories/index.ts'
import { categoryIri } from '../categories/iri.ts'
import {
  changesWithFields,
  fieldViolations,
  metaobjectsOf,
  referencesIn,
  referencesStatement,
} from '../content/custom-fields/index.ts'
import {
  demandChoice,
  entryGuards,
  existingCollections,
  placed,
  readingRules,
  rulesGuard,
  sortingStatements,
  sortingTotals,
  writtenCollections,
} from './collections/index.ts'
import { collectionIri } from './collections/iri.ts'
import { askedOfVariants } from './continuation.ts'
import { type ProductParts, productDocument } from './document.ts'
import { productIri } from './iri.ts'
import { type Body, type Conflict, conflictStatement, refusals, refuseConflicts } from './names.ts'
import { productProblems } from './problems.ts'
import { onItem } from './room.ts'
import { subjectOf } from './rows.ts'
import { product as shape } from './schema.ts'
import { stampedProduct } from './stamped.ts'
import { idOf, readProduct } from './store.ts'
import { eventDocument } from './touch.ts'
import { updateStatements } from './update.ts'

/** Merges a patch into a product; `status` archives and restores. */
export async function patchProduct(context: Context, { params, query, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const [body = {}] = bodies
  const expand = levelsOf(query.expand)
  const { result, stamps, replayed } = await write<Json>(context, 'patchProduct', (read) =>
    change(context, read, id, body, expand),
  )
  const asked = askedOfVariants(context.url, query)
  return answer(context, asked, result as unknown as ProductParts, stamps, replayed)
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

function answer(
  context: Context,
  asked: string,
  parts: ProductParts,
  stamps: Stamps,
  replayed: boolean,
): Answer {
  const product = stampedProduct(parts, stamps)
  return {
    kind: 'item',
    document: productDocument(product, context.locale, null, onItem, asked),
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
  const wantedCollections = writtenCollections(body)
  const options = { locale: context.locale, expand, room: onItem, translations: true }
  const reading = readingRules(context.tenant)
  const { product, more } = await readProduct(
    read,
    idOf(id),
    options,
    conflictStatement(id, body),
    referencesStatement([body.fields]),
    reading.statement,
    existingCollections(wantedCollections ?? []),
    ...categoryStatements(sql`select unnest(${uuids(wantedCategories)})`, { ...options, embedded: true }),
  )
  if (!product) throw productProblems.not_found({ id })
  const [conflicts, referred, [rulesRow], collectionRows, ...categoryRows] = more as [
    Conflict[],
    unknown[],
    Parameters<typeof reading.rules>,
    { id: string }[],
    ...unknown[][],
  ]
  const rules = reading.rules(rulesRow)
  demandChoice(context, wantedCollections, product.collections, rules)
  demandVersion(context, product.version)
  const before = stateOf(shape, product)
  const { state: plain, violations } = rewrite.apply(before)
  const state = withArchival(before, plain, context)
  const references = referencesIn(referred)
  const categories = assembleCategories(categoryRows, options)
  const categoryIds =
    body.categories === undefined ? product.categories.map((each) => each.id) : wantedCategories
  const unknown =
    body.categories === undefined
      ? []
      : wantedCategories.flatMap((each, index) =>
          categories.has(each)
            ? []
            : [validationProblems.unknown_reference.at(`categories[${index}]`, { iri: categoryIri(each) })],
        )
  const cleared = body.handle === null ? [validationProblems.required.at('handle')] : []
  const misfits = fieldViolations({ fields: body.fields, before, after: state }, references)
  const placing = placed(wantedCollections, {
    current: product.collections,
    subject: subjectOf(state, {
      title: standardText(state, 'title', context.tenant.locales) ?? '',
      createdAt: product.createdAt,
      categoryIds,
    }),
    existing: new Set(collectionRows.map((each) => each.id)),
    rules,
  })
  const sameCategories = sameJson(categoryIds as Json, product.categories.map((each) => each.id) as Json)
  // As it was written: archiving leaves no channels, whichever are asked for.
  const unchanged =
    sameCategories && placing.sameChoice && sameJson(before as unknown as Json, plain as unknown as Json)
  const archived = product.status === 'ARCHIVED'
  if (archived && plain.values.status === 'ARCHIVED' && !unchanged) throw productProblems.archived()
  refuse([...violations, ...cleared, ...misfits, ...unknown, ...placing.violations])
  if (unchanged) return { unchanged: product as unknown as Json }
  refuseConflicts(conflicts)

  const view = (each: State, ids: readonly string[], collections: readonly string[]) =>
    ({
      ...rewrite.shown(each),
      categories: ids.map(categoryIri),
      collections: collections.map(collectionIri),
    }) as Json
  const after: ProductParts = {
    ...product,
    status: String(state.values.status),
    document: render(shape, { iri: productIri(id), id }, state, context.tenant.locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, product.metaobjects, references.metaobjects),
    categories:
      body.categories === undefined
        ? product.categories
        : categoryIds.flatMap((each) => categories.get(each) ?? []),
    collections: placing.collections,
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
  // Nothing else keeps the categories of an archived product from being deleted while it is restored.
  const kept = archived && !nowArchived ? after.categories : []
  return {
    guard: [
      rulesGuard(rules),
      { kind: 'products', id, version: product.version },
      ...kept.map((each) => ({ kind: 'categories', id: each.id, version: null })),
      ...entryGuards(product.collections, after.collections, rules),
    ],
    statements: [
      ...updateStatements(context, {
        after,
        before,
        state,
        categoryIds: sameCategories ? null : categoryIds,
        archival: archived === nowArchived ? null : nowArchived,
      }),
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
    refusals,
  }
}

/** Archiving empties the channels and notes when; restoring forgets when. */
function withArchival(before: State, after: State, context: Context): State {
  const archived = after.values.status === 'ARCHIVED'
  const archivedAt = archived ? ((before.values.archivedAt as string | null) ?? instantOf(context.now)) : null
  return { ...after, values: { ...after.values, archivedAt, ...(archived ? { channels: [] } : {}) } }
}
