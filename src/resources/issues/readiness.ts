/** The readiness of a product: where it is sold now, and why it is not sold elsewhere. */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Answer, type Context, type Input, operation, resourceOf } from '../../core/operation.ts'
import { embeds, readOnly, type Shape } from '../../core/schema.ts'
import { columnsOf, statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import { marketIri } from '../markets/schema.ts'
import { marketsQuery } from '../prices/request.ts'
import { productProblems } from '../products/problems.ts'
import { productIri } from '../products/schema.ts'
import { countryCode, currencyCode, iriText } from '../shared/properties.ts'
import { endsWithinDays, issue, issueDocument, issueRow, issuesFrom, visibleTypes } from './types.ts'

const path = '/api/products/{id}/readiness'

const embeddedIssues = z.array(embeds(issue.type))

const readiness = {
  type: 'ProductReadiness',
  description: 'Where a product is sold now, and why it is not sold elsewhere.',
  collection: path,
  readWith: 'sale_offers:read',
  properties: {
    product: readOnly(iriText, 'The product.', { isLink: true, targetType: 'Product' }),
    markets: readOnly(
      z.array(
        z.object({
          market: iriText,
          key: z.string(),
          channel: z.string(),
          country: countryCode,
          currency: currencyCode,
          isSold: z.boolean(),
          blockers: embeddedIssues,
          warnings: embeddedIssues,
        }),
      ),
      'The markets, in the order of their keys. The product is sold in a market if it is active and in its channel, and a price of a variant applies. `blockers` are the reasons if it is not sold. `warnings` are issues of its prices in the market.',
    ),
    warnings: readOnly(embeddedIssues, 'The issues of the product that are about no market.', {
      objectType: issue.type,
    }),
  },
} satisfies Shape

const parameters = {
  market: z
    .string()
    .max(64)
    .optional()
    .meta({
      addedIn: 'unstable',
      examples: ['fr'],
      description: 'The key of a market (`/api/markets`), for this market alone.',
    }),
}

/** Reads the product, the markets and the issues in one round trip. */
async function getReadiness(
  context: Context,
  { params: { id }, query: { market } }: Input<{ params: 'id'; query: typeof parameters }>,
): Promise<Answer> {
  const { access } = context
  const products = sql`array[${id}::uuid]`
  const { product, markets, marketOf, rows } = await context.db.read({
    product: statement({ sequence: z.number() })`select ${tenantSequence} as sequence from products
      where tenant_id = current_tenant() and id = ${id}::uuid`,
    marketOf: marketsQuery(context),
    markets: statement(columnsOf(z.string(), 'id', 'key', 'channel', 'country', 'currency'))`
      select id, key, channel, country, currency from markets
       where tenant_id = current_tenant() and key = coalesce(${market ?? null}, key) order by key`,
    rows: statement(
      issueRow,
    )`${issuesFrom(products, visibleTypes(access), context, { market, anywhere: true })} order by key`,
  })
  const [found] = product
  if (!found) throw productProblems.not_found({ id })
  if (market !== undefined) marketOf(market)
  const messages = await context.messages()
  const issuesOf = (isBlocking: boolean, ...marketIds: readonly (string | null)[]) =>
    rows
      .filter((row) => row.isBlocking === isBlocking && marketIds.includes(row.marketId))
      .map((row) => issueDocument(row, messages))
  return {
    kind: 'item',
    document: {
      '@id': `${productIri(id)}/readiness`,
      '@type': readiness.type,
      product: productIri(id),
      markets: markets.map(({ id: marketId, ...rest }) => {
        const blockers = issuesOf(true, null, marketId)
        return {
          market: marketIri(marketId),
          ...rest,
          isSold: blockers.length === 0,
          blockers,
          warnings: issuesOf(false, marketId),
        }
      }),
      warnings: issuesOf(false, null),
    },
    version: null,
    sequence: found.sequence,
  }
}

export const resource = resourceOf(
  operation({
    name: 'getProductReadiness',
    summary: 'Read where a product is sold now, and why it is not sold elsewhere',
    description: `For each market. Each issue has a \`type\`, a \`message\` in the language of the request, and the resource and its property whose change resolves it. Prices that end within ${endsWithinDays} days are warnings, unless others follow. So are missing pictures, translations and SKUs, and variants without a price next to others that have one.`,
    method: 'GET',
    path,
    scope: 'products:read',
    alsoScopes: ['sale_offers:read'],
    shape: readiness,
    answers: 'item',
    notFound: productProblems.not_found,
    query: parameters,
    run: getReadiness,
  }),
)
