import { findTenant } from '../../src/local/tenant/stored.ts'
import { addStorefront } from '../../src/local/tenant/storefronts.ts'
import { owner } from './ledger.ts'
import type { Shop } from './shop.ts'

/** A host with a publishable key of it. */
export type Storefront = { readonly host: string; readonly key: string }

/** Creates a storefront host of a shop, or another key of one. */
export function openStorefront(
  shop: Shop,
  host = `shop-${crypto.randomUUID().slice(0, 13)}.test`,
  maxAge?: number,
): Promise<Storefront> {
  return owner(async (client) => {
    const { key } = await addStorefront(client, await findTenant(client, shop.tenant.id), host, maxAge)
    return { host, key }
  })
}

type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly key?: string }

/** Sends a request to a storefront host, with its key or another one. */
export async function send(
  shop: Shop,
  { host, key }: Storefront,
  path: string,
  { method = 'GET', headers = {}, key: other = key }: Sent = {},
) {
  const init = { method, headers: { authorization: `Bearer ${other}`, ...headers } }
  const response = await shop.fetch(new Request(`http://${host}${path}`, init))
  const text = await response.text()
  const isJson = /[+/]json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}
