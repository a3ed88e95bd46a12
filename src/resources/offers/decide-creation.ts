/** What new offers come to, decided from what was read of their variants. */
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { refuse } from '../../core/violations.ts'
import type { CategoryParts } from '../categories/index.ts'
import { newOfferParts, type Offer, type OfferValues } from '../prices/offers/index.ts'
import { variantIri } from '../products/variants/iri.ts'
import type { Created, OfferKind } from './offering.ts'
import { maximumOffers } from './schema.ts'
import type { Target } from './store.ts'
import { unofferable } from './target.ts'

/** An offer that is to be created; `at` makes paths in the request of its property names. */
export type RequestedOffer<Values> = Created<Values> & {
  readonly id: string
  readonly at: (name: string) => string
}

/** What was read for new offers. */
export type Found = {
  readonly targets: readonly Target[]
  readonly taken: readonly { readonly externalId: string }[]
  readonly categoriesOf: (productId: string) => readonly CategoryParts[]
}

/** @throws Problem 422 with every violation of every body; 409 when all are valid and something is archived or taken */
export function decide<Values extends OfferValues>(
  kind: OfferKind,
  locales: readonly [string, ...string[]],
  wanted: readonly RequestedOffer<Values>[],
  { targets, taken, categoriesOf }: Found,
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
  refuse(violations)
  // One problem is told at a time: conflicts of several kinds have no status in common that says what is wrong.
  refuse(conflicts.filter((each) => each.problem === conflicts[0]?.problem))
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
