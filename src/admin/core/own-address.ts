import { messages } from './language.ts'

/**
 * An address of this page's own host, which alone may see the token. The address of the page and documents contain the addresses that
 * are read (`#/products/…`), so a link of an attacker can name another host.
 *
 * @throws Error for any other
 */
export function ownAddress(address: URL | string, origin: string): URL {
  const url = URL.canParse(String(address), origin) ? new URL(address, origin) : null
  if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)) {
    throw new Error(messages('core').elsewhere)
  }
  return url
}
