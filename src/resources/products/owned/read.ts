import { type SQL, sql } from 'drizzle-orm'
import type { Json } from '../../../core/json.ts'
import type { Context } from '../../../core/operation.ts'
import { type Session, statement } from '../../../db/client.ts'
import { texts } from '../../../db/rows.ts'
import { readProduct, withoutVariants } from '../index.ts'

/** The id of the product of a row. */
export function productOf(kind: string, id: string): SQL {
  return sql`(select product_id from ${sql.identifier(kind)} where tenant_id = current_tenant() and id = ${id}::uuid)`
}

/** Reads a product to write to what it owns, and whether another row has the external id that is written to `id`. */
export async function readOwner(
  { locale }: Context,
  read: Session['read'],
  productId: SQL,
  { kind, id, externalId }: { kind: string; id: string; externalId: Json | undefined },
) {
  const wanted = texts(typeof externalId === 'string' ? [externalId] : [])
  const { product, more } = await readProduct(
    read,
    productId,
    { locale, expand: 0, room: withoutVariants, translations: true },
    statement(sql`select id from ${sql.identifier(kind)} where tenant_id = current_tenant()
      and not product_archived and external_id = any(${wanted}) and id <> ${id}::uuid`),
  )
  return { product, externalIdTaken: (more[0]?.length ?? 0) > 0 }
}
