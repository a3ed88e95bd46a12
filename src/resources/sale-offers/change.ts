import { instantOf } from '../../core/instant.ts'
import { iri } from '../../core/iri.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { changesBetween, sameJson } from '../../core/patch.ts'
import { stamped } from '../../core/stamped.ts'
import { merged, render, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { updateRows } from '../../db/rows.ts'
import { unsellable } from './create.ts'
import { type OfferParts, saleOfferDocument, saleOfferEventDocument } from './document.ts'
import { saleOfferProblems } from './problems.ts'
import { archivedMeanwhile, countStatements, demandSellable, offerRow } from './rows.ts'
import { maximumSaleOffers, saleOffer as shape } from './schema.ts'
import { readOffer, type Target } from './store.ts'
import { saleOffers } from './table.ts'
import { settledTerms } from './terms.ts'

type Body = Readonly<Record<string, Json>>

/** Merges a patch into an offer; `status` archives and restores. */
export async function patchSaleOffer(context: Context, { params, query, bodies }: Input): Promise<Answer> {
  const [body = {}] = bodies
  const expand = query.expand as number
  const { result, stamps, replayed } = await write<Json>(context, 'patchSaleOffer', (read) =>
    change(context, read, { id: params.id!, body, expand }),
  )
  const offer = stamped(result as unknown as OfferParts, stamps)
  const document = saleOfferDocument(offer, context.locale, instantOf(context.now))
  return { kind: 'item', document, version: offer.version, replayed }
}

/** Archives an offer. Idempotent: an archived one stays as it is. */
export async function deleteSaleOffer(context: Context, { params }: Input): Promise<Answer> {
  const body = { status: 'ARCHIVED' }
  const { replayed } = await write<Json>(context, 'deleteSaleOffer', (read) =>
    change(context, read, { id: params.id!, body, expand: 0 }),
  )
  return { kind: 'empty', replayed }
}

type Wanted = { readonly id: string; readonly body: Body; readonly expand: number }

async function change(
  context: Context,
  read: Session['read'],
  { id, body, expand }: Wanted,
): Promise<Plan<Json>> {
  const found = await readOffer(read, id, { locale: context.locale, expand, translations: true })
  if (!found) throw saleOfferProblems.not_found({ id })
  const { offer, target } = found
  demandVersion(context, offer.version)
  const before = stateOf(shape, offer)
  const { variant, ...patch } = body
  const { state, violations } = merged(shape, before, patch, context.locale)
  const terms = settledTerms(state.values, (name) => name)
  const unchanged = sameJson(before.values, terms.values)
  const wasArchived = offer.status === 'ARCHIVED'
  const isArchived = terms.values.status === 'ARCHIVED'
  if (wasArchived && isArchived && !(unchanged && body.status === 'ARCHIVED'))
    throw saleOfferProblems.archived()
  const moved =
    variant !== undefined && !sameJson(variant, { productId: offer.productId, id: offer.variantId })
  refuse([
    ...violations,
    ...(moved ? [saleOfferProblems.variant_immutable.at('variant')] : []),
    ...terms.violations,
  ])
  if (unchanged) return { unchanged: offer as unknown as Json }
  const restored = wasArchived && !isArchived
  if (restored) demandRoom(target)

  const after: OfferParts = {
    ...offer,
    document: render(
      shape,
      { iri: iri.saleOffer(id), id },
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
      { kind: 'sale_offers', id, version: offer.version },
      ...(counted === 0 ? [] : [{ kind: 'variants', id: offer.variantId, version: null }]),
    ],
    statements: [
      ...(restored ? [demandSellable([offer.variantId])] : []),
      ...updateRows(saleOffers, [offerRow(after, terms.values)]),
      ...countStatements(new Map([[offer.variantId, counted]])),
    ],
    changed: [
      {
        kind: 'sale_offers',
        id,
        version: offer.version + 1,
        action: 'updated',
        topic: isArchived && !wasArchived ? 'sale_offer/deleted' : 'sale_offer/updated',
        document: saleOfferEventDocument(after),
        changes: changesBetween(before.values, terms.values),
      },
    ],
    totals: { sale_offers: counted },
    result: after as unknown as Json,
    refusals: {
      sale_offers_external_id: externalIdTaken(String(terms.values.externalId)),
      variants_sale_offer_limit: 'again',
      [archivedMeanwhile]: 'again',
    },
  }
}

/** A restored offer counts again, and its variant has to take it. */
function demandRoom(target: Target): void {
  refuse(unsellable(target, 'status'))
  if (target.offers >= maximumSaleOffers)
    refuse([saleOfferProblems.limit.at('status', { maximum: maximumSaleOffers })])
}

function externalIdTaken(externalId: string): Error {
  const violations = [saleOfferProblems.external_id_taken.at('externalId', { externalId })]
  return saleOfferProblems.external_id_taken({ externalId }, { violations })
}
