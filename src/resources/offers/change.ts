import { instantOf } from '../../core/instant.ts'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import type { Shape } from '../../core/property.ts'
import { stamped } from '../../core/stamped.ts'
import { render } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { type expandParameter, levelsOf } from '../categories/index.ts'
import {
  type OfferParts,
  type OfferValues,
  offerDocument,
  offerEventDocument,
} from '../prices/offers/index.ts'
import { externalIdOf, limitOf } from './names.ts'
import type { Merged, Offering, OfferKind } from './offering.ts'
import { maximumOffers } from './schema.ts'
import { offerReading, type Target } from './store.ts'
import { archivedMeanwhile, countStatements, demandOfferable, unofferable } from './target.ts'

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
    const offer = stamped(result, stamps)
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
  const { found } = await read({ found: offerReading(offering, id, { locale, expand, translations: true }) })
  if (!found) throw offering.problems.not_found({ id })
  demandVersion(context, found.offer.version)
  const decision = decide(offering, found, offering.merged(found.offer, body, locale))
  return decision ? planOf(offering, context, decision) : { unchanged: found.offer }
}

type Found = { readonly offer: OfferParts; readonly target: Target }

/** What changes of an offer. */
type Decision<Values> = Merged<Values> & {
  readonly offer: OfferParts
  readonly archives: boolean
  readonly restores: boolean
}

/** @throws Problem 409, 422 for what cannot be; null where nothing changes */
function decide<Values extends OfferValues>(
  { problems }: OfferKind,
  { offer, target }: Found,
  merged: Merged<Values>,
): Decision<Values> | null {
  const { before, values, violations, variant } = merged
  const unchanged = sameJson(before, values)
  const wasArchived = offer.status === 'ARCHIVED'
  const isArchived = values.status === 'ARCHIVED'
  if (wasArchived && isArchived && !unchanged) throw problems.archived()
  const own = { id: offer.variantId, ownerId: offer.productId }
  const isOther = variant !== undefined && !sameJson(variant, own)
  refuse([...(isOther ? [problems.variant_immutable.at('variant')] : []), ...violations])
  if (unchanged) return null
  const restores = wasArchived && !isArchived
  if (restores) demandRoom(problems, target)
  return { ...merged, offer, restores, archives: isArchived && !wasArchived }
}

function planOf<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
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
      ...(restores ? [demandOfferable([variantId])] : []),
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
function demandRoom(problems: OfferKind['problems'], target: Target): void {
  refuse(unofferable(target, 'status'))
  if (target.offers >= maximumOffers) refuse([problems.limit.at('status', { maximum: maximumOffers })])
}

function externalIdTaken({ problems }: OfferKind, externalId: string): Error {
  const violations = [problems.external_id_taken.at('externalId', { externalId })]
  return problems.external_id_taken({ externalId }, { violations })
}
