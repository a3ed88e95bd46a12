import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { totalOf, totalQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { maximumItemsPerPage, pageParameters, standardItemsPerPage } from '../../core/paging.ts'
import { queryWith, type View } from '../../core/view.ts'
import { type RowOf, statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import { productProblems } from '../products/problems.ts'
import { auditDocument } from './document.ts'
import { auditColumns, auditRow, bounds, changesBytes, eventAt } from './event-sql.ts'
import { sequenceParameter } from './feed.ts'

export const auditTrailParameters = {
  before: sequenceParameter.optional().meta({ description: 'Only writes before this sequence.' }),
  itemsPerPage: pageParameters.itemsPerPage,
}

/**
 * Lists every write on a product and on its options, values and variants, newest first, including archived products.
 * A page ends early if its changes are large.
 */
export async function listAuditTrail(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof auditTrailParameters }>,
): Promise<Answer> {
  const { before, itemsPerPage = standardItemsPerPage } = query
  const limit = Math.min(itemsPerPage, maximumItemsPerPage)
  const window = sql`${before === undefined ? sql`` : sql`and sequence < ${before}::bigint`} order by sequence desc limit ${limit + 1}`
  const trailQuery = sql`
      with found as materialized (
        select e.sequence, row_number() over newest as n, sum(${changesBytes}) over newest as size
          from (${sequencesOf(id, window)}) as own cross join lateral ${eventAt(sql`own.sequence`)} e
        window newest as (order by e.sequence desc) order by e.sequence desc limit ${limit + 1}
      )
      select trail.*, each.* from (
        select ${tenantSequence} as "tenantSequence", (${totalQuery(true, '', sql`from (${sequencesOf(id, sql``)}) as own`)}) as "listTotal"
          from products where tenant_id = current_tenant() and id = ${id}::uuid
      ) as trail
      left join (
        select ${auditColumns}, (select count(*)::int from found) as among from found cross join lateral ${eventAt(sql`found.sequence`)} e
         where found.n = 1 or found.size <= ${bounds.changes}
      ) as each on true order by each.sequence desc`
  const { trail } = await context.db.read({ trail: statement(trailQuery, foundColumns, totalColumns) })
  const [first] = trail
  if (!first) throw productProblems.not_found({ id })
  // Without events, one row still contains the totals.
  const events = trail.filter((row) => row.id !== null)
  const total = totalOf(true, first.listTotal)
  return {
    kind: 'collection',
    members: events.slice(0, limit).map((row) => auditDocument(row, context)),
    total: total ?? undefined,
    ...(limit > 0 ? { view: (count: number) => viewOf(context.url, events, count) } : {}),
    sequence: first.tenantSequence,
  }
}

/** An event row. `among` counts the events on the page and after it, including those too large to be read together. */
type FoundRow = RowOf<typeof foundColumns>

const totalColumns = { tenantSequence: z.number(), listTotal: z.number() }
const foundColumns = { ...auditRow, ...totalColumns, among: z.number() }

/** The links of a page that shows `count` events. */
function viewOf(url: URL, events: readonly FoundRow[], count: number): View {
  const last = events[count - 1]
  return {
    first: queryWith(url, { before: null }),
    ...(last && last.among > count ? { next: queryWith(url, { before: String(last.sequence) }) } : {}),
  }
}

/** The sequences of events of a product and of its parts. Each of the two queries uses its own index. */
function sequencesOf(id: string, window: SQL): SQL {
  const product = sql`select sequence from events where tenant_id = current_tenant() and kind = 'products' and resource_id = ${id}::uuid ${window}`
  const owned = sql`select sequence from events where tenant_id = current_tenant() and owner_id = ${id}::uuid ${window}`
  return sql`(${product}) union all (${owned})`
}
