import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { documentInLocale, type Value } from '../../core/document.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import { instantText, stampedRow, stamps } from '../../db/columns.ts'
import { type RowOf, type Statement, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { listing, listParameters, listRows } from '../shared/list.ts'
import { readItem } from '../shared/ordinary-operations.ts'
import { marketProblems } from './problems.ts'
import { market, marketKey } from './schema.ts'
import { markets, pricesComplete } from './table.ts'

/** A market's row. Plain JSON. */
export type MarketParts = RowOf<typeof marketRow>
const marketRow = {
  id: z.string(),
  document: z.string(),
  /** Null while the price index lacks prices of the market. */
  pricesCompleteAt: z.string().nullable(),
  ...stampedRow,
}

/** A market as events store it: those of before the price index lack one property. */
type StoredMarket = Omit<MarketParts, 'pricesCompleteAt'> & z.infer<typeof eventMarket>

export function marketDocument(parts: StoredMarket, locale: Locale): Value {
  const { pricesCompleteAt = null, version, createdAt, updatedAt } = parts
  return { ...documentInLocale(parts, market, locale), pricesCompleteAt, version, createdAt, updatedAt }
}

const eventMarket = z.object({ ...marketRow, pricesCompleteAt: z.string().nullish() }).omit(stamps)

export const marketKind: Kind = {
  name: 'markets',
  subject: 'market',
  noun: 'A market',
  shape: market,
  document: (eventDocument, context, locale) =>
    marketDocument(parseEventDocument(eventMarket, eventDocument, context), locale),
}

const marketColumns = sql`id, document, version,
  case when ${pricesComplete} then ${instantText(sql`prices_complete_at`)} end as "pricesCompleteAt",
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects markets by their ids. */
export function marketStatement(ids: readonly string[]): Statement<MarketParts> {
  return statement(marketRow)`select ${marketColumns} from markets
    where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
}

const list = listing(markets, { orders: ['createdAt', 'updatedAt', 'id'], equal: ['key'] })

export const marketListParameters = listParameters(list, { key: marketKey.optional() })

export function listMarkets(
  context: Context,
  { query }: Input<{ query: typeof marketListParameters }>,
): Promise<Answer> {
  return listRows(context, query, {
    row: marketRow,
    list,
    columns: marketColumns,
    document: (row) => marketDocument(row, context.locale),
  })
}

export function getMarket(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  return readItem(
    context,
    marketStatement([id]),
    (row) => marketDocument(row, context.locale),
    () => marketProblems.not_found({ id }),
  )
}
