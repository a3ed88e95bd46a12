import type { Resource } from '../../core/operation.ts'
import { expandParameter } from '../categories/index.ts'
import { deleteSaleOffer, patchSaleOffer } from './change.ts'
import { createSaleOffers } from './create.ts'
import { getSaleOffer, listSaleOffers, saleOfferListParameters } from './list.ts'
import { pricingProblems } from './pricing-problems.ts'
import { saleOfferProblems } from './problems.ts'
import { patchedSaleOffer, saleOffer as shape } from './schema.ts'

const expand = { expand: expandParameter }
const common = { shape, notFound: saleOfferProblems.not_found }

export const resource: Resource = {
  shape,
  problems: [...Object.values(saleOfferProblems), ...Object.values(pricingProblems)],
  operations: [
    {
      ...common,
      name: 'listSaleOffers',
      summary: 'List sale offers',
      method: 'GET',
      path: '/api/sale_offers',
      scope: 'sale_offers:read',
      answers: 'collection',
      query: saleOfferListParameters,
      run: listSaleOffers,
    },
    {
      ...common,
      name: 'createSaleOffers',
      summary: 'Create a sale offer, or up to 250',
      method: 'POST',
      path: '/api/sale_offers',
      scope: 'sale_offers:write',
      answers: 'item',
      query: expand,
      body: { mode: 'create', bulk: 250 },
      emits: ['sale_offer/created'],
      run: createSaleOffers,
    },
    {
      ...common,
      name: 'getSaleOffer',
      summary: 'Read a sale offer',
      method: 'GET',
      path: '/api/sale_offers/{id}',
      scope: 'sale_offers:read',
      answers: 'item',
      query: expand,
      run: getSaleOffer,
    },
    {
      ...common,
      name: 'patchSaleOffer',
      summary: 'Change a sale offer',
      method: 'PATCH',
      path: '/api/sale_offers/{id}',
      scope: 'sale_offers:write',
      answers: 'item',
      query: expand,
      body: { mode: 'patch', shape: patchedSaleOffer },
      emits: ['sale_offer/updated', 'sale_offer/deleted'],
      run: patchSaleOffer,
    },
    {
      ...common,
      name: 'deleteSaleOffer',
      summary: 'Archive a sale offer',
      method: 'DELETE',
      path: '/api/sale_offers/{id}',
      scope: 'sale_offers:write',
      answers: 'empty',
      query: {},
      emits: ['sale_offer/deleted'],
      run: deleteSaleOffer,
    },
  ],
}
