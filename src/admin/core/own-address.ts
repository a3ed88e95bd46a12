import { spoken } from './language.ts'
import { coreWords } from './words.ts'

/**
 * An address of this page's own host, which alone may see the token. What stands in the page's address or in a document names
 * what is read (`#/products/…`), so anybody who can have a link clicked can name another host.
 *
 * @throws Error for any other
 */
export function ownAddress(address: URL | string, origin: string): URL {
  const url = URL.canParse(String(address), origin) ? new URL(address, origin) : null
  if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)) {
    throw new Error(spoken(coreWords).elsewhere)
  }
  return url
}
