import { type SQL, sql } from 'drizzle-orm'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { archivedAt, created, merged, type State, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { type Statement, statement } from '../../db/query.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../fields/custom-fields.ts'
import type { Offer } from '../offers/document.ts'
import type { ProductParts } from '../products/document.ts'
import { variantProblems } from '../products/problems.ts'
import { productIri } from '../products/schema.ts'
import { newSaleOffers, type OfferList, reserveExternalIds } from '../sale-offers/inline.ts'
import { namesInUse, type TakenName, takenNameColumns, takenPartNames } from '../shared/names.ts'
import { finalPositions, positionIn } from '../shared/properties.ts'
import { combinationOf, type ResolvedValues, resolveChange, resolveOptionValues } from './combination.ts'
import type { VariantParts } from './document.ts'
import { type Body, limitViolations, variantParts } from './row.ts'
import { type InlineVariant, variant as shape, variantIri } from './schema.ts'

type VariantNames = { readonly sku?: string | null; readonly externalId?: string | null }

/** Selects those of the names in bodies that active variants use. */
export function takenVariantNames(bodies: readonly VariantNames[]): Statement<TakenName> {
  const namesOf = (property: keyof VariantNames) => bodies.flatMap((body) => body[property] ?? [])
  return takenPartNames({ sku: namesOf('sku'), variantExternalId: namesOf('externalId') })
}

/** Selects those of the names of a changed variant that others use. A restored variant uses its stored names again. */
export function takenNamesOfChange({ sku, externalId }: VariantNames, id: string): Statement<TakenName> {
  const names = (name: string | null | undefined, column: SQL) =>
    sql`jsonb_build_array(coalesce(${name ?? null}::text, ${column}))`
  return statement(takenNameColumns)`
    select n.kind, n.value from variants v cross join lateral names_in_use(jsonb_build_object(
        'sku', ${names(sku, sql`v.sku`)}, 'variantExternalId', ${names(externalId, sql`v.external_id`)})) n
     where v.tenant_id = current_tenant() and v.id = ${id}::uuid and n.id <> v.id`
}

const nameKinds = { externalId: 'variantExternalId' }

const nameProblems = {
  sku: variantProblems.sku_taken,
  externalId: variantProblems.external_id_taken,
}

type ChangeInputs = {
  readonly product: ProductParts
  readonly current: VariantParts
  readonly takenNames: readonly TakenName[]
  readonly references: References
}

/** The decided change of a variant, with its states before and after. */
export type ChangeDecision = {
  readonly product: ProductParts
  readonly current: VariantParts
  readonly after: VariantParts
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
}

/** Decides a patch of a variant. Returns null if nothing changes. @throws Problem 409, 422 */
export function decideChange(
  { locale, now }: Pick<Context, 'locale' | 'now'>,
  { product, current, takenNames, references }: ChangeInputs,
  body: Body,
): ChangeDecision | null {
  const before = stateOf(shape, current)
  const { state: mergedState, violations } = merged(shape, before, body, locale)
  const isArchived = mergedState.values.status === 'ARCHIVED'
  const values = { ...mergedState.values, archivedAt: archivedAt(before.values, mergedState.values, now) }
  const state = { ...mergedState, values }
  const resolved = resolveValues(locale, product, current, body)
  const isSame = sameJson(before.values, state.values) && sameJson(current.optionValueIds, resolved.ids)
  const wasArchived = current.status === 'ARCHIVED'
  if (wasArchived && isArchived && !(isSame && body.position == null)) throw variantProblems.archived()
  throwViolations([
    ...violations,
    ...resolved.violations,
    ...customFieldViolations({ fields: body.fields, before, after: state }, references),
    ...(wasArchived && !isArchived ? limitViolations(product, 1) : []),
  ])
  const position = isArchived ? null : positionOf(current, product.variantsTotal, body.position)
  if (isSame && position === current.position) return null
  const metaobjects = metaobjectsOf(state.values.fields, current.metaobjects, references.metaobjects)
  const after = variantParts({ ...current, optionValueIds: resolved.ids, position, metaobjects }, state)
  throwViolations(
    namesInUse(takenNames).reserveAll(state.values, nameProblems, (property) => property, nameKinds),
  )
  return { product, current, after, before, state }
}

/** The codes of a variant by which a search finds its product. */
export function codesOf({ values: { status, sku, barcode } }: State<typeof shape>): (string | null)[] {
  return status === 'ACTIVE' ? [sku, barcode] : [null, null]
}

/** Resolves the option values in a patch. Without any, the variant keeps its current ones. */
function resolveValues(
  locale: Locale,
  { options }: ProductParts,
  { optionValueIds: currentIds }: VariantParts,
  { optionValues }: Body,
): ResolvedValues {
  if (optionValues === undefined) return { ids: [...currentIds], violations: [] }
  return resolveChange(options, optionValues ?? [], locale, { path: 'optionValues', currentIds })
}

/** The position of a variant after a patch; null if archived. A restored variant is last by default. */
function positionOf(
  current: VariantParts,
  total: number,
  requested: number | null | undefined,
): number | null {
  const isRestored = current.status === 'ARCHIVED'
  if (!isRestored && requested === undefined) return current.position
  const end = isRestored ? total : total - 1
  return positionIn(requested, end)
}

/** The variants of a request with their new ids; `bulk` if the body is an array. */
export type RequestedVariant = {
  readonly productId: string
  readonly variants: readonly { readonly id: string; readonly body: Body }[]
  readonly bulk: boolean
}

type CreationInputs = {
  readonly takenNames: readonly TakenName[]
  readonly references: References
  /** Those of its sale offers' external ids that other offers use. */
  readonly takenOfferIds: readonly TakenName[]
}

/** A new variant with its final position. */
export type VariantDraft = {
  readonly parts: VariantParts & { readonly position: number }
  readonly state: State<typeof shape>
  readonly saleOffers: readonly Offer[]
}

/** The sale offers in the bodies of new variants. */
export function offerLists({ variants, bulk }: RequestedVariant): OfferList[] {
  return variants.map(({ body: { saleOffers } }, index) => ({
    path: requestPath(bulk, index, 'saleOffers'),
    offers: saleOffers ?? [],
  }))
}

function requestPath(bulk: boolean, index: number, path: string): string {
  return bulk ? `[${index}].${path}` : path
}

type WriteContext = Pick<Context, 'locale'> & { readonly tenant: Pick<Context['tenant'], 'locales'> }

/** Builds the variants of a request. @throws Problem 409, 422 */
export function draftVariants(
  context: WriteContext,
  product: ProductParts,
  { takenNames, references, takenOfferIds }: CreationInputs,
  request: RequestedVariant,
): VariantDraft[] {
  const { productId, variants, bulk } = request
  const at = (index: number, path: string) => requestPath(bulk, index, path)
  const requestedPositions = variants.map(({ id, body: { position } }) => ({ id, position }))
  const positions = new Map(
    finalPositions(requestedPositions, product.variantsTotal).map(({ id, position }) => [id, position]),
  )
  const drafts = variants.map(({ id, body }, index) => {
    const identity = { id, productId, position: positions.get(id) ?? 0 }
    return draftVariant(context, product, identity, body, references, (path) => at(index, path))
  })
  throwViolations([
    ...limitViolations(product, drafts.length),
    ...drafts.flatMap((draft) => draft.violations),
  ])
  const names = namesInUse(takenNames)
  throwViolations([
    ...drafts.flatMap(({ state }, index) =>
      names.reserveAll(state.values, nameProblems, (path) => at(index, path), nameKinds),
    ),
    ...reserveExternalIds(offerLists(request), namesInUse(takenOfferIds)),
  ])
  throwViolations(repeatedCombination(drafts, at))
  return drafts
}

/** Builds a new variant. `hasOptionValues` is false if its option values are invalid. */
export function draftVariant(
  context: WriteContext,
  { options, categories }: Pick<ProductParts, 'options' | 'categories'>,
  identity: { readonly id: string; readonly productId: string; readonly position: number },
  body: Body | InlineVariant,
  references: References,
  at: (path: string) => string,
): VariantDraft & { readonly violations: readonly Violation[]; readonly hasOptionValues: boolean } {
  const { locale } = context
  const resolved = resolveOptionValues(options, body.optionValues ?? [], locale, at('optionValues'))
  const state = created(shape, { ...body, status: 'ACTIVE' }, locale)
  const fieldViolations = customFieldViolations(
    { fields: body.fields, before: null, after: state },
    references,
    at,
  )
  const metaobjects = metaobjectsOf(state.values.fields, references.metaobjects)
  const parts = variantParts({ ...identity, optionValueIds: resolved.ids, metaobjects }, state)
  const { id, productId, position } = identity
  const owner = { id, iri: variantIri(productId, id), ownerId: productId, ownerIri: productIri(productId) }
  const saleOffers = newSaleOffers(context, body.saleOffers ?? [], { ...owner, categories })
  const violations = [...resolved.violations, ...fieldViolations]
  const hasOptionValues = resolved.violations.length === 0
  return { parts: { ...parts, position }, state, saleOffers, violations, hasOptionValues }
}

/** The conflict of the first combination that an earlier variant of the request has. */
function repeatedCombination(
  drafts: readonly VariantDraft[],
  at: (index: number, path: string) => string,
): Violation[] {
  const combinations = drafts.map(({ parts }) => combinationOf(parts.optionValueIds))
  const repeatedIndex = combinations.findIndex(
    (combination, index) => combinations.indexOf(combination) < index,
  )
  return repeatedIndex < 0 ? [] : [variantProblems.combination_exists.at(at(repeatedIndex, 'optionValues'))]
}
