/** The list of issues of active products, the newest products first. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { formatCursor, parseCursor, requireKeys } from '../../core/cursor.ts'
import { type Answer, type Context, type Input, operation, resourceOf } from '../../core/operation.ts'
import { maximumItemsPerPage, pageParameters, standardItemsPerPage } from '../../core/paging.ts'
import type { RequiredScopes } from '../../core/schema.ts'
import { queryWith } from '../../core/view.ts'
import { combineQueries, mapQuery, noQuery, statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import { marketsQuery } from '../prices/request.ts'
import { productProblems } from '../products/problems.ts'
import { referenceParameter } from '../shared/properties.ts'
import {
  issue,
  issueDocument,
  issueRow,
  issuesFrom,
  listedTypes,
  scopesOfType,
  visibleTypes,
} from './types.ts'

/** The most products that a page examines, and of which issues are counted. */
const examinedProducts = 500
const countedProducts = 2000

const addedIn = 'unstable'
const [firstType, ...otherTypes] = listedTypes
if (firstType === undefined) throw new Error('No type of issue is listed')

/** A product and an issue of it, before the next page. */
const cursorTypes = ['timestamptz', 'uuid', 'text'] as const

const parameters = {
  itemsPerPage: pageParameters.itemsPerPage,
  cursor: pageParameters.cursor,
  type: z
    .enum([firstType, ...otherTypes])
    .optional()
    .meta({
      addedIn,
      neededScopes: {
        scopes: (type) => scopesOfType(type),
        described: '`sale_offers:read` for issues of prices, `purchase_offers:read` for `below_cost`',
      } satisfies RequiredScopes,
      description: 'Only issues of this type.',
    }),
  market: z
    .string()
    .max(64)
    .optional()
    .meta({
      addedIn,
      examples: ['fr'],
      neededScopes: {
        scopes: () => ['sale_offers:read'],
        described: '`sale_offers:read`',
      } satisfies RequiredScopes,
      description: 'Only issues in the market with this key.',
    }),
  product: referenceParameter('/api/products')
    .optional()
    .meta({ addedIn, description: 'Only issues of this product.' }),
  'facets[]': z
    .preprocess((names) => [names].flat(), z.array(z.literal('type')).max(1))
    .optional()
    .meta({
      addedIn,
      examples: [['type']],
      description: `\`type\` adds \`facets\` to the list: the number of issues of each type that the other filters select, among the newest ${countedProducts.toLocaleString('en-US')} active products.`,
    }),
}

const listedRow = { ...issueRow, createdAt: z.string() }
/** Columns of the whole page. Without issues, one row has only these. */
const pageRow = { sequence: z.number(), nextAt: z.string().nullable(), nextId: z.string().nullable() }
const countRow = { type: z.string(), count: z.number(), isWhole: z.boolean() }

async function listIssues(context: Context, { query }: Input<{ query: typeof parameters }>): Promise<Answer> {
  const { type, market, product, itemsPerPage = standardItemsPerPage, 'facets[]': facets } = query
  const limit = Math.min(itemsPerPage, maximumItemsPerPage)
  const cursor = query.cursor === undefined ? null : parseCursor(query.cursor)
  if (cursor) requireKeys(cursor, cursorTypes)
  const [at = null, id = null, key = ''] = cursor?.keys ?? []
  const types = visibleTypes(context.access, listedTypes)
  const active = sql`from products where tenant_id = current_tenant() and status = 'ACTIVE'${product === undefined ? sql`` : sql` and id = ${product}::uuid`}`
  const start =
    at === null
      ? sql``
      : sql` and created_at <= ${at}::timestamptz and (created_at < ${at}::timestamptz or id >= ${id}::uuid)`
  const issues = (products: SQL, names: typeof types) =>
    sql`${issuesFrom(products, names, context, { market, anywhere: false })}${market === undefined ? sql`` : sql` where i.market_id is not null`}`
  const { rows, counts } = await context.db.read({
    market: market === undefined ? noQuery : mapQuery(marketsQuery(context), (marketOf) => marketOf(market)),
    rows: statement({ ...listedRow, ...pageRow }, pageRow)`
      with examined as materialized (
        select id, created_at ${active}${start} order by created_at desc, id limit ${examinedProducts + 1}
      )
      select ${tenantSequence} as sequence, instant_text(next.created_at) as "nextAt", next.id as "nextId", found.*
        from (select) as one
        left join (select * from examined order by created_at desc, id offset ${examinedProducts}) as next on true
        left join (
          select issue.*, instant_text(e.created_at) as "createdAt"
            from (${issues(sql`array(select id from examined order by created_at desc, id limit ${examinedProducts})`, type === undefined ? types : [type])}) as issue
            join examined e on e.id = issue."productId"
           where issue."productId" <> coalesce(${id}::uuid, gen_random_uuid()) or issue.key > ${key}
           order by e.created_at desc, e.id, issue.key limit ${limit === 0 ? 0 : limit + 1}) as found on true
       order by found."createdAt" desc, found."productId", found.key`,
    counts: facets
      ? combineQueries({
          rows: statement(countRow)`
            with counted as materialized (select id ${active} order by created_at desc limit ${countedProducts + 1})
            select type, count(*)::int as count, (select count(*) <= ${countedProducts} from counted) as "isWhole"
              from (${issues(sql`array(select id from counted limit ${countedProducts})`, types)}) as issue group by type`,
        })
      : noQuery,
  })
  const [first] = rows
  const found = rows.flatMap((row) => (row.key === null ? [] : [row]))
  const shown = found.slice(0, limit)
  const messages = await context.messages()
  return {
    kind: 'collection',
    members: shown.map((row) => issueDocument(row, messages)),
    ...(limit > 0 && {
      view: (count) => {
        const last = shown[count - 1]
        const isCut = last !== undefined && count < found.length
        const keys = isCut
          ? [last.createdAt, last.productId, last.key]
          : first?.nextAt && first.nextId && [first.nextAt, first.nextId, '']
        return keys ? { next: queryWith(context.url, { cursor: formatCursor({ to: 'next', keys }) }) } : {}
      },
    }),
    ...(counts && {
      facets: [
        {
          '@type': 'Facet',
          name: 'type',
          values: types
            .map((name) => ({ name, count: counts.rows.find((row) => row.type === name)?.count ?? 0 }))
            .filter(({ count, name }) => count > 0 || name === type)
            .map(({ name, count }) => ({
              '@type': 'FacetValue',
              value: name,
              count,
              selected: name === type,
            })),
          valuesTotal: counts.rows.length,
          atLeast: counts.rows.some(({ isWhole }) => !isWhole),
        },
      ],
    }),
    sequence: first?.sequence ?? 0,
  }
}

export const resource = resourceOf(
  operation({
    name: 'listIssues',
    summary: 'List the issues of active products: what keeps them from being sold, and what needs attention',
    description: `The newest products first. A page examines at most ${examinedProducts} products, so it can have fewer members than \`itemsPerPage\`, or none; \`view.next\` is absent only at the end. The list has the types whose scopes the token has: those of prices need \`sale_offers:read\`, \`below_cost\` also \`purchase_offers:read\`, and \`draft_reference\` needs \`metaobjects:read\` and \`metaobjects:write\`. \`never_wins\` and \`below_cost\` compare offers in the markets. Issues of markets are those in the channels of the product.`,
    method: 'GET',
    path: issue.collection,
    scope: 'products:read',
    shape: issue,
    answers: 'collection',
    notFound: productProblems.not_found,
    query: parameters,
    run: listIssues,
  }),
)
