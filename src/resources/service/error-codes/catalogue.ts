import type { CataloguedProblem } from '../../../core/problem.ts'
import { coreProblems } from '../../../core/problems/index.ts'
import { categoryProblems } from '../../categories/problems.ts'
import { metaobjectDefinitionProblems } from '../../content/definitions/problems.ts'
import { metaobjectProblems } from '../../content/metaobjects/problems.ts'
import { eventProblems } from '../../events/problems.ts'
import { purchaseOfferProblems } from '../../offers/purchase/problems.ts'
import { saleOfferProblems } from '../../offers/sale/problems.ts'
import { pricingProblems } from '../../prices/problems.ts'
import { collectionProblems } from '../../products/collections/problems.ts'
import { productOptionProblems } from '../../products/options/problems.ts'
import { productProblems } from '../../products/problems.ts'
import { optionValueProblems } from '../../products/values/problems.ts'
import { variantProblems } from '../../products/variants/problems.ts'
import { webhookProblems } from '../../webhooks/subscriptions/problems.ts'

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
