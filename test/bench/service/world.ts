import type pg from 'pg'
import { host } from './database.ts'
import type { Asked, Method } from './request.ts'

/** Resources of a filled tenant for requests, which the seed chooses. */
export type World = {
  readonly products: readonly Chosen[]
  /** Products to be changed: others, so that the next run finds what it asks for as this one did. */
  readonly changeable: readonly Chosen[]
  readonly categories: readonly { readonly id: string; readonly level: number }[]
  readonly collections: readonly string[]
  /** A request in the name of the tenant's application. */
  request(method: Method, path: string, others?: Partial<Asked>): Asked
  /** A number that no other request of the run has. */
  next(): number
}

type Chosen = {
  readonly id: string
  readonly title: string
  readonly handle: string
  readonly externalId: string
  readonly vendor: string
  readonly productType: string
  readonly sku: string
  readonly barcode: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** The number of requested products; a page of a list, a filter's value or an item each. */
const chosen = 16
/** Enough that two connections seldom change the same one. */
const changed = 150

/** Chooses from a tenant. */
export async function worldOf(owner: pg.Client, tenant: string, token: string, seed: number): Promise<World> {
  const { rows: all } = await owner.query<Chosen>(
    `select p.id, p.title, p.handle, p.external_id as "externalId", p.vendor, p.product_type as "productType", v.sku, v.barcode,
            array(select tag from product_tags t where t.tenant_id = p.tenant_id and t.product_id = p.id order by tag) as tags,
            instant_text(p.created_at) as "createdAt", instant_text(p.updated_at) as "updatedAt"
       from (select * from products where tenant_id = $1 and external_id is not null order by md5($2 || id::text) limit $3) p
       join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id and v.position = 0
      order by md5($2 || p.id::text)`,
    [tenant, String(seed), chosen + changed],
  )
  const { rows: categories } = await owner.query<{ id: string; level: number }>(
    'select id, level from categories where tenant_id = $1 order by md5($2 || id::text)',
    [tenant, String(seed)],
  )
  const { rows: collections } = await owner.query<{ id: string }>(
    `select id from collections where tenant_id = $1 and rules is not null`,
    [tenant],
  )
  let count = 0
  return {
    products: all.slice(0, chosen),
    changeable: all.slice(chosen),
    categories,
    collections: collections.map(({ id }) => id),
    request: (method, path, { headers, ...others } = {}) => ({
      method,
      path,
      ...others,
      headers: {
        host,
        authorization: `Bearer ${token}`,
        ...(method !== 'GET' && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json',
        }),
        ...headers,
      },
    }),
    next: () => (count += 1),
  }
}
