import * as z from 'zod'
import { parseInstant } from './instant.ts'
import { isId } from './iri.ts'
import { httpProblems } from './problems/http.ts'
import { validationProblems } from './problems/validation.ts'
import { throwViolations } from './violations.ts'

/** The Postgres types of what lists are ordered by. */
export type KeyType = 'timestamptz' | 'text' | 'int' | 'uuid'

/** Where a link goes on: beyond a row's keys, or from the very end. */
export type Cursor = { readonly to: 'next' | 'previous'; readonly keys: readonly string[] | null }

const forms: Readonly<Record<KeyType, (key: string) => boolean>> = {
  timestamptz: (key) => key.length === 27 && parseInstant(key) === key,
  int: (key) => /^-?\d{1,10}$/.test(key) && Math.abs(Number(key)) <= 2_147_483_647,
  uuid: isId,
  text: (key) => !key.includes('\0') && key.isWellFormed(),
}

/** Whether a cursor's keys are values of these types. */
export function fits(keys: readonly string[], types: readonly KeyType[]): boolean {
  return keys.length === types.length && types.every((type, index) => forms[type](keys[index] ?? ''))
}

const cursorShape = z.tuple([z.enum(['next', 'previous']), z.array(z.string().max(600)).max(6).nullable()])

/** @throws Problem 422 for what is no cursor of ours */
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
    throw new Error('unreachable')
  }
}

/** A cursor as a link carries it. */
function formatCursor({ to, keys }: Cursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([to, keys]))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The links from one page of a list to the others. They go on by key; `page` beside a `cursor` is for people to read. */

/** Links of `view`, as query strings without `?`. */
export type View = {
  readonly first?: string
  readonly last?: string
  readonly previous?: string
  readonly next?: string
}

/** Where a page stands in its list. */
export type Place = {
  readonly url: URL
  /** How many items a page has. */
  readonly limit: number
  readonly cursor: Cursor | null
  /** The page that the query names, also beside a cursor; null where it names none. */
  readonly page: number | null
  /** Whether the list follows changes: it goes on by `updatedAt`. */
  readonly follows: boolean
}

/** What was found for a page. */
export type Found = {
  /** The order keys of the rows that were read, first to last. */
  readonly keys: readonly (readonly string[])[]
  /** How many rows belong on it, also where they are too large to be read at once. */
  readonly size: number
  /** Whether the list goes on behind those, in the direction in which it was walked. */
  readonly more: boolean
  readonly total: number | null
}

/**
 * The links of a page of which only the first `shown` rows are shown, or the last ones where it was walked backwards: the
 * others go on where those end. Numbers of pages count full ones, so that links that begin or end elsewhere have none.
 *
 * @throws Problem 413 where rows are left out of a page that was asked for by its number, since whoever counts pages would
 * never see them
 */
export function viewOf(place: Place, { keys, size, more, total }: Found, shown: number): View {
  const { limit, cursor, page, follows } = place
  const whole = shown === size
  if (!whole && page !== null && cursor === null) {
    throw httpProblems.answer_too_large({ itemsPerPage: shown })
  }
  const number = !whole ? null : (page ?? (cursor ? null : 1))
  const backward = cursor?.to === 'previous'
  const atEnd = backward && cursor.keys === null
  const ahead = more || !whole
  const [first, last] = backward ? [keys.at(-shown), keys.at(-1)] : [keys[0], keys[shown - 1]]
  if (follows) return following(place, number, ahead ? last : undefined)
  const link = (to: Cursor['to'], from: readonly string[] | undefined, at: number | null) =>
    queryWith(place.url, {
      cursor: formatCursor({ to, keys: from ?? null }),
      page: at === null ? null : String(Math.max(1, at)),
    })
  const hasPrevious = backward ? ahead : cursor !== null || (page ?? 1) > 1
  const hasNext = backward ? !atEnd : ahead
  const lastNumber = number === null || !total ? null : Math.ceil(total / limit)
  return {
    first: queryWith(place.url, { cursor: null, page: number === null ? null : '1' }),
    ...(total === 0 ? {} : { last: link('previous', undefined, lastNumber) }),
    ...(hasPrevious && first ? { previous: link('previous', first, number && number - 1) } : {}),
    ...(hasNext && last ? { next: link('next', last, number && number + 1) } : {}),
  }
}

/** Rows move to the end as they change, so a follower goes on behind the last that it saw and never by number. */
function following({ url }: Place, number: number | null, last: readonly string[] | undefined): View {
  const page = (at: number) => queryWith(url, { page: String(at) })
  return {
    first: number === null ? queryWith(url, { page: null }) : page(1),
    ...(number !== null && number > 1 ? { previous: page(number - 1) } : {}),
    ...(last
      ? { next: queryWith(url, { page: null, 'updatedAt[from]': null, 'updatedAt[after]': last[0] ?? null }) }
      : {}),
  }
}

/** The URL's query with some parameters replaced (in place) or removed, percent-encoded. */
export function queryWith({ search }: URL, changes: Readonly<Record<string, string | null>>): string {
  const kept = parametersIn(search).flatMap(({ name, text }) => (Object.hasOwn(changes, name) ? [] : [text]))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [pairText(name, value)],
  )
  return [...kept, ...added].join('&')
}

type Parameter = { readonly name: string; readonly text: string }

/** Those of the query that was asked for last: a page has five links. */
let last: { readonly search: string; readonly parameters: readonly Parameter[] } = {
  search: '',
  parameters: [],
}

function parametersIn(search: string): readonly Parameter[] {
  if (search === last.search) return last.parameters
  const parameters = [...new URLSearchParams(search)].map(([name, value]) => ({
    name,
    text: pairText(name, value),
  }))
  last = { search, parameters }
  return parameters
}

const pairText = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
