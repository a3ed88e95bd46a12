import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import { type State, standardText } from '../../core/state.ts'
import { type Statement, statement } from '../../db/client.ts'
import { metaobjectIdsOf } from '../content/custom-fields/index.ts'
import type { Subject } from './collections/index.ts'
import type { ProductRow } from './document.ts'

/** The row of a product, but for what commit() stamps. */
export function productRow(parts: ProductRow, state: State, locales: readonly [string, ...string[]]) {
  const { id, document } = parts
  const text = (name: string) => (state.values[name] as string | null | undefined) ?? null
  return {
    id,
    externalId: text('externalId'),
    handle: text('handle')!,
    status: text('status')!,
    title: standardText(state, 'title', locales) ?? '',
    vendor: text('vendor'),
    productType: text('productType'),
    metaobjectIds: metaobjectIdsOf(state.values.fields),
    document,
    translations: state.translations,
  }
}

/** A product as the rules of collections see it. */
export function subjectOf(
  { values }: State,
  row: { readonly title: string; readonly createdAt: string; readonly categoryIds: readonly string[] },
): Subject {
  const text = (name: string) => (values[name] as string | null | undefined) ?? null
  const list = (name: string) => (values[name] as string[] | undefined) ?? []
  return {
    ...row,
    status: String(values.status),
    vendor: text('vendor'),
    productType: text('productType'),
    tags: list('tags'),
    channels: list('channels'),
  }
}

export function tagRows(productId: string, tags: Json | undefined) {
  return ((tags as string[] | undefined) ?? []).map((tag) => ({ tag, productId }))
}

export function channelRows(productId: string, channels: Json | undefined) {
  return ((channels as string[] | undefined) ?? []).map((channel) => ({ channel, productId }))
}

/** Puts products into categories, in the order given. */
export function membershipStatements(
  memberships: readonly { productId: string; categoryIds: readonly string[] }[],
): Statement[] {
  const rows = memberships.flatMap(({ productId, categoryIds }) =>
    categoryIds.map((categoryId, position) => ({ product_id: productId, category_id: categoryId, position })),
  )
  if (rows.length === 0) return []
  return [
    statement(sql`insert into product_categories (tenant_id, product_id, category_id, position)
      select current_tenant(), product_id, category_id, position
        from jsonb_populate_recordset(null::product_categories, ${JSON.stringify(rows)}::jsonb)`),
  ]
}
