import type { AnyPgTable } from 'drizzle-orm/pg-core'
import type { Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { State } from '../../core/state.ts'
import type { Statement } from '../../db/client.ts'
import { deleteRows, insertRows, updateRows } from '../../db/rows.ts'
import { stepStatement } from '../../db/steps.ts'
import type { ProductParts } from './document.ts'
import { channelRows, membershipStatements, productRow, tagRows } from './rows.ts'
import type { product as shape } from './schema.ts'
import { indexStatements, searchedIn } from './search.ts'
import { productCategories, productChannels, products, productTags } from './table.ts'

type Update = {
  readonly after: ProductParts
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
  /** Its categories, where they changed. */
  readonly categoryIds: readonly string[] | null
  /** The channels that a later restore brings back; null if the stored ones stay. */
  readonly archivedChannels: readonly string[] | null
  /** Whether it is now archived, where that changed. */
  readonly archival: boolean | null
  /** What puts it into collections and takes it out. */
  readonly sortings: readonly Statement[]
}

/** The statements that bring a product's rows to what it is now; rows of what stayed the same are left alone. */
export function updateStatements(
  context: Context,
  { after, before, state, categoryIds, archivedChannels, archival, sortings }: Update,
): Statement[] {
  const own = (table: AnyPgTable) => deleteRows(table, [after.id], 'product_id')
  const same = (name: 'tags' | 'channels') => sameJson(before.values[name], state.values[name])
  return [
    ...(same('tags')
      ? []
      : [...own(productTags), ...insertRows(productTags, tagRows(after.id, state.values.tags))]),
    ...(same('channels')
      ? []
      : [
          ...own(productChannels),
          ...insertRows(productChannels, channelRows(after.id, state.values.channels)),
        ]),
    ...(categoryIds
      ? [...own(productCategories), ...membershipStatements([{ productId: after.id, categoryIds }])]
      : []),
    ...(archival === true ? [archiveOwned(after.id, true)] : []),
    ...(sameJson(searchedIn(before), searchedIn(state))
      ? []
      : indexStatements([{ id: after.id, state }], context.tenant)),
    ...sortings,
    // Under the clock's lock.
    ...updateRows(products, [
      {
        ...productRow(after, state, context.tenant.locales),
        ...(archivedChannels && { archivedChannels: [...archivedChannels] }),
      },
    ]),
    // What is restored takes its names again, of which somebody may be making another.
    ...(archival === false ? [archiveOwned(after.id, false)] : []),
  ]
}

const archiveOwned = (product: string, archived: boolean) =>
  stepStatement({ do: 'archive_owned', product, archived })
