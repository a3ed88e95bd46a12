/** Pages of a list: the first and any numbered page by offset, everything that a link leads to by key. */
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Cursor, fits, formatCursor, type KeyType, parseCursor } from './cursor.ts'
import { parseInstant } from './instant.ts'
import { validationProblems } from './problems/index.ts'
import { refuse, violation } from './violations.ts'

/** How many items a page has where nothing is said, and how many at most. */
export const standardItemsPerPage = 30
export const maximumItemsPerPage = 100
/** Matches are counted up to here; beyond, `totalItems` is absent. */
export const countingLimit = 10_000

/** A column that a list can be ordered by, and the Postgres type of its values. */
export type OrderKey = { readonly column: SQL; readonly type: KeyType }
/** What a list can be ordered by, under the names of the parameter `order[…]`. */
export type Orders = Readonly<Record<string, OrderKey>>
export type Direction = 'asc' | 'desc'

/** One page of a list, planned: the parts of the statement that reads it. */
export type Page = {
  readonly limit: number
  /** Fetches one row more than the page, to know whether another follows; ends in `limit`. */
  readonly window: SQL
  /** The keyset condition, or `true`. */
  readonly after: SQL
  /** A text array of the row's order keys, to be selected as `keys`. */
  readonly keys: SQL
  /** Turns fetched rows into the page and its links. */
  readonly links: <Row extends { keys: string[] }>(rows: Row[], total: number | null) => PageOf<Row>
}

/** The rows of a page, and the links to the others. */
export type PageOf<Row> = {
  readonly rows: Row[]
  readonly view: { first?: string; last?: string; previous?: string; next?: string } | undefined
}

const wholeNumber = (least: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least,
      violation(validationProblems.too_small.at('', { minimum: least })),
    )
    // Larger than any list: past its end, or clamped to a page's most.
    .transform((text) => Math.min(Number(text), 999_999_999))

/** The query parameters of every paged list. */
export const pageParameters = {
  page: wholeNumber(1)
    .optional()
    .meta({ type: 'integer', minimum: 1, default: 1, description: 'The number of the page.' }),
  itemsPerPage: wholeNumber(0)
    .optional()
    .meta({
      type: 'integer',
      minimum: 0,
      default: standardItemsPerPage,
      description: `How many items a page has: ${maximumItemsPerPage} at most, more is taken for that; 0 tells the total alone.`,
    }),
  cursor: z
    .string()
    .max(4000)
    .optional()
    .meta({ description: 'Where a link of `view` goes on; made by the service.' }),
}

/** `order[title]=asc|desc`, in any case, for each name that a list can be ordered by; another value asks for nothing. */
export function orderParameters(orders: Orders) {
  const direction = (name: string) =>
    z
      .string()
      .optional()
      .meta({ enum: ['asc', 'desc'], description: `Orders by \`${name}\`, upwards or downwards.` })
  return Object.fromEntries(Object.keys(orders).map((name) => [`order[${name}]`, direction(name)]))
}

const moment = z
  .string()
  .transform((text, check) => {
    const parsed = parseInstant(text)
    if (parsed === null) check.addIssue({ code: 'custom', ...violation(validationProblems.instant.at('')) })
    return parsed ?? ''
  })
  .optional()

const bounds = {
  after: 'later than this moment',
  before: 'earlier than this moment',
  from: 'at this moment or later',
  until: 'at this moment or earlier',
}

/** `createdAt[after]` and its kin: `after` and `before` strict, `from` and `until` inclusive. */
export function dateParameters(property: 'createdAt' | 'updatedAt') {
  const action = property === 'createdAt' ? 'created' : 'changed'
  return Object.fromEntries(
    Object.entries(bounds).map(([bound, meaning]) => [
      `${property}[${bound}]`,
      moment.meta({
        examples: ['2026-10-01T00:00:00Z'],
        description: `Only what was ${action} ${meaning}: an ISO 8601 date-time, UTC where it has no zone, or a date.`,
      }),
    ]),
  ) as Record<string, typeof moment>
}

/** The conditions that a query's date parameters put on a column. */
export function dateConditions(
  property: 'createdAt' | 'updatedAt',
  column: SQL,
  query: Readonly<Record<string, unknown>>,
): SQL[] {
  const operators = { after: sql`>`, before: sql`<`, from: sql`>=`, until: sql`<=` }
  return Object.entries(operators).flatMap(([bound, operator]) => {
    const value = query[`${property}[${bound}]`]
    return value === undefined ? [] : [sql`${column} ${operator} ${value}::timestamptz`]
  })
}

/** Whether a query follows changes: it is then ordered by `updatedAt`, and sees what was removed. */
export function followsUpdates(query: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(query).some((name) => name.startsWith('updatedAt[') && query[name] !== undefined)
}

/**
 * Plans a page from a query and its URL. `standard` is the order when none is asked for; `id` always decides last.
 * @throws Problem 422 for a page or cursor beside an `updatedAt` filter, or a cursor that is not one of ours
 */
export function planPage(
  query: Readonly<Record<string, unknown>>,
  url: URL,
  orders: Orders,
  standard: readonly (readonly [string, Direction])[],
): Page {
  const follows = followsUpdates(query)
  const limit = Math.min(
    (query.itemsPerPage as number | undefined) ?? standardItemsPerPage,
    maximumItemsPerPage,
  )
  const page = (query.page as number | undefined) ?? 1
  const cursor = query.cursor === undefined ? null : parseCursor(query.cursor as string)
  if ((follows && (query.page !== undefined || cursor)) || (cursor && query.page !== undefined)) {
    refuse([validationProblems.page.at(query.page === undefined ? 'cursor' : 'page')])
  }
  const chosen = follows ? ([['updatedAt', 'asc']] as const) : requestedOrder(url, orders, standard)
  const order = chosen.some(([name]) => name === 'id') ? chosen : [...chosen, ['id', 'asc'] as const]
  const keyed = order.map(([name, direction]) => ({ ...orders[name]!, direction }))
  const types = keyed.map(({ type }) => type)
  // Cursors are opaque, not signed: one that was made up must not reach Postgres with values of the wrong type.
  if (cursor?.keys && !fits(cursor.keys, types)) {
    refuse([validationProblems.pattern.at('cursor', { format: 'cursor' })])
  }

  const backward = cursor?.to === 'previous'
  const orderBy = sql.join(
    keyed.map(
      ({ column, direction }) =>
        sql`${column} ${sql.raw((direction === 'asc') !== backward ? 'asc' : 'desc')}`,
    ),
    sql`, `,
  )
  const offset = cursor || follows ? 0 : (page - 1) * limit
  return {
    limit,
    window: sql`order by ${orderBy} limit ${limit + 1} offset ${Math.min(offset, 2_000_000_000)}`,
    after: cursor?.keys ? beyond(keyed, cursor.keys, backward) : sql`true`,
    keys: sql`array[${sql.join(
      keyed.map(({ column, type }) =>
        type === 'timestamptz' ? sql`instant_text(${column})` : sql`${column}::text`,
      ),
      sql`, `,
    )}]`,
    links(fetched, total) {
      const atEnd = cursor?.to === 'previous' && cursor.keys === null
      // The last page is what is left over from full ones.
      const size = atEnd && total ? total % limit || limit : limit
      const more = fetched.length > size
      const rows = fetched.slice(0, size)
      if (backward) rows.reverse()
      if (limit === 0) return { rows, view: undefined }
      const [first, last] = [rows[0], rows.at(-1)]
      const with_ = (changes: Record<string, string | null>) => queryWith(url, changes)
      if (follows) {
        const next =
          more && last ? { next: with_({ 'updatedAt[after]': last.keys[0]!, 'updatedAt[from]': null }) } : {}
        return { rows, view: { first: with_({}), ...next } }
      }
      const link = (to: Cursor['to'], row: { keys: string[] } | undefined) =>
        with_({ page: null, cursor: formatCursor({ to, keys: row?.keys ?? null }) })
      const hasPrevious = backward ? more : cursor !== null || page > 1
      const hasNext = backward ? !atEnd : more
      return {
        rows,
        view: {
          first: with_({ page: null, cursor: null }),
          ...(total === null || total > 0 ? { last: link('previous', undefined) } : {}),
          ...(hasPrevious && first ? { previous: link('previous', first) } : {}),
          ...(hasNext && last ? { next: link('next', last) } : {}),
        },
      }
    },
  }
}

function requestedOrder(url: URL, orders: Orders, standard: readonly (readonly [string, Direction])[]) {
  const requested = [...url.searchParams].flatMap(([name, value]) => {
    const key = /^order\[(\w+)\]$/.exec(name)?.[1]
    const direction = value.toLowerCase()
    return key && Object.hasOwn(orders, key) && (direction === 'asc' || direction === 'desc')
      ? [[key, direction] as const]
      : []
  })
  return requested.length > 0 ? requested : standard
}

/** Rows strictly beyond a key, in the walked direction; the first column stands alone, so that an index range serves it. */
function beyond(
  keyed: readonly (OrderKey & { direction: Direction })[],
  keys: readonly string[],
  backward: boolean,
): SQL {
  const operator = (direction: Direction) => sql.raw((direction === 'asc') !== backward ? '>' : '<')
  const value = (index: number) => sql`${keys[index]}::${sql.raw(keyed[index]!.type)}`
  const [first] = keyed
  let condition = sql`false`
  for (let index = keyed.length - 1; index >= 0; index -= 1) {
    const { column, direction } = keyed[index]!
    condition = sql`(${column} ${operator(direction)} ${value(index)} or (${column} = ${value(index)} and ${condition}))`
  }
  return sql`(${first!.column} ${operator(first!.direction)}= ${value(0)} and ${condition})`
}

/** The URL's query with some parameters replaced (in place) or removed, percent-encoded. */
export function queryWith(url: URL, changes: Readonly<Record<string, string | null>>): string {
  const kept = [...url.searchParams].filter(([name]) => !Object.hasOwn(changes, name))
  const added = Object.entries(changes).filter((pair): pair is [string, string] => pair[1] !== null)
  return [...kept, ...added].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
}
