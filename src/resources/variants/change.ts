import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import { iri } from '../../core/iri.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { stamped } from '../../core/stamped.ts'
import { created, merged, type State, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Changed, demandVersion, type Plan, type Stamps, write } from '../../core/write.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { place, placeAll } from '../../db/place.ts'
import { insertRows, texts, updateRows } from '../../db/rows.ts'
import { categoryDocument } from '../categories/index.ts'
import {
  changesWithFields,
  fieldViolations,
  metaobjectsOf,
  referencesIn,
  referencesStatement,
} from '../custom-fields/index.ts'
import {
  idOf,
  type ProductParts,
  productProblems,
  readProduct,
  reindexed,
  touch,
  variantColumns,
} from '../products/index.ts'
import { offerStatement, pricesOf, questionOf } from '../sale-offers/index.ts'
import { combinationOf, resolveOptionValues } from './combination.ts'
import { shownValues, type VariantParts, variantDocument } from './document.ts'
import { variantProblems } from './problems.ts'
import { maximumVariants, type OptionValueChoice, variant as shape } from './schema.ts'
import { variantParts, variantRow } from './store.ts'
import { variantOptionValues, variants } from './table.ts'

type Body = Readonly<Record<string, Json>>
/** What a write answers: its product's parts, for titles and categories, and the variants. */
type Result = { product: ProductParts; variants: VariantParts[] }

const all = { variants: 0, translations: true }
const siblings = (productId: string) => sql`product_id = ${productId}::uuid and status = 'ACTIVE'`

const variantStatement = (productId: string, id: string): Statement =>
  statement(sql`select ${variantColumns} from variants
    where tenant_id = current_tenant() and product_id = ${productId}::uuid and id = ${id}::uuid`)

function document(product: ProductParts, parts: VariantParts, context: Context, price?: Json) {
  return variantDocument(parts, shownValues(product.options, context.locale), context.locale, {
    ...(price === undefined ? {} : { resolvedPrice: price }),
    categories: product.categories.map((each) => categoryDocument(each, context.locale)),
  })
}

/** Reads one variant; archived ones too. */
export async function getVariant(context: Context, { params, query }: Input): Promise<Answer> {
  const { productId, variantId } = params as { productId: string; variantId: string }
  const question = questionOf(query, context)
  const { product, sequence, more } = await readProduct(
    context.db.read,
    idOf(productId),
    { locale: context.locale, expand: query.expand as number, variants: 0 },
    variantStatement(productId, variantId),
    ...(question ? [offerStatement(sql`select ${variantId}::uuid`, question)] : []),
  )
  const found = (more[0] as VariantParts[])[0]
  if (!product || !found) throw variantProblems.not_found({ id: variantId })
  const price = question
    ? (pricesOf(more[1] as Parameters<typeof pricesOf>[0], question).get(variantId) ?? null)
    : undefined
  return {
    kind: 'item',
    document: document(product, found, context, price as Json | undefined),
    version: found.version,
    sequence,
  }
}

/** Creates one variant or up to 250 of one product, all or nothing: a combination exists once, also under concurrency. */
export async function createVariants(
  context: Context,
  { params, query, bodies, bulk }: Input,
): Promise<Answer> {
  const productId = params.productId!
  const ids = bodies.map(() => uuidv7())
  const { result, stamps, replayed } = await write<Json>(context, 'createVariants', async (read) => {
    const { product, more } = await readProduct(
      read,
      idOf(productId),
      { ...all, locale: context.locale, expand: query.expand as number },
      takenStatement(bodies, null),
      referencesStatement(bodies.map((each) => each.fields)),
    )
    if (!product) throw productProblems.not_found({ id: productId })
    const touched = touch(product)
    const at = (index: number, path: string) => (bulk ? `[${index}].${path}` : path)
    refuse(limits(product, bodies.length))
    const references = referencesIn(more[1]!)
    const violations: Violation[] = []
    // Where each new variant ends up: the others stay in their order around them.
    const order: (string | null)[] = Array.from({ length: product.variantsTotal }, () => null)
    const made = bodies.map((body, index) => {
      const choices = (body.optionValues as unknown as OptionValueChoice[] | null | undefined) ?? []
      const resolved = resolveOptionValues(
        product.options,
        choices,
        context.locale,
        at(index, 'optionValues'),
      )
      violations.push(...resolved.violations)
      const position = body.position as number | null | undefined
      order.splice(position == null || position < 0 ? order.length : position, 0, ids[index]!)
      const state = created(shape, { ...body, status: 'ACTIVE' }, context.locale)
      violations.push(
        ...fieldViolations({ fields: body.fields, before: null, after: state }, references, (path) =>
          at(index, path),
        ),
      )
      const metaobjects = metaobjectsOf(state.values.fields, references.metaobjects)
      const identity = { id: ids[index]!, productId, optionValueIds: resolved.ids, position: 0, metaobjects }
      return variantParts(identity, state)
    })
    refuse(violations)
    refuse(takenViolations(more[0] as Taken[], made.map(variantRow), at))
    const combinations = made.map((each) => combinationOf(each.optionValueIds))
    const repeated = combinations.findIndex((each, index) => combinations.indexOf(each) < index)
    if (repeated >= 0) refuse([variantProblems.combination_exists.at(at(repeated, 'optionValues'))])
    const placed = made.map((each) => ({ ...each, position: order.indexOf(each.id) }))
    // Appended first, then moved: only a position that was asked for costs a renumbering.
    const rows = placed.map((each, index) => ({
      ...variantRow(each),
      position: product.variantsTotal + index,
    }))
    const moves = placed.some((each, index) => each.position !== product.variantsTotal + index)
    return {
      guard: [touched.guard],
      statements: [
        ...insertRows(variants, rows),
        ...insertRows(variantOptionValues, rows.flatMap(valueLinks)),
        ...(moves ? [placeAll(variants, siblings(productId), placed)] : []),
        ...(rows.some((each) => each.sku || each.barcode) ? reindexed(product, context.tenant.locales) : []),
      ],
      changed: [...placed.map((each) => changed(each, 'created', {}, stateOf(shape, each))), touched.changed],
      totals: {},
      result: { product: slim(product), variants: placed } as unknown as Json,
      refusals: {
        variants_combination: variantProblems.combination_exists(),
        variants_sku: 'again',
        variants_external_id: 'again',
        variant_option_values_in_use: 'again',
      },
    }
  })
  return answer(context, result as unknown as Result, stamps, bulk, replayed, true)
}

function answer(
  context: Context,
  { product, variants: made }: Result,
  stamps: Stamps,
  bulk: boolean,
  replayed: boolean,
  fresh: boolean,
): Answer {
  const parts = made.map((each) => stamped(each, stamps))
  const documents = parts.map((each) => document(product, each, context))
  if (bulk) return { kind: 'collection', members: documents, total: documents.length, replayed }
  const [own] = parts
  const location = fresh ? { location: iri.variant(own!.productId, own!.id) } : {}
  return { kind: 'item', document: documents[0]!, version: own!.version, replayed, ...location }
}

/** Merges a patch into a variant; `status` archives and restores. */
export async function patchVariant(context: Context, { params, query, bodies }: Input): Promise<Answer> {
  const { result, stamps, replayed } = await write<Json>(context, 'patchVariant', (read) =>
    change(context, read, params as Parameters<typeof change>[2], bodies[0] ?? {}, query.expand as number),
  )
  return answer(context, result as unknown as Result, stamps, false, replayed, false)
}

/** Archives a variant: out of the order, its combination and SKU free. Idempotent. */
export async function deleteVariant(context: Context, { params }: Input): Promise<Answer> {
  const { replayed } = await write<Json>(context, 'deleteVariant', (read) =>
    change(context, read, params as Parameters<typeof change>[2], { status: 'ARCHIVED' }, 0),
  )
  return { kind: 'empty', replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  { productId, variantId }: { productId: string; variantId: string },
  body: Body,
  expand: number,
): Promise<Plan<Json>> {
  const { product, more } = await readProduct(
    read,
    idOf(productId),
    { ...all, locale: context.locale, expand },
    variantStatement(productId, variantId),
    takenStatement([body], variantId),
    referencesStatement([body.fields]),
  )
  const [found, taken, referred] = more as [VariantParts[], Taken[], unknown[]]
  const references = referencesIn(referred)
  const own = found[0]
  if (!product || !own) throw variantProblems.not_found({ id: variantId })
  demandVersion(context, own.version)
  const unchanged = { unchanged: { product: slim(product), variants: [own] } as unknown as Json }
  const archived = own.status === 'ARCHIVED'
  if (archived && body.status === 'ARCHIVED' && Object.keys(body).length === 1) return unchanged
  if (archived && (body.status === undefined || body.status === 'ARCHIVED')) throw variantProblems.archived()
  const before = stateOf(shape, own)
  const { state: plain, violations } = merged(shape, before, body, context.locale)
  const nowArchived = plain.values.status === 'ARCHIVED'
  const archivedAt = nowArchived ? instantOf(context.now) : null
  const state: State = { ...plain, values: { ...plain.values, archivedAt } }

  const choices =
    body.optionValues === undefined
      ? null
      : ((body.optionValues as unknown as OptionValueChoice[] | null) ?? [])
  const resolved = choices
    ? resolveOptionValues(product.options, choices, context.locale, 'optionValues')
    : { ids: [...own.optionValueIds], violations: [] }
  const misfits = fieldViolations({ fields: body.fields, before, after: state }, references)
  refuse([...violations, ...resolved.violations, ...misfits])
  refuse(archived && !nowArchived ? limits(product, 1) : [])

  const total = product.variantsTotal
  const wanted = body.position as number | null | undefined
  const end = archived ? total : total - 1
  const moves = !nowArchived && (archived || wanted !== undefined)
  const position = nowArchived
    ? null
    : moves
      ? Math.min(wanted == null || wanted < 0 ? end : wanted, end)
      : own.position
  const metaobjects = metaobjectsOf(state.values.fields, own.metaobjects, references.metaobjects)
  const after = variantParts({ ...own, optionValueIds: resolved.ids, position, metaobjects }, state)
  if (
    sameJson(before.values as Json, state.values as Json) &&
    sameJson(own.optionValueIds as Json, resolved.ids) &&
    position === own.position
  ) {
    return unchanged
  }
  refuse(takenViolations(taken, [variantRow(after)], (_, path) => path))
  const touched = touch(product)
  const links =
    sameJson(own.optionValueIds as Json, resolved.ids) && archived === nowArchived ? [] : relink(after)
  const deleted = nowArchived && !archived
  const codes = ({ sku, barcode, status }: ReturnType<typeof variantRow>) =>
    status === 'ACTIVE' ? [sku, barcode] : [null, null]
  return {
    guard: [touched.guard, { kind: 'variants', id: variantId, version: own.version }],
    statements: [
      ...updateRows(variants, [
        { ...variantRow(after), position: archived ? total : nowArchived ? null : own.position },
      ]),
      ...links,
      ...(position !== own.position
        ? [place(variants, siblings(productId), position === null ? [] : [variantId], position ?? 0)]
        : []),
      ...(sameJson(codes(variantRow(own)), codes(variantRow(after)))
        ? []
        : reindexed(product, context.tenant.locales)),
    ],
    changed: [changed(after, deleted ? 'deleted' : 'updated', before, state, own), touched.changed],
    totals: {},
    result: { product: slim(product), variants: [after] } as unknown as Json,
    refusals: {
      variants_combination: variantProblems.combination_exists(),
      variants_sku: 'again',
      variants_external_id: 'again',
      variant_option_values_in_use: variantProblems.option_values_incomplete(),
    },
  }
}

/** A product's parts without what its variants' documents do not show. */
function slim(product: ProductParts): ProductParts {
  return { ...product, document: '{}', variants: [] }
}

function changed(
  parts: VariantParts,
  what: 'created' | 'updated' | 'deleted',
  before: State | Record<string, never>,
  after: State,
  was?: VariantParts,
): Changed {
  const view = (state: State, each: VariantParts) =>
    ({
      ...state.values,
      position: each.position,
      optionValues: each.optionValueIds.map(iri.optionValue),
    }) as Json
  return {
    kind: 'variants',
    id: parts.id,
    version: parts.version + 1,
    // An archived variant keeps its row, which is stamped like any other.
    action: what === 'created' ? 'created' : 'updated',
    topic: `variant/${what}`,
    ownerId: parts.productId,
    document: JSON.stringify(parts),
    changes: changesWithFields(was ? view(before as State, was) : {}, view(after, parts)),
  }
}

const valueLinks = (row: { id: string; optionValueIds: readonly string[] }) =>
  row.optionValueIds.map((optionValueId) => ({ optionValueId, variantId: row.id }))

/** Only active variants hold on to their option values. */
function relink(parts: VariantParts): Statement[] {
  return [
    statement(
      sql`delete from ${variantOptionValues} where tenant_id = current_tenant() and variant_id = ${parts.id}::uuid`,
    ),
    ...(parts.status === 'ACTIVE' ? insertRows(variantOptionValues, valueLinks(parts)) : []),
  ]
}

function limits(product: ProductParts, more: number): Violation[] {
  const total = product.variantsTotal + more
  if (total > maximumVariants) return [variantProblems.limit.at('', { maximum: maximumVariants })]
  if (product.options.length === 0 && total > 1) return [productProblems.options_required.at('optionValues')]
  return []
}

type Taken = { kind: 'sku' | 'externalId'; value: string }

function takenStatement(bodies: readonly Body[], except: string | null): Statement<Taken> {
  const named = (property: string) =>
    texts(bodies.flatMap((each) => (typeof each[property] === 'string' ? [each[property] as string] : [])))
  // A variant that is restored claims again what it had.
  const wanted = (property: string, column: SQL) =>
    sql`any(${named(property)} || array(select ${column} from variants where tenant_id = current_tenant() and id = ${except}::uuid))`
  const live = sql`tenant_id = current_tenant() and status = 'ACTIVE' and not product_archived and id is distinct from ${except}::uuid`
  return statement(sql`select 'sku' as kind, sku as value from variants where ${live} and sku = ${wanted('sku', sql`sku`)}
    union all select 'externalId', external_id from variants where ${live} and external_id = ${wanted('externalId', sql`external_id`)}`)
}

function takenViolations(
  taken: readonly Taken[],
  rows: readonly { sku: string | null; externalId: string | null }[],
  at: (index: number, path: string) => string,
): Violation[] {
  const skus = new Set(taken.flatMap((each) => (each.kind === 'sku' ? [each.value] : [])))
  const externalIds = new Set(taken.flatMap((each) => (each.kind === 'externalId' ? [each.value] : [])))
  return rows.flatMap(({ sku, externalId }, index) => {
    const found: Violation[] = []
    if (sku !== null && skus.has(sku)) found.push(variantProblems.sku_taken.at(at(index, 'sku'), { sku }))
    if (externalId !== null && externalIds.has(externalId)) {
      found.push(variantProblems.external_id_taken.at(at(index, 'externalId'), { externalId }))
    }
    // The rows of one request must differ among themselves too.
    if (sku !== null) skus.add(sku)
    if (externalId !== null) externalIds.add(externalId)
    return found
  })
}
