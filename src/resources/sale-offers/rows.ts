import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import { type Statement, statement } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import type { OfferParts } from './document.ts'

/** The row of an offer, but for what commit() stamps. `values` are its settled terms. */
export function offerRow(parts: OfferParts, values: Readonly<Record<string, Json>>) {
  const { id, productId, variantId, document, status, validFrom, validUntil } = parts
  return {
    id,
    productId,
    variantId,
    status,
    validFrom,
    validUntil,
    document,
    externalId: values.externalId as string | null,
    channel: values.channel as string | null,
    countries: values.countries as string[],
    currency: values.currency as string,
    amount: values.amount as string,
    compareAtAmount: values.compareAtAmount as string | null,
    priority: values.priority as number,
    minQuantity: values.minQuantity as number,
    taxIncluded: values.taxIncluded as boolean,
  }
}

/** What `demandSellable` raises: a refusal that is met by reading again, which names what was archived. */
export const archivedMeanwhile = 'archived'

/** Refuses the batch when a variant, or its product, was archived after it was read. The variants are locked before. */
export function demandSellable(variantIds: readonly string[]): Statement {
  return statement(sql`select reject('PC409', ${archivedMeanwhile}) from variants
    where tenant_id = current_tenant() and id = any(${uuids(variantIds)}) and (status <> 'ACTIVE' or product_archived) limit 1`)
}

/** Moves how many offers each variant has; beyond the limit the constraint `variants_sale_offer_limit` refuses it. */
export function countStatements(moves: ReadonlyMap<string, number>): Statement[] {
  const records = [...moves].filter(([, by]) => by !== 0).map(([id, by]) => ({ id, by }))
  if (records.length === 0) return []
  return [
    statement(sql`update variants v set sale_offer_count = v.sale_offer_count + m.by
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as m(id uuid, by int)
      where v.tenant_id = current_tenant() and v.id = m.id`),
  ]
}
