import { type SQL, sql } from 'drizzle-orm'
import type { Locale } from '../../../core/locale.ts'
import { statement } from '../../../db/client.ts'
import { gathered, made, type Reading } from '../../../db/reading.ts'
import { texts } from '../../../db/rows.ts'
import { type ProductParts, productReading, withoutVariants } from '../index.ts'
import type { Owned, OwnedBody, OwnedParts } from './owned.ts'

/** The id of the product of a row. */
export function productOf(kind: string, id: string): SQL {
  return sql`(select product_id from ${sql.identifier(kind)} where tenant_id = current_tenant() and id = ${id}::uuid)`
}

/** The product of what is written, and what others have of its names. */
export type Owner = {
  readonly product: ProductParts | null
  /** The external id that is written, where another row has it. */
  readonly externalIdTaken: string | null
}

/** Reads a product to write to what it owns, and whether another row has the external id that is written to `id`. */
export function ownerReading<Parts extends OwnedParts>(
  { kind }: Owned<Parts>,
  locale: Locale,
  productId: SQL,
  { id, body }: { readonly id: string; readonly body: OwnedBody },
): Reading<Owner> {
  const wanted = texts(body.externalId == null ? [] : [body.externalId])
  const reading = gathered({
    product: productReading(productId, { locale, expand: 0, room: withoutVariants, translations: true }),
    taken: statement<{ externalId: string }>(sql`
      select external_id as "externalId" from ${sql.identifier(kind)} where tenant_id = current_tenant()
         and not product_archived and external_id = any(${wanted}) and id <> ${id}::uuid`),
  })
  return made(reading, ({ product, taken }) => ({ product, externalIdTaken: taken[0]?.externalId ?? null }))
}
