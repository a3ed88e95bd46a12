import { sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { created, merged, type State, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { type Statement, statement } from '../../db/query.ts'
import { textArray } from '../../db/write-steps.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../fields/custom-fields.ts'
import type { ProductParts } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import { type Touch, touch } from '../products/row.ts'
import { productIri } from '../products/schema.ts'
import { claimed, type NewSaleOffer, newSaleOffers, type WrittenList } from '../sale-offers/inline.ts'
import { combinationOf, type Resolved, resolveChange, resolveOptionValues } from './combination.ts'
import type { VariantParts } from './document.ts'
import { variantProblems } from './problems.ts'
import { type Body, limits, variantParts, variantRow } from './row.ts'
import { variant as shape, variantIri } from './schema.ts'

/** What is written of a variant's names. */
type Named = { readonly sku?: string | null; readonly externalId?: string | null }

/** A name that another live variant has. */
export type Taken = { kind: 'sku' | 'externalId'; value: string }

/** Finds out which of the names in bodies live variants have. */
export function takenStatement(bodies: readonly Named[], except: string | null): Statement<Taken> {
  const named = (property: keyof Named) => textArray(bodies.flatMap((each) => each[property] ?? []))
  return statement(
    sql`select kind, value from variant_names_taken(${named('sku')}, ${named('externalId')}, ${except}::uuid)`,
  )
}

/** The conflicts of rows with names that others have, and with one another. */
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

/** What was read to change a variant. */
type ChangeInputs = {
  readonly product: ProductParts
  readonly own: VariantParts
  readonly taken: readonly Taken[]
  readonly references: References
}

/** A change of a variant that is allowed, with its states before and after. */
export type DecidedChange = {
  readonly product: ProductParts
  readonly own: VariantParts
  readonly after: VariantParts
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
}

/** Decides what a patch leaves of a variant; null where it changes nothing. @throws Problem 409, 422 */
export function decideChange(
  { locale, now }: Pick<Context, 'locale' | 'now'>,
  { product, own, taken, references }: ChangeInputs,
  body: Body,
): DecidedChange | null {
  const before = stateOf(shape, own)
  const { state: plain, violations } = merged(shape, before, body, locale)
  const isArchived = plain.values.status === 'ARCHIVED'
  const archivedAt = isArchived ? (before.values.archivedAt ?? instantOf(now)) : null
  const state = { ...plain, values: { ...plain.values, archivedAt } }
  const resolved = resolvedValues(locale, product, own, body)
  const isSame = sameJson(before.values, state.values) && sameJson(own.optionValueIds, resolved.ids)
  const wasArchived = own.status === 'ARCHIVED'
  if (wasArchived && isArchived && !(isSame && body.position == null)) throw variantProblems.archived()
  throwViolations([
    ...violations,
    ...resolved.violations,
    ...customFieldViolations({ fields: body.fields, before, after: state }, references),
    ...(wasArchived && !isArchived ? limits(product, 1) : []),
  ])
  const position = isArchived ? null : positionOf(own, product.variantsTotal, body.position)
  if (isSame && position === own.position) return null
  const metaobjects = metaobjectsOf(state.values.fields, own.metaobjects, references.metaobjects)
  const after = variantParts({ ...own, optionValueIds: resolved.ids, position, metaobjects }, state)
  throwViolations(takenViolations(taken, [variantRow(after, state.values)], (_, path) => path))
  return { product, own, after, before, state }
}

/** The option values that a patch chooses; its own where it says nothing of them. */
function resolvedValues(
  locale: Locale,
  { options }: ProductParts,
  { optionValueIds: own }: VariantParts,
  { optionValues }: Body,
): Resolved {
  if (optionValues === undefined) return { ids: [...own], violations: [] }
  return resolveChange(options, optionValues ?? [], locale, { path: 'optionValues', own })
}

/** Where an active variant comes to stand; one that is restored comes last where nothing is said. */
function positionOf(own: VariantParts, total: number, wanted: number | null | undefined): number | null {
  const isRestored = own.status === 'ARCHIVED'
  if (!isRestored && wanted === undefined) return own.position
  const end = isRestored ? total : total - 1
  return wanted == null || wanted < 0 ? end : Math.min(wanted, end)
}

/** New variants as they are written, each with the id that it gets; `bulk` where an array was sent. */
export type RequestedVariant = {
  readonly productId: string
  readonly written: readonly { readonly id: string; readonly body: Body }[]
  readonly bulk: boolean
}

/** What was read to create variants. */
type CreationInputs = {
  readonly product: ProductParts | null
  readonly taken: readonly Taken[]
  readonly references: References
  /** The external ids among those of its sale offers that others have. */
  readonly claims: Set<string>
}

type Made = {
  readonly parts: VariantParts & { readonly position: number }
  readonly state: State<typeof shape>
  readonly saleOffers: readonly NewSaleOffer[]
}

/** New variants that are allowed, each in the place that it comes to. */
export type DecidedCreation = {
  readonly product: ProductParts
  readonly touched: Touch
  readonly made: readonly Made[]
}

/** The sale offers that new variants are written with. */
export function writtenOffers({ written, bulk }: RequestedVariant): WrittenList[] {
  return written.map(({ body: { saleOffers } }, index) => ({
    path: reorder(bulk, index, 'saleOffers'),
    written: saleOffers ?? [],
  }))
}

function reorder(bulk: boolean, index: number, path: string): string {
  return bulk ? `[${index}].${path}` : path
}

type Writing = Pick<Context, 'locale'> & { readonly tenant: Pick<Context['tenant'], 'locales'> }

/** Decides what new variants are. @throws Problem 404, 409, 422 */
export function decideCreation(
  context: Writing,
  { product, taken, references, claims }: CreationInputs,
  asked: RequestedVariant,
): DecidedCreation {
  const { productId, written, bulk } = asked
  if (!product) throw productProblems.not_found({ id: productId })
  const touched = touch(product)
  const at = (index: number, path: string) => reorder(bulk, index, path)
  const positions = positionsOf(written, product.variantsTotal)
  const drafts = written.map(({ id, body }, index) => {
    const identity = { id, productId, position: positions.get(id) ?? 0 }
    return draft(context, product, identity, body, references, (path) => at(index, path))
  })
  throwViolations([...limits(product, drafts.length), ...drafts.flatMap((each) => each.violations)])
  const rows = drafts.map(({ parts, state }) => variantRow(parts, state.values))
  throwViolations([...takenViolations(taken, rows, at), ...claimed(writtenOffers(asked), claims)])
  throwViolations(repeatedCombination(drafts, at))
  return { product, touched, made: drafts }
}

/** Where each new variant ends up: the others stay in their order around them. */
function positionsOf(written: RequestedVariant['written'], total: number): ReadonlyMap<string, number> {
  const order: (string | null)[] = Array.from({ length: total }, () => null)
  for (const { id, body } of written) {
    const { position } = body
    order.splice(position == null || position < 0 ? order.length : position, 0, id)
  }
  return new Map(order.flatMap((id, position) => (id === null ? [] : [[id, position] as const])))
}

function draft(
  context: Writing,
  { options, categories }: ProductParts,
  identity: { readonly id: string; readonly productId: string; readonly position: number },
  body: Body,
  references: References,
  at: (path: string) => string,
): Made & { readonly violations: Violation[] } {
  const { locale } = context
  const resolved = resolveOptionValues(options, body.optionValues ?? [], locale, at('optionValues'))
  const state = created(shape, { ...body, status: 'ACTIVE' }, locale)
  const misfits = customFieldViolations({ fields: body.fields, before: null, after: state }, references, at)
  const metaobjects = metaobjectsOf(state.values.fields, references.metaobjects)
  const parts = variantParts({ ...identity, optionValueIds: resolved.ids, metaobjects }, state)
  const { id, productId, position } = identity
  const owner = { id, iri: variantIri(productId, id), ownerId: productId, ownerIri: productIri(productId) }
  const saleOffers = newSaleOffers(context, body.saleOffers ?? [], { ...owner, categories })
  const violations = [...resolved.violations, ...misfits]
  return { parts: { ...parts, position }, state, saleOffers, violations }
}

/** The first combination that another new variant has already. */
function repeatedCombination(
  drafts: readonly Made[],
  at: (index: number, path: string) => string,
): Violation[] {
  const combinations = drafts.map(({ parts }) => combinationOf(parts.optionValueIds))
  const repeated = combinations.findIndex((each, index) => combinations.indexOf(each) < index)
  return repeated < 0 ? [] : [variantProblems.combination_exists.at(at(repeated, 'optionValues'))]
}
