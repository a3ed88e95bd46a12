import { connected, databaseUrls } from './database.ts'
import type { Shop } from './shop.ts'

/** The ids of a shop's products and categories whose stored parts are not what their rows say. */
export async function outdatedParts({ tenant }: Pick<Shop, 'tenant'>): Promise<string[]> {
  return connected(databaseUrls().ownerUrl, async (client) => {
    await client.query(`select set_config('app.tenant', $1, false)`, [tenant.id])
    const { rows } = await client.query<{ id: string }>(
      `select id from outdated_parts(array(select id from products where tenant_id = $1),
                                     array(select id from categories where tenant_id = $1)) as o(id)`,
      [tenant.id],
    )
    return rows.map(({ id }) => id)
  })
}

/** Stores the parts of all products and categories of a shop again, after rows were written by hand. */
export async function refreshParts({ tenant }: Pick<Shop, 'tenant'>): Promise<void> {
  await connected(databaseUrls().ownerUrl, (client) => client.query(`call refresh_all_parts('${tenant.id}')`))
}
