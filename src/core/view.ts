import * as z from 'zod'
import { parseInstant } from './instant.ts'
import { isId } from './iri.ts'
import { httpProblems } from './problems/http.ts'
import { validationProblems } from './problems/validation.ts'
import { throwViolations } from './violations.ts'

/** The Postgres types of order columns. */
export type KeyType = 'timestamptz' | 'text' | 'int' | 'uuid'

/** The position of a page: after or before a row's keys, or at the very end if the keys are null. */
export type Cursor = { readonly to: 'next' | 'previous'; readonly keys: readonly string[] | null }

const keyFormats: Readonly<Record<KeyType, (key: string) => boolean>> = {
  timestamptz: (key) => key.length === 27 && parseInstant(key) === key,
  int: (key) => /^-?\d{1,10}$/.test(key) && Math.abs(Number(key)) <= 2_147_483_647,
  uuid: isId,
  text: (key) => !key.includes('\0') && key.isWellFormed(),
}

/** Whether a cursor's keys are values of these types. */
export function fits(keys: readonly string[], types: readonly KeyType[]): boolean {
  return keys.length === types.length && types.every((type, index) => keyFormats[type](keys[index] ?? ''))
}

const cursorShape = z.tuple([z.enum(['next', 'previous']), z.array(z.string().max(600)).max(6).nullable()])

/** @throws Problem 422 for an invalid cursor */
export function parseCursor(text: string): Cursor {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    const [to, keys] = cursorShape.parse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)),
    )
    return { to, keys }
  } catch {
    throwViolations([validationProblems.pattern.at('cursor', { format: 'cursor' })])
  }
}

/** A cursor in its form for links. */
function formatCursor({ to, keys }: Cursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([to, keys]))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

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
  /** The page size. */
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
  const atEnd = backward && cursor.keys === null
  const hasMore = more || !isComplete
  const [first, last] = backward ? [keys.at(-shownCount), keys.at(-1)] : [keys[0], keys[shownCount - 1]]
  if (follows) return followerView(position, number, hasMore ? last : undefined)
  const link = (to: Cursor['to'], from: readonly string[] | undefined, at: number | null) =>
    queryWith(position.url, {
      cursor: formatCursor({ to, keys: from ?? null }),
      page: at === null ? null : String(Math.max(1, at)),
    })
  const hasPrevious = backward ? hasMore : cursor !== null || (page ?? 1) > 1
  const hasNext = backward ? !atEnd : hasMore
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
