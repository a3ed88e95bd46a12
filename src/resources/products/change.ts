import { sql } from 'drizzle-orm'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import type { State } from '../../core/state.ts'
import { demandVersion, type Plan, write } from '../../core/write.ts'
import { type Session, statement } from '../../db/client.ts'
import { gathered, made, nothing, type Reading } from '../../db/reading.ts'
import { embeddedReading, levelsOf } from '../categories/index.ts'
import { categoryIri } from '../categories/iri.ts'
import { differencesWithCustomFields, referencesReading } from '../content/custom-fields/index.ts'
import {
  demandChoice,
  entryGuards,
  existingCollections,
  rulesGuard,
  rulesReading,
  sortingStatements,
  sortingTotals,
  type TenantRules,
  writtenCollections,
} from './collections/index.ts'
import { collectionIri } from './collections/iri.ts'
import { askedOfVariants } from './continuation.ts'
import { type Decided, decide } from './decide-change.ts'
import { type ProductOutline, type ProductParts, productDocument } from './document.ts'
import { conflictsReading, isRestoring, refusals } from './names.ts'
import type { writeParameters } from './parameters.ts'
import { productProblems } from './problems.ts'
import { onItem } from './room.ts'
import { product as shape } from './schema.ts'
import { stampedProduct } from './stamped.ts'
import { idOf, productReading } from './store.ts'
import { productEventDocument } from './touch.ts'
import { updateStatements } from './update.ts'

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
  rewrite: Rewrite<typeof shape>,
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

type Asked = { readonly id: string; readonly body: Body; readonly expand: number }

async function change(
  context: Context,
  read: Session['read'],
  asked: Asked,
  rewrite = patching(shape, asked.body, context.locale),
): Promise<Plan<ProductParts>> {
  const { id, body } = asked
  const { product, existing, ...found } = await readChange(context, read, asked)
  if (!product) throw productProblems.not_found({ id })
  demandChoice(context, writtenCollections(body), product.collections, found.rules)
  demandVersion(context, product.version)
  const known = new Set(existing.map((each) => each.id))
  const decided = decide(context, { ...found, product, existing: known }, body, rewrite)
  return decided ? planOf(context, product, decided, found.rules, rewrite) : { unchanged: product }
}

function readChange(context: Context, read: Session['read'], { id, body, expand }: Asked) {
  const { locale, tenant } = context
  const options = { locale, expand, translations: true }
  return read({
    product: productReading(idOf(id), { ...options, room: onItem }),
    archivedChannels: archivedChannelsReading(id, body),
    conflicts: conflictsReading(context, id, body),
    references: referencesReading([body.fields]),
    rules: rulesReading(tenant),
    existing: existingCollections(writtenCollections(body) ?? []),
    categories: embeddedReading(body.categories ?? [], options),
  })
}

/** Reads the channels that a product had when it was archived, if the body may restore it without naming any. */
function archivedChannelsReading(id: string, body: Body): Reading<readonly string[]> {
  if (!isRestoring(body) || body.channels !== undefined) return made(nothing, () => [])
  const rows = statement<{ channels: string[] }>(sql`
    select to_json(archived_channels) as channels from products where tenant_id = current_tenant() and id = ${id}::uuid`)
  return made(gathered({ rows }), (read) => read.rows[0]?.channels ?? [])
}

function planOf(
  context: Context,
  product: ProductParts,
  { before, state, after, categoryIds, archivedChannels }: Decided,
  rules: TenantRules,
  rewrite: Rewrite<typeof shape>,
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
      sortings: sortingStatements(sortings),
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
    totals: { ...sortingTotals(sortings), products: Number(archived) - Number(nowArchived) },
    result: after,
    refusals,
  }
}
