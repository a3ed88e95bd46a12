import { httpProblems } from '../core/problems/index.ts'
import { queryWith } from '../core/view.ts'

/** Characters of a query as links write it, without the parameters that links add. */
const longestQuery = 8192
/** Characters of a whole address: the most that Cloudflare takes. */
const longestAddress = 16_384

/** The parameters by which links go on, with the most characters that a link gives them. */
const continuations: Readonly<Record<string, number>> = {
  cursor: 4000,
  page: 10,
  itemsPerPage: 10,
  after: 20,
  before: 20,
  'updatedAt[after]': 40,
  'position[from]': 10,
}

/**
 * Refuses an address that is too long. What links keep of a query is counted as they write it, percent-encoded, and what they
 * add is not: the links of an address that is taken are taken, too.
 *
 * @throws Problem 414
 */
export function demandShortAddress(url: URL): void {
  const { pathname, search } = url
  if (pathname.length + search.length > longestAddress) throw httpProblems.uri_too_long()
  // Encoding takes at most three characters for one.
  if (search.length * 3 > longestQuery && keptOf(url).length > longestQuery) throw httpProblems.uri_too_long()
}

function keptOf(url: URL): string {
  const added = Object.entries(continuations).filter(([name, most]) => {
    const [value, ...others] = url.searchParams.getAll(name)
    return value !== undefined && others.length === 0 && value.length <= most
  })
  return queryWith(url, Object.fromEntries(added.map(([name]) => [name, null])))
}
