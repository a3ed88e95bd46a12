import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { bytesAtMost, bytesOf, type Value } from './document.ts'
import { parseInstant } from './instant.ts'
import { byteLimits } from './limits.ts'
import type { Answer, QueryOf } from './operation.ts'
import { validationProblems } from './problems/validation.ts'
import { fits, type KeyType, type Place, parseCursor, type View, viewOf } from './view.ts'
import { throwViolations, violation } from './violations.ts'

/** Pages of a list: the first and any numbered page by offset, everything that a link leads to by key. */

/** How many items a page has where nothing is said, and how many at most. */
export const standardItemsPerPage = 30
export const maximumItemsPerPage = 100
/** Matches are counted up to here; beyond, `totalItems` is absent. */
export const countingLimit = 10_000

/** A column that a list can be ordered by, and the Postgres type of its values. */
type OrderKey = { readonly column: SQL; readonly type: KeyType }
/** What a list can be ordered by, under the names of the parameter `order[…]`. */
export type Orders = Readonly<Record<string, OrderKey>>
export type Direction = 'asc' | 'desc'

/**
 * The column that first orders a list, and a query of one column, `value`: of the rows that `from` has, those with one of these values are
 * meant. Those of each value are found by themselves: Postgres 15 walks an index in its order for one value of a column alone, not for several.
 */
export type Apart = { readonly column: SQL; readonly values: SQL }

/** One page of a list, planned: the statement that reads it, and what is answered of it. */
export type Page = {
  /**
   * Selects the page's rows with their order keys. `from` is `from … where …`; `bytes` is how large a row is, in terms of
   * `columns`: no more rows are read than one statement may bring, but always one.
   */
  readonly rows: (columns: SQL, from: SQL, bytes: SQL, apart?: Apart) => SQL
  /** The same where who reads the rows weighs them: they come in their order, and how many there are is for who counts them. */
  readonly keyed: (columns: SQL, from: SQL) => SQL
  /** Turns fetched rows into those of the page, and what its answer says of them. */
  readonly read: <Row extends PageRow>(
    rows: readonly Row[],
    total: number | null,
  ) => { rows: Row[]; paging: Paging }
}

/** What `Page.rows` selects beside the columns. */
export type PageRow = {
  readonly keys: readonly string[]
  /** How many rows there were for the page and behind it, whether or not they were read: up to one more than it has. */
  readonly found: number
}

/** The row of a page where its bytes are told, for columns that a subquery would otherwise take for its own. */
export const pageRow = sql.identifier('page_row')

/** What a list answers beside its members. */
export type Paging = Pick<Answer & { kind: 'collection' }, 'total' | 'view' | 'backward'>

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
  cursor: z.string().max(4000).optional().meta({
    description: 'Where a link of `view` goes on; made by the service. Beside it `page` changes nothing.',
  }),
}

/** The values of `pageParameters` among those of a query. */
export type PageQuery = Readonly<Record<string, unknown>> & Partial<QueryOf<typeof pageParameters>>

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
  )
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
 * Plans a page from a query, in the order in which it was asked, and its URL. `standard` is the order when none is asked for;
 * `id` always decides last.
 * @throws Problem 422 for a cursor beside an `updatedAt` filter, or one that is not ours
 */
export function planPage(
  query: PageQuery,
  url: URL,
  orders: Orders,
  standard: readonly (readonly [string, Direction])[],
): Page {
  const follows = followsUpdates(query)
  const { page = null, itemsPerPage = standardItemsPerPage } = query
  const limit = Math.min(itemsPerPage, maximumItemsPerPage)
  const cursor = query.cursor === undefined ? null : parseCursor(query.cursor)
  if (follows && cursor) throwViolations([validationProblems.page.at('cursor')])
  const chosen = follows ? ([['updatedAt', 'asc']] as const) : requestedOrder(query, orders, standard)
  const order = chosen.some(([name]) => name === 'id') ? chosen : [...chosen, ['id', 'asc'] as const]
  const keyed = order.flatMap(([name, direction]) => {
    const key = orders[name]
    return key ? [{ ...key, direction }] : []
  })
  const types = keyed.map(({ type }) => type)
  // Cursors are opaque, not signed: one that was made up must not reach Postgres with values of the wrong type.
  if (cursor?.keys && !fits(cursor.keys, types)) {
    throwViolations([validationProblems.pattern.at('cursor', { format: 'cursor' })])
  }
  const backward = cursor?.to === 'previous'
  const place = { url, limit, cursor, page, follows }
  return {
    ...rowsOf(keyed, place),
    read(fetched, total) {
      const atEnd = backward && cursor.keys === null
      // The last page is what is left over from full ones.
      const most = atEnd && total ? total % limit || limit : limit
      const rows = fetched.slice(0, most)
      const found = fetched[0]?.found ?? 0
      if (backward) rows.reverse()
      const counted = total === null ? {} : { total }
      if (limit === 0) return { rows, paging: counted }
      const known = {
        keys: rows.map(({ keys }) => keys),
        size: Math.min(found, most),
        more: found > most,
        total,
      }
      return { rows, paging: { ...counted, view: (shown) => viewOf(place, known, shown), backward } }
    },
  }
}

function rowsOf(
  keyed: readonly (OrderKey & { direction: Direction })[],
  { limit, cursor, page }: Place,
): Pick<Page, 'rows' | 'keyed'> {
  const backward = cursor?.to === 'previous'
  const walked = keyed.map(({ column, type, direction }) => ({
    column,
    key: type === 'timestamptz' ? sql`instant_text(${column})` : sql`${column}::text`,
    direction: sql.raw((direction === 'asc') !== backward ? 'asc' : 'desc'),
  }))
  const order = sql.join(
    walked.map(({ column, direction }) => sql`${column} ${direction}`),
    sql`, `,
  )
  const keys = sql.join(
    walked.map(({ key }) => key),
    sql`, `,
  )
  const after = cursor?.keys ? beyond(keyed, cursor.keys, backward) : sql`true`
  const offset = cursor ? 0 : Math.min(((page ?? 1) - 1) * limit, 2_000_000_000)
  const found = (columns: SQL, from: SQL, most: number) => sql`
    select ${columns}, array[${keys}] as keys ${from} and ${after} order by ${order} limit ${most}`
  const foundApart = (columns: SQL, from: SQL, { column, values }: Apart) => {
    const ofOne = sql`${from} and ${column} = asked.value`
    const direction = walked[0]?.direction ?? sql`asc`
    return sql`
      select of_value.*
        from (select value from unnest(array(${values})) as each(value) order by value ${direction}) as asked
       cross join lateral (
         ${found(sql`${columns}, row_number() over (order by ${order}) as place`, ofOne, limit + 1 + offset)}) as of_value
       order by asked.value ${direction}, of_value.place limit ${limit + 1}`
  }
  const paged = (columns: SQL, from: SQL) => sql`${found(columns, from, limit + 1)} offset ${offset}`
  return {
    // How large the rows in front of one are is known only when all of the page are found.
    rows: (columns, from, bytes, apart) => sql`
    select * from (
      select row_number() over () as nth, (count(*) over ())::int as found,
             coalesce(sum(${bytes}) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before, ${pageRow}.*
        from (${apart ? sql`${foundApart(columns, from, apart)} offset ${offset}` : paged(columns, from)}) as ${pageRow}
    ) as fitting_row where bytes_before < ${byteLimits.read}::bigint order by nth`,
    keyed: paged,
  }
}

function requestedOrder(
  query: Readonly<Record<string, unknown>>,
  orders: Orders,
  standard: readonly (readonly [string, Direction])[],
) {
  const requested = Object.entries(query).flatMap(([name, value]) => {
    const key = /^order\[(\w+)\]$/.exec(name)?.[1]
    const direction = String(value).toLowerCase()
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
  const terms = keyed.map(({ column, type, direction }, index) => ({
    column,
    operator: sql.raw((direction === 'asc') !== backward ? '>' : '<'),
    value: sql`${keys[index]}::${sql.raw(type)}`,
  }))
  const condition = terms.reduceRight(
    (rest, { column, operator, value }) =>
      sql`(${column} ${operator} ${value} or (${column} = ${value} and ${rest}))`,
    sql`false`,
  )
  const [first] = terms
  return first ? sql`(${first.column} ${first.operator}= ${first.value} and ${condition})` : condition
}

/** Bytes for what surrounds the members of a page: its links, none longer than an address, and its search template. */
const envelope = 100_000

/** The members of a list that fit into an answer of so many bytes, rendered as text or as UTF-8, and the links that go on from there. */
export function fitPage<Rendered extends string | Uint8Array>(
  { members, view, backward }: Answer & { kind: 'collection' },
  render: (document: Value) => Rendered,
  most: number = byteLimits.answer,
): { readonly texts: readonly Rendered[]; readonly view: View | undefined } {
  if (!view) return { texts: members.map(render), view: undefined }
  const texts: Rendered[] = []
  let left = most - envelope
  let uncounted: string[] = []
  // One is shown whatever its size: a list that cannot go on would end there for good.
  for (const member of backward ? members.toReversed() : members) {
    const text = render(member)
    // Bytes are counted only where lengths do not tell that there is room, which they nearly always do.
    left -= (typeof text === 'string' ? bytesAtMost(text) : text.byteLength) + 1
    if (typeof text === 'string') uncounted.push(text)
    if (left < 0) {
      left += uncounted.reduce((sum, each) => sum + bytesAtMost(each) - bytesOf(each), 0)
      uncounted = []
    }
    if (left < 0 && texts.length > 0) break
    texts.push(text)
  }
  return { texts: backward ? texts.reverse() : texts, view: view(texts.length) }
}
