import { sql } from 'drizzle-orm'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { State } from '../../core/state.ts'
import { type Statement, statement } from '../../db/client.ts'
import { insertRows, updateRows } from '../../db/rows.ts'
import type { ProductParts } from './document.ts'
import { channelRows, membershipStatements, productRow, tagRows } from './rows.ts'
import type { product as shape } from './schema.ts'
import { indexStatements, searchedIn } from './search.ts'
import { productChannels, products, productTags } from './table.ts'

type Update = {
  readonly after: ProductParts
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
  /** Its categories, where they changed. */
  readonly categoryIds: readonly string[] | null
  /** Whether it is now archived, where that changed. */
  readonly archival: boolean | null
}

/** The statements that bring a product's rows to what it is now; rows of what stayed the same are left alone. */
export function updateStatements(
  context: Context,
  { after, before, state, categoryIds, archival }: Update,
): Statement[] {
  const own = (table: string) =>
    statement(
      sql`delete from ${sql.identifier(table)} where tenant_id = current_tenant() and product_id = ${after.id}::uuid`,
    )
  const same = (name: 'tags' | 'channels') => sameJson(before.values[name], state.values[name])
  return [
    ...updateRows(products, [productRow(after, state, context.tenant.locales)]),
    ...(same('tags')
      ? []
      : [own('product_tags'), ...insertRows(productTags, tagRows(after.id, state.values.tags))]),
    ...(same('channels')
      ? []
      : [
          own('product_channels'),
          ...insertRows(productChannels, channelRows(after.id, state.values.channels)),
        ]),
    ...(categoryIds
      ? [own('product_categories'), ...membershipStatements([{ productId: after.id, categoryIds }])]
      : []),
    ...(archival === null
      ? []
      : [
          ...['product_options', 'option_values', 'variants'].map((table) =>
            statement(sql`update ${sql.identifier(table)} set product_archived = ${archival}
              where tenant_id = current_tenant() and product_id = ${after.id}::uuid`),
          ),
        ]),
    ...(sameJson(searchedIn(before), searchedIn(state))
      ? []
      : indexStatements([{ id: after.id, state }], context.tenant.locales)),
  ]
}
