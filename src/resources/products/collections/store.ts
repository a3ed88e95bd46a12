import { type SQL, sql } from 'drizzle-orm'
import type { Outline } from '../../../core/outline.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { documentColumn, instantText, textsColumn } from '../../../db/columns.ts'
import type { CollectionParts } from './document.ts'

/** The kept total that counts the products of a collection. */
export const countOf = (id: string) => `collection:${id}`

/** The columns of a collection's parts; translations only where they are asked for. */
export function collectionColumns(withTranslations: boolean, outline: Outline = null): SQL {
  return sql`collections.id, ${documentColumn(sql`collections.document`, outline)},
    ${withTranslations ? textsColumn(sql`collections.translations`, outline) : sql`null::jsonb as translations`},
    coalesce((select t.total from tenant_totals t
      where t.tenant_id = collections.tenant_id and t.name = 'collection:' || collections.id), 0)::int as "productsCount",
    exists (select from collection_rebuilds r
      where r.tenant_id = collections.tenant_id and r.id = collections.id) as rebuilding,
    collections.version, ${instantText(sql`collections.created_at`)} as "createdAt",
    ${instantText(sql`collections.updated_at`)} as "updatedAt"`
}

/** Reads one collection. */
export function collectionStatement(id: string, withTranslations: boolean): Statement<CollectionParts> {
  return statement(sql`select ${collectionColumns(withTranslations)} from collections
    where tenant_id = current_tenant() and id = ${id}::uuid`)
}

/** The condition for products to be in a collection. Rows of one that is deleted may be there for a while; it shows none. */
export function inCollection(id: string): SQL {
  return sql`products.id in (select m.product_id from product_collections m
      where m.tenant_id = current_tenant() and m.collection_id = ${id}::uuid)
    and exists (${existsQuery(id)})`
}

/** Gives a row where there is such a collection. */
export function existsQuery(id: string): SQL {
  return sql`select 1 from collections c where c.tenant_id = current_tenant() and c.id = ${id}::uuid`
}
