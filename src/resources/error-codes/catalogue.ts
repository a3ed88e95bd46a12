import type { CataloguedProblem } from '../../core/problem.ts'
import { coreProblems } from '../../core/problems/index.ts'
import { categoryProblems } from '../categories/problems.ts'
import { collectionProblems } from '../collections/problems.ts'
import { eventProblems } from '../events/problems.ts'
import { metaobjectDefinitionProblems } from '../metaobject-definitions/problems.ts'
import { metaobjectProblems } from '../metaobjects/problems.ts'
import { optionValueProblems } from '../option-values/problems.ts'
import { productOptionProblems } from '../product-options/problems.ts'
import { productProblems } from '../products/problems.ts'
import { purchaseOfferProblems } from '../purchase-offers/problems.ts'
import { pricingProblems } from '../sale-offers/index.ts'
import { saleOfferProblems } from '../sale-offers/problems.ts'
import { variantProblems } from '../variants/problems.ts'
import { webhookProblems } from '../webhook-subscriptions/problems.ts'

const ofResources = [
  productProblems,
  productOptionProblems,
  optionValueProblems,
  variantProblems,
  categoryProblems,
  collectionProblems,
  saleOfferProblems,
  pricingProblems,
  purchaseOfferProblems,
  metaobjectDefinitionProblems,
  metaobjectProblems,
  webhookProblems,
  eventProblems,
].flatMap((declared): CataloguedProblem[] => Object.values(declared))

/** Every problem that can leave the service, by code. */
export const catalogue: readonly CataloguedProblem[] = [...coreProblems, ...ofResources].sort((a, b) =>
  a.code < b.code ? -1 : 1,
)
