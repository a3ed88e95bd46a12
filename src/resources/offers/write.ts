import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { levelsOf } from '../../core/expand.ts'
import { instantOf } from '../../core/instant.ts'
import type { Locale } from '../../core/locale.ts'
import type { Answer, BodyOf, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { type Change, mapPlan, type Plan, updateOf, type WriteOutcome, withStamps } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { render, transitionOf } from '../../core/state.ts'
import { problemOfViolation, throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { combineQueries, type DatabaseQuery, mapQuery, noQuery } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import type { WriteStep } from '../../db/write-steps.ts'
import type { expandParameter } from '../categories/schema.ts'
import { productProblems, restoreHelp, variantProblems } from '../products/problems.ts'
import { productIri } from '../products/schema.ts'
import { type NamesInUse, namesInUse } from '../shared/names.ts'
import {
  changeOrCreate,
  createdAnswer,
  idByExternalId,
  type PlanQuery,
  prepared,
  restoring,
  upsert,
  upsertedAnswer,
  writtenItem,
} from '../shared/ordinary-operations.ts'
import { variantIri } from '../variants/schema.ts'
import {
  creationEvent,
  type IndexPrices,
  newOfferParts,
  noPrices,
  type Offer,
  type OfferParts,
  offerDocument,
  offerEventDocument,
} from './document.ts'
import {
  type CreatedOffer,
  createdOffer,
  externalIdIndex,
  limitConstraint,
  maximumOffers,
  mergedOffer,
  type OfferKind,
  type OfferLinks,
  type VariantOfferShape,
} from './kind.ts'
import type { OfferValues } from './properties.ts'
import { offerQuery, productCategoriesQuery, type Target, takenExternalIds, targetStatement } from './read.ts'
import { saveOffers } from './table.ts'

/** The violations if a variant, or its product, is archived. Its offers can then only be archived. */
function targetViolations({ id, productId, status, productArchived }: Target, path: string): Violation[] {
  if (productArchived) return [productProblems.archived.at(path, {}, restoreHelp(productIri(productId)))]
  if (status === 'ACTIVE') return []
  return [variantProblems.archived.at(path, {}, restoreHelp(variantIri(productId, id)))]
}

/**
 * The conflict that the step `require_offerable` raises. The write then reads again and names the archived
 * object.
 */
const archivedConflict = 'archived'

/**
 * Rejects the batch if a variant or its product was archived after it was read. The guard has locked the
 * variants before.
 */
function requireOfferable(variants: readonly string[]): WriteStep {
  return { do: 'require_offerable', variants }
}

/** Adds to each variant's number of offers. A constraint rejects a number above the limit. */
export function countSteps({ subject }: OfferKind, countChanges: ReadonlyMap<string, number>): WriteStep[] {
  const nonZeroChanges = [...countChanges].filter(([, change]) => change !== 0)
  if (nonZeroChanges.length === 0) return []
  const counts = nonZeroChanges.map(([id, change]) => ({ id, [`${subject}_count`]: change }))
  return [{ do: 'count_offers', counts }]
}

/** An offer to create; `at` maps a property name to its path in the request. */
type RequestedOffer = CreatedOffer & {
  readonly id: string
  readonly at: (name: string) => string
}

/** The violations of values, and the conflicts with stored rows, that a write reports. */
export type Faults = { readonly violations: Violation[]; readonly conflicts: Violation[] }

/**
 * @throws Problem 422 with all violations, otherwise 409 with the conflicts
 */
export function throwFaults({ violations, conflicts }: Faults): void {
  throwViolations(violations)
  // Report conflicts of one problem only: conflicts of several problems share no status that describes them
  // all.
  throwViolations(conflicts.filter((conflict) => conflict.problem === conflicts[0]?.problem))
}

/** The faults of new offers: archived targets and used external ids are conflicts. */
export function faultsOfNewOffers(
  kind: OfferKind,
  requests: readonly RequestedOffer[],
  targets: readonly Target[],
  names: NamesInUse,
): Faults {
  const targetsById = new Map(targets.map((target) => [target.id, target]))
  const offerCounts = new Map(targets.map((target) => [target.id, target.offers]))
  const violations: Violation[] = []
  const conflicts: Violation[] = []
  for (const request of requests) {
    const { variant, values, at } = request
    const target = targetsById.get(variant.id)
    violations.push(...request.violations)
    if (target?.productId === variant.ownerId) conflicts.push(...targetViolations(target, at('variant')))
    else violations.push(unknownVariant(request))
    if (values.status === 'ARCHIVED') continue
    const count = (offerCounts.get(variant.id) ?? 0) + 1
    offerCounts.set(variant.id, count)
    if (count > maximumOffers)
      violations.push(kind.problems.limit.at(at('variant'), { maximum: maximumOffers }))
    conflicts.push(...names.reserveAll(values, { externalId: kind.problems.external_id_taken }, at))
  }
  return { violations, conflicts }
}

function unknownVariant({ variant: { id, ownerId }, at }: RequestedOffer): Violation {
  return validationProblems.unknown_reference.at(at('variant'), { iri: variantIri(ownerId, id) })
}

/** Reads rows for the warnings about a request that writes one offer. */
function warningsQuery(
  kind: OfferKind,
  { now }: Context,
  request: { readonly id: string | SQL; readonly terms: Readonly<Record<string, unknown>> } | null,
): DatabaseQuery<(values: OfferValues, id: string) => string | undefined> {
  const none = mapQuery(noQuery, () => () => undefined)
  return (request && kind.warnings?.(request.id, request.terms, instantOf(now))) ?? none
}

/** Reads the rows that the links of bodies lead to. */
export function linksQuery({ links }: OfferKind, bodies: Parameters<NonNullable<OfferKind['links']>>[0]) {
  const none: DatabaseQuery<OfferLinks> = mapQuery(noQuery, () => ({ guard: [], violations: () => [] }))
  return links?.(bodies) ?? none
}

function pricesOf({ prices }: OfferKind, variantIds: SQL, { now }: Context) {
  const none: DatabaseQuery<IndexPrices> = mapQuery(noQuery, () => noPrices)
  return prices?.(variantIds, now) ?? none
}

/** Creates one offer, or up to 250 in one atomic commit. */
export function createOffers(kind: OfferKind) {
  const { shape } = kind
  type Create = Input<{ query: { expand: typeof expandParameter }; body: VariantOfferShape }>
  return async function createOffers(context: Context, { bodies, query, bulk }: Create): Promise<Answer> {
    const plan = creationQuery(kind, context, { bodies, bulk, expand: levelsOf(query.expand) })
    const operation = `create${shape.type}s`
    const { result, stamps, replayed } = await write(context, operation, prepared(plan))
    const now = instantOf(context.now)
    return createdAnswer(
      result.map((parts) => withStamps(parts, stamps)),
      { bulk, replayed },
      (offer) => offerDocument(offer, shape, context.locale, now),
      ({ id }) => `${shape.collection}/${id}`,
    )
  }
}

type RequestedCreation = {
  readonly bodies: readonly BodyOf<VariantOfferShape>[]
  readonly bulk: boolean
  readonly expand: number
}

function creationQuery(
  kind: OfferKind,
  context: Context,
  { bodies, bulk, expand }: RequestedCreation,
): PlanQuery<Plan<readonly OfferParts[]>> {
  const { shape, table } = kind
  const { locale, tenant } = context
  const requests = bodies.map((body, index) => {
    const at = (name: string) => (bulk ? `[${index}].${name}` : name)
    return { id: uuidv7(), at, ...createdOffer(kind, body, locale, at) }
  })
  const [first] = requests
  const single =
    bulk || !first ? null : { id: first.id, terms: { ...first.values, variantId: first.variant.id } }
  const options = { locale, expand, translations: true }
  const requestedVariantIds = uuidArray([...new Set(requests.map(({ variant }) => variant.id))])
  const externalIds = requests.flatMap(({ values }) => values.externalId ?? [])
  const queries = combineQueries({
    targets: targetStatement(kind, sql`select unnest(${requestedVariantIds})`),
    indexPrices: pricesOf(kind, sql`select unnest(${requestedVariantIds})`, context),
    taken: takenExternalIds(table, externalIds),
    links: linksQuery(kind, bodies),
    categoriesOf: productCategoriesQuery(
      sql`select product_id from variants where tenant_id = current_tenant() and id = any(${requestedVariantIds})`,
      options,
    ),
    // One statement for each of 250 offers would take too long.
    warningsOf: warningsQuery(kind, context, single),
  })
  return mapQuery(queries, ({ targets, taken, links, categoriesOf, warningsOf, indexPrices }) => () => {
    const faults = faultsOfNewOffers(kind, requests, targets, namesInUse(taken))
    const unknown = bodies.flatMap((body, index) => links.violations(body, requests[index]?.at ?? String))
    throwFaults({ ...faults, violations: [...faults.violations, ...unknown] })
    const offers = requests.map((request): Offer => {
      const categories = categoriesOf(request.variant.ownerId)
      return {
        parts: newOfferParts(shape, tenant.locales, request, categories),
        values: request.values,
      }
    })
    const countedVariantIds = offers
      .filter(({ parts }) => parts.status !== 'ARCHIVED')
      .map(({ parts }) => parts.variantId)
    const countChanges = new Map(
      [...Map.groupBy(countedVariantIds, (id) => id)].map(([id, { length }]) => [id, length]),
    )
    const variantIds = [...new Set(offers.map(({ parts }) => parts.variantId))]
    const prices = indexPrices(offers)
    return {
      guard: [...variantIds.map((id) => ({ kind: 'variants', id, version: null })), ...links.guard],
      beforeClock: [requireOfferable(variantIds), ...countSteps(kind, countChanges), ...prices.beforeClock],
      underClock: [...saveOffers(table, offers), ...prices.underClock],
      changed: offers.map((offer) => creationEvent(kind, offer)),
      totals: { [kind.name]: countedVariantIds.length },
      result: offers.map(({ parts, values }) => ({ ...parts, warnings: warningsOf(values, parts.id) })),
      // These conflicts arose between the read and the commit. The write reads again and then reports them by
      // name.
      constraintProblems: { [limitConstraint(kind)]: 'again', [archivedConflict]: 'again' },
    }
  })
}

/** Merges a patch into an offer; `status` archives and restores. */
export function patchOffer(kind: OfferKind) {
  type PatchInput = Input<{
    params: 'id'
    query: { expand: typeof expandParameter }
    body: VariantOfferShape
  }>
  return async function patchOffer(context: Context, { params, query, bodies }: PatchInput): Promise<Answer> {
    const [body = {}] = bodies
    const { id } = params
    const plan = changeQuery(kind, context, { id, body, expand: levelsOf(query.expand) })
    const prepare = prepared(plan, () => kind.problems.not_found({ id }))
    return writtenOffer(kind, context, await write(context, `patch${kind.shape.type}`, prepare))
  }
}

function writtenOffer(kind: OfferKind, { locale, now }: Context, outcome: WriteOutcome<OfferParts>) {
  return writtenItem(outcome, (offer) => offerDocument(offer, kind.shape, locale, instantOf(now)))
}

/** Creates an offer or changes it. */
export function upsertOffer(kind: OfferKind) {
  const { shape, table } = kind
  type UpsertInput = Input<{
    params: 'externalId'
    query: { expand: typeof expandParameter }
    body: VariantOfferShape
    creates: VariantOfferShape
  }>
  return async function upsertOffer(
    context: Context,
    { params: { externalId }, query, bodies: [body = {}], creation }: UpsertInput,
  ): Promise<Answer> {
    const expand = levelsOf(query.expand)
    const id = idByExternalId(table, externalId)
    const change = changeQuery(kind, context, { id, body, expand, restores: true })
    const plans = changeOrCreate(change, () =>
      mapQuery(
        creationQuery(kind, context, { bodies: [creation()], bulk: false, expand }),
        (plan) => (attempt) =>
          mapPlan(plan(attempt), ([offer]) => {
            if (!offer) throw new Error('A creation returned no offer')
            return offer
          }),
      ),
    )
    const outcome = await upsert(context, `upsert${shape.type}`, plans)
    const location = `${shape.collection}/${outcome.result.id}`
    return upsertedAnswer(writtenOffer(kind, context, outcome), outcome, location)
  }
}

/** Archives an offer. Idempotent: archiving an archived offer changes nothing. */
export function deleteOffer(kind: OfferKind) {
  return async function deleteOffer(context: Context, { params }: ItemInput): Promise<Answer> {
    const { id } = params
    const plan = changeQuery(kind, context, { id, body: { status: 'ARCHIVED' }, expand: 0 })
    const prepare = prepared(plan, () => kind.problems.not_found({ id }))
    const { replayed } = await write(context, `delete${kind.shape.type}`, prepare)
    return { kind: 'empty', replayed }
  }
}

/** The offer that a patch changes, and its variant. */
type ChangedRows = {
  readonly offer: Pick<OfferParts, 'document' | 'status' | 'variantId' | 'productId'>
  readonly target: Target
}

/**
 * Merges a patch into an offer. Returns the violations of its values, and the conflicts with its variant, which count only if the offer
 * changes. `at` maps a property name to its path in the request.
 * @throws Problem 409 if an archived offer would change and stay archived
 */
export function changedOffer(
  kind: OfferKind,
  { offer, target }: ChangedRows,
  body: BodyOf<VariantOfferShape>,
  locale: Locale,
  at: (name: string) => string = (name) => name,
) {
  const { problems } = kind
  const { before, values, violations } = mergedOffer(kind, offer, body, locale, at)
  const isUnchanged = sameJson(before, values)
  const transition = transitionOf(offer.status, values.status)
  if (offer.status === 'ARCHIVED' && transition === null && !isUnchanged) throw problems.archived()
  const variant = { id: offer.variantId, ownerId: offer.productId }
  const isOtherVariant = body.variant !== undefined && !sameJson(body.variant, variant)
  const isRestored = transition === 'restore'
  const conflicts =
    transition === 'archive' ? [] : targetViolations(target, at(isRestored ? 'status' : 'variant'))
  // A restored offer counts again.
  if (isRestored && conflicts.length === 0 && target.offers >= maximumOffers)
    conflicts.push(problems.limit.at(at('status'), { maximum: maximumOffers }))
  return {
    before,
    values,
    transition,
    isUnchanged,
    violations: [...(isOtherVariant ? [problems.variant_immutable.at(at('variant'))] : []), ...violations],
    conflicts,
  }
}

type RequestedChange = {
  readonly id: string | SQL
  readonly body: BodyOf<VariantOfferShape>
  readonly expand: number
  /** Whether an archived offer is restored, unless the body has a status. */
  readonly restores?: true
}

function changeQuery(
  kind: OfferKind,
  context: Context,
  { id: storedId, body: patch, expand, restores }: RequestedChange,
): PlanQuery<Plan<OfferParts> | null> {
  const { locale } = context
  const { name, table } = kind
  const isActive = patch.status === undefined || patch.status === 'ACTIVE'
  const variantId = sql`select variant_id from ${table} where tenant_id = current_tenant() and id = ${storedId}::uuid`
  const queries = combineQueries({
    inputs: offerQuery(kind, storedId, { locale, expand, translations: true }),
    links: linksQuery(kind, [patch]),
    indexPrices: pricesOf(kind, variantId, context),
    warningsOf: warningsQuery(kind, context, isActive ? { id: storedId, terms: patch } : null),
  })
  return mapQuery(queries, ({ inputs, links, indexPrices, warningsOf }) => () => {
    if (!inputs) return null
    const { offer } = inputs
    const { id } = offer
    const body = restores ? restoring(patch, offer.status) : patch
    requireIfMatch(context, offer.version)
    const change = changedOffer(kind, inputs, body, locale)
    const { values, transition, isUnchanged, violations, conflicts } = change
    throwViolations([...violations, ...links.violations(patch, (name) => name)])
    const warnings = warningsOf(values, id)
    if (isUnchanged) return { unchanged: { ...offer, warnings } }
    throwViolations(conflicts)
    const { after, changed, countChange } = writtenChange(kind, context, offer, change)
    const prices = indexPrices([after])
    return {
      guard: [
        { kind: name, id, version: offer.version },
        { kind: 'variants', id: offer.variantId, version: null },
        ...links.guard,
      ],
      beforeClock: [
        ...(transition === 'archive' ? [] : [requireOfferable([offer.variantId])]),
        ...countSteps(kind, new Map([[offer.variantId, countChange]])),
        ...prices.beforeClock,
      ],
      underClock: [...saveOffers(table, [after]), ...prices.underClock],
      changed: [changed],
      totals: { [name]: countChange },
      result: { ...after.parts, warnings },
      constraintProblems: {
        // An upsert reads again, and finds the offer that has the id now.
        ...(!restores && { [externalIdIndex(kind)]: externalIdTaken(kind, String(values.externalId)) }),
        [limitConstraint(kind)]: 'again',
        [archivedConflict]: 'again',
      },
    }
  })
}

type OfferChange = Pick<ReturnType<typeof changedOffer>, 'before' | 'values' | 'transition'>

/** An offer after a change, its event, and the change of the number of offers. */
export function writtenChange(
  kind: OfferKind,
  { tenant }: Pick<Context, 'tenant'>,
  offer: OfferParts,
  { before, values, transition }: OfferChange,
): { readonly after: Offer; readonly changed: Change; readonly countChange: number } {
  const { shape } = kind
  const { id } = offer
  const { status, validFrom, validUntil } = values
  const state = { values, translations: {} }
  const document = render(shape, { iri: `${shape.collection}/${id}`, id }, state, tenant.locales)
  const after = { ...offer, document, status, validFrom, validUntil }
  const content = {
    document: offerEventDocument(after),
    changes: differencesBetween(before, values),
    scheduledAt: [validFrom, validUntil],
  }
  return {
    after: { parts: after, values },
    changed: updateOf(kind, offer, content, transition === 'archive'),
    countChange: Number(transition === 'restore') - Number(transition === 'archive'),
  }
}

function externalIdTaken({ problems }: OfferKind, externalId: string): Error {
  return problemOfViolation(problems.external_id_taken.at('externalId', { externalId }))
}
