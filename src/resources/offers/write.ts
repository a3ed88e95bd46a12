import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { type Plan, withStamps } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import type { Shape } from '../../core/schema.ts'
import { render } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireVersion, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import type { Statement } from '../../db/query.ts'
import { stepStatement, uuidArray } from '../../db/write-steps.ts'
import type { CategoryParts } from '../categories/document.ts'
import { type expandParameter, levelsOf } from '../categories/schema.ts'
import { productProblems } from '../products/problems.ts'
import { variantProblems } from '../variants/problems.ts'
import { variantIri } from '../variants/schema.ts'
import {
  creationOf,
  newOfferParts,
  type Offer,
  type OfferParts,
  type OfferValues,
  offerDocument,
  offerEventDocument,
} from './document.ts'
import { type Created, externalIdOf, limitOf, type Merged, type Offering, type OfferKind } from './kind.ts'
import {
  type CategoryOptions,
  offerQuery,
  productCategoriesQuery,
  type Target,
  takenIdsQuery,
  targetStatement,
} from './read.ts'
import { maximumOffers } from './schema.ts'

/** The variant that is offered: whether it takes offers, and how many it has. */

/** Why a variant takes no further offers, at a path; nothing when it does. */
function unofferable(target: Target, path: string): Violation[] {
  if (target.productArchived) return [productProblems.archived.at(path)]
  return target.status === 'ACTIVE' ? [] : [variantProblems.archived.at(path)]
}

/** What `demandOfferable` raises: a refusal that is met by reading again, which names what was archived. */
const archivedMeanwhile = 'archived'

/** Refuses the batch when a variant, or its product, was archived after it was read. The variants are locked before. */
function requireOfferable(variantIds: readonly string[]): Statement {
  return stepStatement({ do: 'demand_offerable', variants: variantIds })
}

/** Moves how many offers each variant has; beyond the limit a constraint refuses it. */
function countStatements({ subject }: OfferKind, moves: ReadonlyMap<string, number>): Statement[] {
  const counted = [...moves].filter(([, by]) => by !== 0)
  if (counted.length === 0) return []
  return [
    stepStatement({
      do: 'count_offers',
      moves: counted.map(([id, by]) => ({ id, [`${subject}_count`]: by })),
    }),
  ]
}

/** What new offers come to, decided from what was read of their variants. */

/** An offer that is to be created; `at` makes paths in the request of its property names. */
export type RequestedOffer<Values> = Created<Values> & {
  readonly id: string
  readonly at: (name: string) => string
}

/** What was read for new offers. */
export type CreationInputs = {
  readonly targets: readonly Target[]
  readonly taken: readonly { readonly externalId: string }[]
  readonly categoriesOf: (productId: string) => readonly CategoryParts[]
}

/** @throws Problem 422 with every violation of every body; 409 when all are valid and something is archived or taken */
export function decideCreation<Values extends OfferValues>(
  kind: OfferKind,
  locales: readonly [string, ...string[]],
  wanted: readonly RequestedOffer<Values>[],
  { targets, taken, categoriesOf }: CreationInputs,
): Offer<Values>[] {
  const known = new Map(targets.map((each) => [each.id, each]))
  const externalIds = new Set(taken.map((each) => each.externalId))
  const counts = new Map(targets.map((each) => [each.id, each.offers]))
  const violations: Violation[] = []
  const conflicts: Violation[] = []
  const offers = wanted.map((each) => {
    const { variant, values, at } = each
    const target = known.get(variant.id)
    violations.push(...each.violations)
    if (target?.productId === variant.ownerId) conflicts.push(...unofferable(target, at('variant')))
    else violations.push(unknownVariant(each))
    if (values.status !== 'ARCHIVED') {
      const count = (counts.get(variant.id) ?? 0) + 1
      counts.set(variant.id, count)
      if (count > maximumOffers) {
        violations.push(kind.problems.limit.at(at('variant'), { maximum: maximumOffers }))
      }
      conflicts.push(...claim(kind, each, externalIds))
    }
    return { parts: newOfferParts(kind.shape, locales, each, categoriesOf(variant.ownerId)), values }
  })
  throwViolations(violations)
  // One problem is told at a time: conflicts of several kinds have no status in common that says what is wrong.
  throwViolations(conflicts.filter((each) => each.problem === conflicts[0]?.problem))
  return offers
}

function unknownVariant({ variant: { id, ownerId }, at }: RequestedOffer<OfferValues>): Violation {
  return validationProblems.unknown_reference.at(at('variant'), { iri: variantIri(ownerId, id) })
}

/** Claims an external id, which must be free, so that it is taken. */
function claim(
  { problems }: OfferKind,
  { values, at }: RequestedOffer<OfferValues>,
  taken: Set<string>,
): Violation[] {
  const { externalId } = values
  if (externalId === null) return []
  const isTaken = taken.has(externalId)
  taken.add(externalId)
  return isTaken ? [problems.external_id_taken.at(at('externalId'), { externalId })] : []
}

/** Creates one offer or up to 250, all or nothing. */
export function createOffers<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
) {
  const { shape } = offering
  type Create = Input<{ query: { expand: typeof expandParameter }; body: Own }>
  return async function createOffers(context: Context, { bodies, query, bulk }: Create): Promise<Answer> {
    const { locale, tenant } = context
    const wanted = bodies.map((body, index) => {
      const at = (name: string) => (bulk ? `[${index}].${name}` : name)
      return { id: uuidv7(), at, ...offering.created(body, locale, at) }
    })
    const options = { locale, expand: levelsOf(query.expand), translations: true }
    const { result, stamps, replayed } = await write<readonly OfferParts[]>(
      context,
      `create${shape.type}s`,
      async (read) => {
        const found = await read(readingsOf(offering, wanted, options))
        return creationPlan(offering, decideCreation(offering, tenant.locales, wanted, found))
      },
    )
    const now = instantOf(context.now)
    const made = result.map((each) => withStamps(each, stamps))
    const documents = made.map((each) => offerDocument(each, locale, now))
    const [first] = made
    const [document] = documents
    if (bulk || !first || document === undefined) {
      return { kind: 'collection', members: documents, total: documents.length, replayed }
    }
    const location = `${shape.collection}/${first.id}`
    return { kind: 'item', document, version: first.version, location, replayed }
  }
}

function readingsOf(
  kind: OfferKind,
  wanted: readonly RequestedOffer<OfferValues>[],
  options: CategoryOptions,
) {
  const variantIds = uuidArray([...new Set(wanted.map(({ variant }) => variant.id))])
  const externalIds = wanted.flatMap(({ values }) => values.externalId ?? [])
  return {
    targets: targetStatement(kind, sql`select unnest(${variantIds})`),
    taken: takenIdsQuery(kind.table, externalIds),
    categoriesOf: productCategoriesQuery(
      sql`select product_id from variants where tenant_id = current_tenant() and id = any(${variantIds})`,
      options,
    ),
  }
}

function creationPlan<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
  offers: readonly Offer<Values>[],
): Plan<readonly OfferParts[]> {
  const counted = offers
    .filter(({ parts }) => parts.status !== 'ARCHIVED')
    .map(({ parts }) => parts.variantId)
  const moves = new Map([...Map.groupBy(counted, (id) => id)].map(([id, { length }]) => [id, length]))
  const variantIds = [...new Set(offers.map(({ parts }) => parts.variantId))]
  return {
    guard: variantIds.map((id) => ({ kind: 'variants', id, version: null })),
    statements: [
      requireOfferable(variantIds),
      ...countStatements(offering, moves),
      ...offering.insert(offers),
    ],
    changed: offers.map((each) => creationOf(offering, each)),
    totals: { [offering.table]: counted.length },
    result: offers.map(({ parts }) => parts),
    // What was taken, filled or archived between the two trips is found, and named, by reading again.
    refusals: {
      [externalIdOf(offering)]: 'again',
      [limitOf(offering)]: 'again',
      [archivedMeanwhile]: 'again',
    },
  }
}

/** Merges a patch into an offer; `status` archives and restores. */
export function patchOffer<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
) {
  type PatchInput = Input<{ params: 'id'; query: { expand: typeof expandParameter }; body: Patch }>
  return async function patchOffer(context: Context, { params, query, bodies }: PatchInput): Promise<Answer> {
    const [body] = bodies
    const expand = levelsOf(query.expand)
    const wanted = { id: params.id, body, expand }
    const { result, stamps, replayed } = await write<OfferParts>(
      context,
      `patch${offering.shape.type}`,
      (read) => change(offering, context, read, wanted),
    )
    const offer = withStamps(result, stamps)
    const document = offerDocument(offer, context.locale, instantOf(context.now))
    return { kind: 'item', document, version: offer.version, replayed }
  }
}

/** Archives an offer. Idempotent: an archived one stays as it is. */
export function deleteOffer<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
) {
  return async function deleteOffer(context: Context, { params }: Input<{ params: 'id' }>): Promise<Answer> {
    const wanted = { id: params.id, body: offering.archival, expand: 0 }
    const { replayed } = await write<OfferParts>(context, `delete${offering.shape.type}`, (read) =>
      change(offering, context, read, wanted),
    )
    return { kind: 'empty', replayed }
  }
}

type RequestedChange<Patch extends Shape> = {
  readonly id: string
  readonly body: BodyOf<Patch> | undefined
  readonly expand: number
}

async function change<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
  context: Context,
  read: Session['read'],
  { id, body, expand }: RequestedChange<Patch>,
): Promise<Plan<OfferParts>> {
  const { locale } = context
  const { found } = await read({ found: offerQuery(offering, id, { locale, expand, translations: true }) })
  if (!found) throw offering.problems.not_found({ id })
  requireVersion(context, found.offer.version)
  const decision = decideChange(offering, found, offering.merged(found.offer, body, locale))
  return decision ? changePlan(offering, context, decision) : { unchanged: found.offer }
}

type ChangeInputs = { readonly offer: OfferParts; readonly target: Target }

/** What changes of an offer. */
type Decision<Values> = Merged<Values> & {
  readonly offer: OfferParts
  readonly archives: boolean
  readonly restores: boolean
}

/** @throws Problem 409, 422 for what cannot be; null where nothing changes */
function decideChange<Values extends OfferValues>(
  { problems }: OfferKind,
  { offer, target }: ChangeInputs,
  merged: Merged<Values>,
): Decision<Values> | null {
  const { before, values, violations, variant } = merged
  const unchanged = sameJson(before, values)
  const wasArchived = offer.status === 'ARCHIVED'
  const isArchived = values.status === 'ARCHIVED'
  if (wasArchived && isArchived && !unchanged) throw problems.archived()
  const own = { id: offer.variantId, ownerId: offer.productId }
  const isOther = variant !== undefined && !sameJson(variant, own)
  throwViolations([...(isOther ? [problems.variant_immutable.at('variant')] : []), ...violations])
  if (unchanged) return null
  const restores = wasArchived && !isArchived
  if (restores) requireFreeSlot(problems, target)
  return { ...merged, offer, restores, archives: isArchived && !wasArchived }
}

function changePlan<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
  { tenant }: Context,
  { offer, before, values, archives, restores }: Decision<Values>,
): Plan<OfferParts> {
  const { table, subject, shape } = offering
  const { id, variantId } = offer
  const { status, validFrom, validUntil } = values
  const identity = { iri: `${shape.collection}/${id}`, id }
  const document = render(shape, identity, { values, translations: {} }, tenant.locales)
  const after = { ...offer, document, status, validFrom, validUntil }
  const counted = Number(restores) - Number(archives)
  return {
    guard: [
      { kind: table, id, version: offer.version },
      ...(counted === 0 ? [] : [{ kind: 'variants', id: variantId, version: null }]),
    ],
    statements: [
      ...(restores ? [requireOfferable([variantId])] : []),
      ...countStatements(offering, new Map([[variantId, counted]])),
      ...offering.update({ parts: after, values }),
    ],
    changed: [
      {
        kind: table,
        id,
        version: offer.version + 1,
        action: 'updated',
        topic: `${subject}/${archives ? 'deleted' : 'updated'}`,
        document: offerEventDocument(after),
        changes: differencesBetween(before, values),
        moments: [validFrom, validUntil],
      },
    ],
    totals: { [table]: counted },
    result: after,
    refusals: {
      [externalIdOf(offering)]: externalIdTaken(offering, String(values.externalId)),
      [limitOf(offering)]: 'again',
      [archivedMeanwhile]: 'again',
    },
  }
}

/** A restored offer counts again, and its variant has to take it. */
function requireFreeSlot(problems: OfferKind['problems'], target: Target): void {
  throwViolations(unofferable(target, 'status'))
  if (target.offers >= maximumOffers)
    throwViolations([problems.limit.at('status', { maximum: maximumOffers })])
}

function externalIdTaken({ problems }: OfferKind, externalId: string): Error {
  const violations = [problems.external_id_taken.at('externalId', { externalId })]
  return problems.external_id_taken({ externalId }, { violations })
}
