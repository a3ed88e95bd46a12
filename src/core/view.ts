import { type Cursor, formatCursor } from './cursor.ts'
import { httpProblems } from './problems/http.ts'

/** The links of a page. They navigate by key; a `page` next to a `cursor` is only informative. */

/** Links of `view`, as query strings without `?`. */
export type View = {
  readonly first?: string
  readonly last?: string
  readonly previous?: string
  readonly next?: string
}

/** The position of a page in its list. */
export type PagePosition = {
  readonly url: URL
  readonly limit: number
  readonly cursor: Cursor | null
  /** The page number in the query, also next to a cursor; null without one. */
  readonly page: number | null
  /** Whether the list follows changes: it continues by `updatedAt`. */
  readonly follows: boolean
}

/** The rows that a page's query returned. */
export type PageRows = {
  /** The order keys of the rows that were read, first to last. */
  readonly keys: readonly (readonly string[])[]
  /** The number of rows on the page, even if they are too large to be read at once. */
  readonly size: number
  /** Whether more rows follow in the direction of the page. */
  readonly more: boolean
  readonly total: number | null
}

/**
 * The links of a page that contains only `shownCount` of its rows: the first ones, or the last ones if it was requested
 * backwards. The linked pages continue where these rows end. Page numbers count full pages, so links to other positions
 * have none.
 * @throws Problem 413 if rows of a numbered page do not fit, because a client that counts pages would never receive
 * them
 */
export function viewOf(
  position: PagePosition,
  { keys, size, more, total }: PageRows,
  shownCount: number,
): View {
  const { limit, cursor, page, follows } = position
  const isComplete = shownCount === size
  if (!isComplete && page !== null && cursor === null) {
    throw httpProblems.answer_too_large({ itemsPerPage: shownCount })
  }
  const number = !isComplete ? null : (page ?? (cursor ? null : 1))
  const backward = cursor?.to === 'previous'
  const isLastPage = backward && cursor.keys === null
  const hasMore = more || !isComplete
  const [first, last] = backward ? [keys.at(-shownCount), keys.at(-1)] : [keys[0], keys[shownCount - 1]]
  if (follows) return followerView(position, number, hasMore ? last : undefined)
  const link = (to: Cursor['to'], from: readonly string[] | undefined, at: number | null) =>
    queryWith(position.url, {
      cursor: formatCursor({ to, keys: from ?? null }),
      page: at === null ? null : String(Math.max(1, at)),
    })
  const hasPrevious = backward ? hasMore : cursor !== null || (page ?? 1) > 1
  const hasNext = backward ? !isLastPage : hasMore
  const lastNumber = number === null || !total ? null : Math.ceil(total / limit)
  return {
    first: queryWith(position.url, { cursor: null, page: number === null ? null : '1' }),
    ...(total === 0 ? {} : { last: link('previous', undefined, lastNumber) }),
    ...(hasPrevious && first ? { previous: link('previous', first, number && number - 1) } : {}),
    ...(hasNext && last ? { next: link('next', last, number && number + 1) } : {}),
  }
}

/** Changed rows move to the end, so a follower continues after the last row that it received and never by number. */
function followerView(
  { url }: PagePosition,
  number: number | null,
  last: readonly string[] | undefined,
): View {
  const page = (at: number) => queryWith(url, { page: String(at) })
  return {
    first: number === null ? queryWith(url, { page: null }) : page(1),
    ...(number !== null && number > 1 ? { previous: page(number - 1) } : {}),
    ...(last
      ? { next: queryWith(url, { page: null, 'updatedAt[from]': null, 'updatedAt[after]': last[0] ?? null }) }
      : {}),
  }
}

/** The URL's query with some parameters replaced or removed, percent-encoded. */
export function queryWith({ searchParams }: URL, changes: Readonly<Record<string, string | null>>): string {
  const unchanged = [...searchParams].filter(([name]) => !Object.hasOwn(changes, name))
  return [...unchanged, ...Object.entries(changes)]
    .flatMap(([name, value]) =>
      value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
    )
    .join('&')
}
