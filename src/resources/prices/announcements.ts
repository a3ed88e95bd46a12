/** Price announcements: reductions that are shown, and that the policy of the country does not allow. */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import { listQuery } from '../../core/list-query.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { type Orders, pageParameters, pageRow, planPage } from '../../core/paging.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { statement } from '../../db/query.ts'
import { saleOfferProblems } from '../offers/problems.ts'
import { productIri } from '../products/schema.ts'
import { iriText } from '../shared/properties.ts'
import { variantIri } from '../variants/schema.ts'
import { saleOfferIri } from './price.ts'
import { type Price, priceColumns, pricedOffers, pricesOf, priorTermsExpression } from './read.ts'
import { contextParameters, priceHistory, requiredPriceRequestOf } from './request.ts'

/** The reasons for which a reduction must not be announced as it is. */
export const announcementProblems = [
  'compare_at_differs',
  'not_below_prior_price',
  'newer_than_period',
  'history_too_short',
  'no_price_in_period',
] as const
type AnnouncementProblem = (typeof announcementProblems)[number]

const priceAnnouncement = {
  type: 'PriceAnnouncement',
  description: 'A reduced price that the policy of the country does not allow as it is.',
  collection: '/api/price_announcements',
  readWith: 'sale_offers:read',
  properties: {
    saleOffer: readOnly(iriText, 'The offer that sets the price.', { isLink: true, targetType: 'SaleOffer' }),
    variant: readOnly(iriText, 'The variant.', { isLink: true, targetType: 'Variant' }),
    product: readOnly(iriText, 'The product.', { isLink: true, targetType: 'Product' }),
    problems: readOnly(
      z.array(z.enum(announcementProblems)),
      '`compare_at_differs`: `compareAtAmount` is not the prior price. `not_below_prior_price`: the price is not below it. The others are reasons of `noPriorPrice`.',
      { example: ['compare_at_differs'] },
    ),
    resolvedPrice: readOnly(z.unknown(), 'The price, with `priorPrice` or `noPriorPrice`.', {
      objectType: 'ResolvedPrice',
    }),
  },
} satisfies Shape

/** The problems of a price's announcement; empty without any, and where the policy demands no prior price. */
export function problemsOf({ priorPrice, noPriorPrice, ...price }: Price): AnnouncementProblem[] {
  if (noPriorPrice) return announcementProblems.filter((problem) => problem === noPriorPrice.reason)
  if (!priorPrice || !('compareAtAmount' in price)) return []
  return [
    ...(price.compareAtAmount === priorPrice.amount ? [] : ['compare_at_differs' as const]),
    ...(priorPrice.reductionPercent === null ? ['not_below_prior_price' as const] : []),
  ]
}

const orders: Orders = { id: { column: sql`o.id`, type: 'uuid' } }

const listParameters = { ...pageParameters, ...contextParameters }

const examinedRow = {
  ...priceColumns,
  id: z.string(),
  offerId: z.string(),
  productId: z.string(),
  createdAt: z.string(),
  launchedAt: z.string().nullable(),
  /** Whether the offer applies in the context, or will. */
  isPriced: z.boolean(),
}

/** Lists the reductions that are not allowed. A page examines as many reduced offers as it has items, and shows those with a problem. */
async function listAnnouncements(
  context: Context,
  { query }: Input<{ query: typeof listParameters }>,
): Promise<Answer> {
  const request = requiredPriceRequestOf({ ...query, expand: ['priorPrice'] }, context)
  const { channel, country, at } = request
  const page = planPage(query, context.url, orders, [['id', 'asc']])
  const { list, history } = await context.db.read({
    history: statement({ history: z.string() })`select ${priceHistory} as history`,
    list: listQuery(page, {
      row: examinedRow,
      // Other conditions here would let one page read all reduced offers of the tenant.
      from: sql`from sale_offers o
        join variants v on v.tenant_id = o.tenant_id and v.id = o.variant_id
        join products p on p.tenant_id = o.tenant_id and p.id = o.product_id
       cross join lateral (
         select v.status = 'ACTIVE' and p.status = 'ACTIVE' and o.min_quantity <= 1
            and is_offered_in(o.channel, o.countries, ${channel}, ${country})
            and coalesce(o.valid_until > ${at}::timestamptz, true) as "isPriced") as examined
       where o.tenant_id = current_tenant() and o.status = 'ACTIVE' and o.compare_at_amount is not null`,
      columns: sql`v.id, o.id as "offerId", p.id as "productId", instant_text(v.created_at) as "createdAt", "isPriced"`,
      pageColumns: sql`case when "isPriced" then ${priorTermsExpression(sql`${pageRow}.id`, request)} end as terms,
        (select document::json ->> 'launchedAt' from products
          where tenant_id = current_tenant() and products.id = "productId") as "launchedAt"`,
      bytes: sql`coalesce(octet_length(terms::text), 0)`,
      totalName: null,
      // Without the prices of all pages, the total is not known.
      isUncounted: true,
      outputRows: sql`select page.*, offers
        from page left join ${pricedOffers(sql`array(select id from page where "isPriced")`, request)} on "variantId" = page.id::text`,
    }),
  })
  const pricedRows = list.rows.filter(({ isPriced }) => isPriced)
  const { prices, pricing } = pricesOf(pricedRows, request, history[0]?.history)
  const members: Value[] = []
  // The number of rows before each member, because the next page begins after a row.
  const rowsBefore: number[] = []
  for (const [index, row] of list.rows.entries()) {
    const announcement = announcementOf(row, prices.get(row.id) ?? null)
    if (announcement === null) continue
    members.push(announcement)
    rowsBefore.push(index)
  }
  const { view, backward } = list.paging
  return {
    kind: 'collection',
    members,
    ...(view && { view: (count) => view(rowsBefore[count] ?? list.rows.length) }),
    backward,
    sequence: list.sequence,
    pricing,
  }
}

type ExaminedRow = { readonly id: string; readonly offerId: string; readonly productId: string }

/** The announcement of a row's offer; null if another offer sets the price, and if it has no problem. */
function announcementOf({ id, offerId, productId }: ExaminedRow, price: Price | null): Value {
  const saleOffer = saleOfferIri({ id: offerId })
  if (price === null || !('saleOffer' in price) || price.saleOffer !== saleOffer) return null
  const problems = problemsOf(price)
  if (problems.length === 0) return null
  return {
    '@id': `${saleOffer}#announcement`,
    '@type': priceAnnouncement.type,
    saleOffer,
    variant: variantIri(productId, id),
    product: productIri(productId),
    problems,
    resolvedPrice: price,
  }
}

export const resource: Resource = {
  shape: priceAnnouncement,
  problems: [],
  operations: [
    operation({
      name: 'listPriceAnnouncements',
      summary: 'List the reductions that must not be announced as they are',
      description:
        'Of the active variants of active products, for a channel and a country at a moment. Each page examines `itemsPerPage` reduced offers, so it can have fewer members, or none. `view.next` is absent only at the end. The list is empty if the country has no policy. It omits exempt goods.',
      method: 'GET',
      path: priceAnnouncement.collection,
      scope: 'sale_offers:read',
      alsoScopes: ['products:read'],
      shape: priceAnnouncement,
      answers: 'collection',
      notFound: saleOfferProblems.not_found,
      query: listParameters,
      run: listAnnouncements,
    }),
  ],
}
