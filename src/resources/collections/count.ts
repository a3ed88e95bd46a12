import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Answer, type Context, type Input, operation, resourceOf } from '../../core/operation.ts'
import { countingLimit } from '../../core/paging.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { throwViolations } from '../../core/violations.ts'
import { write } from '../../core/write.ts'
import { type RowOf, statement } from '../../db/query.ts'
import { collectionProblems } from './problems.ts'
import { matching, rulesSchema, unknownCategories } from './rules.ts'
import { categoriesStatement } from './write.ts'

/** Counts the products that match rules, before a collection is created from them. */

/** Maximum number of products that one count examines. For larger tenants it examines the newest ones. */
export const maxCountedProducts = 50_000

const path = '/api/collections/count'

const collectionCount = {
  type: 'CollectionCount',
  description: 'How many products rules find that no collection has yet.',
  collection: path,
  readWith: 'collections:read',
  properties: {
    rules: writable(
      rulesSchema,
      'The conditions that a counted product meets, in the form of the rules of a collection.',
      {
        required: true,
        stored: false,
        example: { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'summer' }] },
      },
    ),
    productsCount: readOnly(
      z.int().nullable(),
      `How many products the rules find, without the archived; null beyond ${countingLimit}, or where a tenant has more products than are looked at.`,
      { example: 42 },
    ),
    atLeast: readOnly(z.int(), 'How many were found: no fewer are in the collection.', { example: 42 }),
  },
} satisfies Shape

type CountResult = RowOf<typeof countColumns>
const countColumns = { found: z.number(), products: z.number() }

/** Counts in one read that stops at the limits. Stores nothing. */
async function countCollectionProducts(
  context: Context,
  { bodies: [{ rules } = {}] }: Input<{ body: typeof collectionCount }>,
): Promise<Answer> {
  const countQuery = sql`
        select (select count(*) from (
                 select from (
                   select id, title, vendor, product_type, status, created_at from products
                    where tenant_id = current_tenant() and status <> 'ARCHIVED' order by created_at desc, id limit ${maxCountedProducts}
                 ) as products where ${rules ? matching(rules) : sql`false`} limit ${countingLimit + 1}
               ) as matched)::int as found,
               coalesce((select total from tenant_totals where tenant_id = current_tenant() and name = 'products'), 0)::int as products`
  const { result, replayed } = await write<CountResult>(context, 'countCollectionProducts', async (read) => {
    const { categories, counts } = await read({
      categories: categoriesStatement(rules),
      counts: statement(countQuery, countColumns),
    })
    throwViolations(unknownCategories(rules ?? null, new Set(categories.map(({ id }) => id))))
    return { unchanged: counts[0] ?? { found: 0, products: 0 } }
  })
  const isWhole = result.found <= countingLimit && result.products <= maxCountedProducts
  return {
    kind: 'item',
    document: {
      '@id': path,
      '@type': collectionCount.type,
      productsCount: isWhole ? result.found : null,
      atLeast: Math.min(result.found, countingLimit),
    },
    version: null,
    replayed,
  }
}

export const counts = resourceOf(
  operation({
    name: 'countCollectionProducts',
    summary: 'Count the products that rules find, without saving them',
    description: `Counted up to ${countingLimit} products, among the newest ${maxCountedProducts} of a tenant; beyond, \`atLeast\` contains the number of products counted until then.`,
    method: 'POST',
    path,
    status: 200,
    scope: 'collections:read',
    alsoScopes: ['products:read'],
    shape: collectionCount,
    answers: 'item',
    body: { mode: 'create' },
    notFound: collectionProblems.not_found,
    run: countCollectionProducts,
  }),
)
