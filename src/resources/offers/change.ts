import { instantOf } from '../../core/instant.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input, Operation } from '../../core/operation.ts'
import { changesBetween, sameJson } from '../../core/patch.ts'
import { stamped } from '../../core/stamped.ts'
import { merged, render, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { levelsOf } from '../categories/index.ts'
import { type OfferParts, offerDocument, offerEventDocument } from './document.ts'
import { externalIdOf, limitOf } from './names.ts'
import type { Offering, Values } from './offering.ts'
import { maximumOffers } from './schema.ts'
import { readOffer, type Target } from './store.ts'
import { archivedMeanwhile, countStatements, demandOfferable, unofferable } from './target.ts'

/** Merges a patch into an offer; `status` archives and restores. */
export function patchOffer(offering: Offering): Operation['run'] {
  return async function patchOffer(context: Context, { params, query, bodies }: Input): Promise<Answer> {
    const [body = {}] = bodies
    const expand = levelsOf(query.expand)
    const { result, stamps, replayed } = await write<Json>(context, `patch${offering.shape.type}`, (read) =>
      change(offering, context, read, { id: params.id!, body, expand }),
    )
    const offer = stamped(result as unknown as OfferParts, stamps)
    const document = offerDocument(offer, context.locale, instantOf(context.now))
    return { kind: 'item', document, version: offer.version, replayed }
  }
}

/** Archives an offer. Idempotent: an archived one stays as it is. */
export function deleteOffer(offering: Offering): Operation['run'] {
  return async function deleteOffer(context: Context, { params }: Input): Promise<Answer> {
    const body = { status: 'ARCHIVED' }
    const { replayed } = await write<Json>(context, `delete${offering.shape.type}`, (read) =>
      change(offering, context, read, { id: params.id!, body, expand: 0 }),
    )
    return { kind: 'empty', replayed }
  }
}

type Wanted = { readonly id: string; readonly body: Values; readonly expand: number }

async function change(
  offering: Offering,
  context: Context,
  read: Session['read'],
  { id, body, expand }: Wanted,
): Promise<Plan<Json>> {
  const { table, subject, shape, problems } = offering
  const found = await readOffer(offering, read, id, { locale: context.locale, expand, translations: true })
  if (!found) throw problems.not_found({ id })
  const { offer, target } = found
  demandVersion(context, offer.version)
  const before = stateOf(shape, offer)
  const { variant, ...patch } = body
  const { state, violations } = merged(shape, before, patch, context.locale)
  const terms = offering.settled(state.values, (name) => name)
  const unchanged = sameJson(before.values, terms.values)
  const wasArchived = offer.status === 'ARCHIVED'
  const isArchived = terms.values.status === 'ARCHIVED'
  if (wasArchived && isArchived && !unchanged) throw problems.archived()
  const moved = variant !== undefined && !sameJson(variant, { id: offer.variantId, ownerId: offer.productId })
  refuse([...violations, ...(moved ? [problems.variant_immutable.at('variant')] : []), ...terms.violations])
  if (unchanged) return { unchanged: offer as unknown as Json }
  const restored = wasArchived && !isArchived
  if (restored) demandRoom(offering, target)

  const after: OfferParts = {
    ...offer,
    document: render(
      shape,
      { iri: `${shape.collection}/${id}`, id },
      { ...state, values: terms.values },
      context.tenant.locales,
    ),
    status: terms.values.status as string,
    validFrom: terms.values.validFrom as string | null,
    validUntil: terms.values.validUntil as string | null,
  }
  const counted = Number(wasArchived) - Number(isArchived)
  return {
    guard: [
      { kind: table, id, version: offer.version },
      ...(counted === 0 ? [] : [{ kind: 'variants', id: offer.variantId, version: null }]),
    ],
    statements: [
      ...(restored ? [demandOfferable([offer.variantId])] : []),
      ...offering.update({ parts: after, values: terms.values }),
      ...countStatements(offering, new Map([[offer.variantId, counted]])),
    ],
    changed: [
      {
        kind: table,
        id,
        version: offer.version + 1,
        action: 'updated',
        topic: `${subject}/${isArchived && !wasArchived ? 'deleted' : 'updated'}`,
        document: offerEventDocument(after),
        changes: changesBetween(before.values, terms.values),
      },
    ],
    totals: { [table]: counted },
    result: after as unknown as Json,
    refusals: {
      [externalIdOf(offering)]: externalIdTaken(offering, String(terms.values.externalId)),
      [limitOf(offering)]: 'again',
      [archivedMeanwhile]: 'again',
    },
  }
}

/** A restored offer counts again, and its variant has to take it. */
function demandRoom({ problems }: Offering, target: Target): void {
  refuse(unofferable(target, 'status'))
  if (target.offers >= maximumOffers) refuse([problems.limit.at('status', { maximum: maximumOffers })])
}

function externalIdTaken({ problems }: Offering, externalId: string): Error {
  const violations = [problems.external_id_taken.at('externalId', { externalId })]
  return problems.external_id_taken({ externalId }, { violations })
}
