import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import type { SelectedMembers } from '../../core/select.ts'
import { documentColumn, instantText, rowBytes, textsColumn } from '../../db/columns.ts'
import { type Statement, statement } from '../../db/query.ts'
import { isPublished } from '../products/table.ts'
import { listing, listParameters, listRows } from '../shared/list.ts'
import { readItem } from '../shared/ordinary-operations.ts'
import { externalId, referenceParameter, shortText } from '../shared/properties.ts'
import { type CollectionParts, collectionDocument, collectionRow } from './document.ts'
import { collectionProblems } from './problems.ts'
import { collections } from './table.ts'

/** The name of the stored total that counts the products of a collection. */
export const countOf = (id: string) => `collection:${id}`

/** The columns of `CollectionParts`. Reads translations only on request. */
export function collectionColumns(withTranslations: boolean, selectedMembers: SelectedMembers = null): SQL {
  return sql`collections.id, ${documentColumn(sql`collections.document`, selectedMembers)},
    ${withTranslations ? textsColumn(sql`collections.translations`, selectedMembers) : sql`null::jsonb as translations`},
    coalesce((select t.total from tenant_totals t
      where t.tenant_id = collections.tenant_id and t.name = 'collection:' || collections.id), 0)::int as "productsCount",
    exists (select from collection_rebuilds r
      where r.tenant_id = collections.tenant_id and r.id = collections.id) as rebuilding,
    collections.version, ${instantText(sql`collections.created_at`)} as "createdAt",
    ${instantText(sql`collections.updated_at`)} as "updatedAt"`
}

export function collectionStatement(id: string | SQL, withTranslations: boolean): Statement<CollectionParts> {
  return statement(collectionRow)`select ${collectionColumns(withTranslations)} from collections
    where tenant_id = current_tenant() and id = ${id}::uuid`
}

/**
 * The condition that selects the products of a collection.
 * A deleted collection can have member rows for a while, so the condition also checks that it exists.
 */
export function inCollection(id: string): SQL {
  return sql`products.id in (select m.product_id from product_collections m
      where m.tenant_id = current_tenant() and m.collection_id = ${id}::uuid)
    and exists (${existsQuery(id)})`
}

/** Returns a row if the collection exists. */
export function existsQuery(id: string): SQL {
  return sql`select 1 as exists from collections c where c.tenant_id = current_tenant() and c.id = ${id}::uuid`
}

const list = listing(collections, {
  orders: ['createdAt', 'updatedAt', 'title', 'id'],
  equal: ['type', 'handle', 'externalId'],
})

export const collectionListParameters = listParameters(list, {
  type: z.enum(['MANUAL', 'RULE_BASED']).optional(),
  handle: shortText.optional(),
  externalId: externalId.optional(),
  product: referenceParameter('/api/products').optional(),
})

type Query = { query: typeof collectionListParameters }

function withProduct(id: string, { isPublic }: Pick<Access, 'isPublic'>): SQL {
  return sql`collections.id in (select m.collection_id from product_collections m
    where m.tenant_id = current_tenant() and m.product_id = ${id}::uuid${
      isPublic
        ? sql` and exists (select from products where products.tenant_id = current_tenant() and products.id = m.product_id and ${isPublished})`
        : sql``
    })`
}

export function listCollections(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale, selectedMembers, access } = context
  return listRows(context, query, {
    row: collectionRow,
    list,
    conditions: query.product === undefined ? [] : [withProduct(query.product, access)],
    columns: collectionColumns(!locale.stored, selectedMembers),
    bytes: rowBytes(sql`translations`),
    document: (row) => collectionDocument(row, locale),
  })
}

export function getCollection(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { locale } = context
  return readItem(
    context,
    collectionStatement(id, !locale.stored),
    (row) => collectionDocument(row, locale),
    () => collectionProblems.not_found({ id }),
  )
}
