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
import { externalId } from '../shared/properties.ts'
import { campaignProblems } from './problems.ts'
import { campaign } from './schema.ts'
import { campaigns } from './table.ts'

/** A campaign's row, and the number of its offers. Plain JSON. */
export type CampaignParts = RowOf<typeof campaignRow>
const campaignRow = { id: z.string(), document: z.string(), offers: z.number(), ...stampedRow }

export function campaignDocument(parts: CampaignParts, locale: Locale): Value {
  const { offers, version, createdAt, updatedAt } = parts
  return { ...documentInLocale(parts, campaign, locale), offers, version, createdAt, updatedAt }
}

const eventCampaign = z.object(campaignRow).omit(stamps)

export const campaignKind: Kind = {
  name: 'campaigns',
  subject: 'campaign',
  noun: 'A campaign',
  shape: campaign,
  document: (eventDocument, context, locale) =>
    campaignDocument(parseEventDocument(eventCampaign, eventDocument, context), locale),
}

const campaignColumns = sql`id, document, version,
  (select count(*)::int from sale_offers o
    where o.tenant_id = current_tenant() and o.campaign_id = campaigns.id and o.status <> 'ARCHIVED') as offers,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects campaigns by their ids. */
export function campaignStatement(ids: readonly string[]): Statement<CampaignParts> {
  return statement(campaignRow)`select ${campaignColumns} from campaigns
    where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
}

const list = listing(campaigns, { orders: ['createdAt', 'updatedAt', 'id'], equal: ['externalId'] })

export const campaignListParameters = listParameters(list, { externalId: externalId.optional() })

export function listCampaigns(
  context: Context,
  { query }: Input<{ query: typeof campaignListParameters }>,
): Promise<Answer> {
  return listRows(context, query, {
    row: campaignRow,
    list,
    columns: campaignColumns,
    document: (row) => campaignDocument(row, context.locale),
  })
}

export function getCampaign(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  return readItem(
    context,
    campaignStatement([id]),
    (row) => campaignDocument(row, context.locale),
    () => campaignProblems.not_found({ id }),
  )
}
