import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { textArray, uuidArray } from '../db/sql.ts'
import { type Direction, type KeyType, parseCursor, requireKeys } from './cursor.ts'
import type { Value } from './document.ts'
import { parseInstant } from './instant.ts'
import { isId } from './iri.ts'
import { byteLimits } from './limits.ts'
import type { Answer, QueryOf } from './operation.ts'
import { validationProblems } from './problems/validation.ts'
import { bytesAtMost, bytesOf } from './sizes.ts'
import { type PagePosition, type View, viewOf } from './view.ts'
import { throwViolations, violation } from './violations.ts'

/** Pages of a list: the first and numbered pages are read by offset, all linked pages by key. */

/** The default page size, and the maximum. */
export const standardItemsPerPage = 30
export const maximumItemsPerPage = 100
/** Matches are counted up to here; beyond, `totalItems` is absent. */
export const countingLimit = 10_000

/** A column that can order a list, and the Postgres type of its values. */
export type OrderKey = {
  readonly column: SQL
  readonly type: KeyType
  /** Joins the table that has the column: ` join …`. */
  readonly join?: SQL
  /** A text that cursors contain. If it has changed, the column orders otherwise, and the cursor is 422. */
  readonly edition?: SQL
  /** True if cursors contain the direction. A cursor of the other one is 422. */
  readonly isDirected?: true
}
/** The available orders of a list, by their names in the parameter `order[…]`. */
export type Orders = Readonly<Record<string, OrderKey>>

/**
 * The column that first orders a list, and a query of one column, `value`, with the values that the list is limited to.
 * The rows of each value are read separately, because Postgres 15 walks an index in order for only one value of a
 * column.
 */
type SeparateValues = { readonly column: SQL; readonly values: SQL }

/** `pageColumns` are computed from `page_row`, the other columns, and not for the rows that a numbered page skips. */
export type RowsOptions = { readonly separateValues?: SeparateValues; readonly pageColumns?: SQL }

/** A planned page: the statement that reads it, and the response data that follows from the rows. */
export type Page = {
  /**
   * Selects the page's rows with their order keys. `from` is `from … where …`; `bytes` is the size of a row over
   * `columns` and `pageColumns`. The rows end before the byte limit of one statement, but at least one is read.
   */
  readonly rows: (columns: SQL, from: SQL, bytes: SQL, options?: RowsOptions) => SQL
  /** The same without a byte limit. The caller measures the rows. A list of two parts has all rows of the first one before those of the other. */
  readonly unmeasuredRows: (columns: SQL, ...parts: readonly SQL[]) => SQL
  /** Joins the tables of the order keys; belongs between the list's table and `where`. */
  readonly joins: SQL
  /** An array of the names in the query that select a row; null if the query names no resources. `from` is `from … where …`. */
  readonly foundNames: ((from: SQL) => SQL) | null
  /** Reduces the fetched rows to those of the page, and derives its response data. `found` are the `foundNames`. */
  readonly read: <Row extends PageRow>(
    rows: readonly Row[],
    total: number | null,
    found?: readonly string[] | null,
  ) => { rows: Row[]; paging: Paging }
}

/** The columns that `Page.rows` adds. */
export type PageRow = {
  readonly keys: readonly string[]
  /** The number of rows on and after the page, read or not: at most one more than the page size. */
  readonly found: number
}

/** The alias of a page's row in size expressions, for columns that a subquery would resolve as its own. */
export const pageRow = sql.identifier('page_row')

/** The response data of a list, except its members. */
export type Paging = Pick<Answer & { kind: 'collection' }, 'total' | 'view' | 'backward' | 'missing'>

/** Larger than any list, and small enough for Postgres' `int`. */
const maximumOffset = 999_999_999

/** The text of a query parameter that is a whole number. */
export const wholeNumberText = (minimum: number) =>
  z
    .string()
    .refine((text) => /^-?\d+$/.test(text), {
      ...violation(validationProblems.not_integer.at('')),
      abort: true,
    })
    .refine((text) => Number(text) >= minimum, violation(validationProblems.too_small.at('', { minimum })))

/** A query parameter that is a whole number. */
export const wholeNumber = (minimum: number) =>
  wholeNumberText(minimum).transform((text) => Math.min(Number(text), maximumOffset))

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
      description: `How many items a page has, at most ${maximumItemsPerPage}. A larger number counts as the maximum. 0 returns only the total.`,
    }),
  cursor: z.string().max(4000).optional().meta({
    description:
      'The position at which a link of `view` continues, created by the service. With a cursor, `page` has no effect.',
  }),
}

/** The parameters that name the resources of a list. A request has one of them. */
const namesParameters: readonly string[] = ['id[]', 'handle[]', 'sku[]', 'externalId[]', 'barcode[]']

export function isNamesParameter(name: string): boolean {
  return namesParameters.includes(name)
}

/** How a table has the names of a parameter. Both take an array of names. */
export type Naming = {
  /** The condition of a row that has one of the names. */
  readonly condition: (names: readonly string[]) => SQL
  /** Selects those of the names that a row has. */
  readonly names: (names: readonly string[]) => SQL
}
/** How a table has names, by the parameter. */
export type Namings = Readonly<Record<string, Naming>>

/** The parameter of a query that names resources, and the names. */
export function namesOf(query: Readonly<Record<string, unknown>>) {
  const [named = null] = Object.entries(query).flatMap(([parameter, names]) =>
    isNamesParameter(parameter) && Array.isArray(names)
      ? [{ parameter, names: [...new Set(names.map(String))] }]
      : [],
  )
  return named
}

/** The names of the column `id`. Malformed ids select nothing. */
export const idNaming = (column: SQL): Naming => ({
  condition: (names) => sql`${column} = any(${uuidArray(names.filter(isId))})`,
  names: () => sql`select ${column}::text`,
})

/** The names of a column of texts. */
export const textNaming = (column: SQL): Naming => ({
  condition: (names) => sql`${column} = any(${textArray(names)})`,
  names: () => sql`select ${column}`,
})

/** The query parameter of a naming, once for each name. */
export function namesParameter(parameter: string) {
  const isOfId = parameter === 'id[]'
  return z
    .preprocess((value) => [value].flat(), z.array(z.string()).max(maximumItemsPerPage))
    .optional()
    .meta({
      ...(isOfId ? {} : { addedIn: 'unstable', examples: [['x']] }),
      description: `Only the resources with these values${isOfId ? ', archived ones included' : ''}, in this order unless the request has another. \`missing\` has the others.`,
    })
}

export type PageQuery = Readonly<Record<string, unknown>> & Partial<QueryOf<typeof pageParameters>>

const orderMeaning: Readonly<Record<string, string>> = {
  title: 'the `title` that the list shows, as its language orders texts',
}

/** `order[title]=asc|desc`, case-insensitive, for each order of a list. Any other value is ignored. */
export function orderParameters(names: readonly string[]) {
  const direction = (name: string) =>
    z
      .string()
      .optional()
      .meta({
        enum: ['asc', 'desc'],
        description: `Orders by ${orderMeaning[name] ?? `\`${name}\``}, upwards or downwards.`,
      })
  return Object.fromEntries(names.map((name) => [`order[${name}]`, direction(name)]))
}

/** An ISO 8601 date-time as a canonical instant. */
export const instantParameter = z
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

const dates = {
  createdAt: { action: 'was created' },
  updatedAt: { action: 'was changed' },
  validFrom: { action: 'begins to apply', addedIn: 'unstable' },
  validUntil: { action: 'ceases to apply', addedIn: 'unstable' },
} as const
/** The properties whose moments limit a list. */
export type DateProperty = keyof typeof dates

/** `createdAt[after]` and related parameters: `after` and `before` are strict, `from` and `until` inclusive. */
export function dateParameters(property: DateProperty) {
  const { action, ...addition } = dates[property]
  return Object.fromEntries(
    Object.entries(bounds).map(([bound, meaning]) => [
      `${property}[${bound}]`,
      instantParameter.meta({
        examples: ['2026-10-01T00:00:00Z'],
        description: `Only what ${action} ${meaning}: an ISO 8601 date-time, UTC where it has no zone, or a date.`,
        ...addition,
      }),
    ]),
  )
}

/** The SQL conditions of a query's date parameters on a column. */
export function dateConditions(
  property: DateProperty,
  column: SQL,
  query: Readonly<Record<string, unknown>>,
): SQL[] {
  const operators = { after: sql`>`, before: sql`<`, from: sql`>=`, until: sql`<=` }
  return Object.entries(operators).flatMap(([bound, operator]) => {
    const value = query[`${property}[${bound}]`]
    return value === undefined ? [] : [sql`${column} ${operator} ${value}::timestamptz`]
  })
}

/** Whether a list without the filter `status` includes archived resources: it names ids, or follows updates. */
export function includesArchived(query: Readonly<Record<string, unknown>>): boolean {
  return query['id[]'] !== undefined || followsUpdates(query)
}

/** Whether a query follows changes: such a list is ordered by `updatedAt`. */
function followsUpdates(query: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(query).some((name) => name.startsWith('updatedAt[') && query[name] !== undefined)
}

/**
 * Plans a page from a query and its URL. Resources that the query names are in the order of their names. Orders apply in the sequence of the query's parameters, by default
 * `defaultOrder`; `id` is always the last key.
 * @throws Problem 422 for a cursor combined with an `updatedAt` filter, an invalid cursor, or an order of named resources
 */
export function planPage(
  query: PageQuery,
  url: URL,
  listOrders: Orders,
  defaultOrder: readonly (readonly [string, Direction])[],
  namings: Namings = {},
): Page {
  const named = namedIn(query, namings)
  const follows = named === null && followsUpdates(query)
  const { page = null, itemsPerPage = standardItemsPerPage } = query
  const isByName = named !== null && !named.hasOrder
  const limit =
    isByName && itemsPerPage > 0 ? maximumItemsPerPage : Math.min(itemsPerPage, maximumItemsPerPage)
  const cursor = query.cursor === undefined ? null : parseCursor(query.cursor)
  if (follows && cursor) throwViolations([validationProblems.page.at('cursor')])
  const orders = named
    ? { ...listOrders, [byName]: { column: named.place, type: 'int' as const } }
    : listOrders
  const requested = isByName
    ? ([[byName, 'asc']] as const)
    : follows
      ? ([['updatedAt', 'asc']] as const)
      : requestedOrder(query, orders, defaultOrder)
  const order = requested.some(([name]) => name === 'id') ? requested : [...requested, ['id', 'asc'] as const]
  const orderKeys = order.flatMap(([name, direction]) => {
    const key = orders[name]
    return key ? [{ ...key, direction }] : []
  })
  const editions = orderKeys.flatMap(({ edition }) => edition ?? [])
  const directions = orderKeys.flatMap(({ isDirected, direction }) => (isDirected ? [direction] : []))
  if (cursor) {
    const types = orderKeys.map(({ type }) => type)
    requireKeys(cursor, [...types, ...editions.map(() => 'text' as const), ...directions])
  }
  const backward = cursor?.to === 'previous'
  const position = { url, limit, cursor, page, follows }
  return {
    ...rowsOf(orderKeys, editions, position),
    joins: sql.join(orderKeys.flatMap(({ join }) => join ?? [])),
    foundNames: named && ((from) => sql`array(select unnest(array(${named.values})) ${from})`),
    read(fetched, total, found = null) {
      const isLastPage = backward && cursor.keys === null
      // The last page has the remainder of the full pages.
      const rowLimit = isLastPage && total ? total % limit || limit : limit
      const rows = fetched.slice(0, rowLimit)
      const rowCount = fetched[0]?.found ?? 0
      if (backward) rows.reverse()
      const fields = {
        ...(total !== null && { total }),
        ...(named && { missing: named.names.filter((name) => !found?.includes(name)) }),
      }
      if (limit === 0) return { rows, paging: fields }
      const pageRows = {
        keys: rows.map(({ keys }) => keys),
        size: Math.min(rowCount, rowLimit),
        more: rowCount > rowLimit,
        total,
      }
      return { rows, paging: { ...fields, view: (count) => viewOf(position, pageRows, count), backward } }
    },
  }
}

/** An order that callers cannot request by name. */
const byName = 'place.of.name'

/** The names in a query, and the place of a row among them. @throws Problem 422 for another parameter of names */
function namedIn(query: PageQuery, namings: Namings) {
  const named = namesOf(query)
  const naming = named && namings[named.parameter]
  if (!naming) return null
  const { parameter, names } = named
  const others = Object.keys(query).filter(
    (name) => name !== parameter && query[name] !== undefined && isNamesParameter(name),
  )
  throwViolations(
    others.map((name) => validationProblems.one_argument.at(name, { names: `${parameter}, ${name}` })),
  )
  const values = naming.names(names)
  const place = sql`(select min(array_position(${textArray(names)}, own.name)) from (${values}) as own(name))`
  const hasOrder = Object.keys(query).some((name) => name.startsWith('order[') && query[name] !== undefined)
  return { names, values, place, hasOrder }
}

function rowsOf(
  orderKeys: readonly (OrderKey & { direction: Direction })[],
  editions: readonly SQL[],
  { limit, cursor, page }: PagePosition,
): Pick<Page, 'rows' | 'unmeasuredRows'> {
  const backward = cursor?.to === 'previous'
  const pageKeys = orderKeys.map(({ column, type, direction }) => ({
    column,
    key: type === 'timestamptz' ? sql`instant_text(${column})` : sql`${column}::text`,
    direction: sql.raw((direction === 'asc') !== backward ? 'asc' : 'desc'),
  }))
  const order = sql.join(
    pageKeys.map(({ column, direction }) => sql`${column} ${direction}`),
    sql`, `,
  )
  const directions = orderKeys.flatMap(({ isDirected, direction }) =>
    isDirected ? [sql`${direction}::text`] : [],
  )
  const keys = sql.join([...pageKeys.map(({ key }) => key), ...editions, ...directions], sql`, `)
  const cursorEditions = cursor?.keys?.slice(orderKeys.length) ?? []
  const after = cursor?.keys
    ? sql.join(
        [
          keysCondition(orderKeys, cursor.keys, backward),
          ...editions.map(
            (edition, index) => sql`(select require_title_order(${edition}, ${cursorEditions[index]}))`,
          ),
        ],
        sql` and `,
      )
    : sql`true`
  const offset = cursor ? 0 : Math.min(((page ?? 1) - 1) * limit, maximumOffset)
  const pageQuery = (columns: SQL, from: SQL, rowLimit: number) => sql`
    select ${columns}, array[${keys}] as keys ${from} and ${after} order by ${order} limit ${rowLimit}`
  const separatePageQuery = (columns: SQL, from: SQL, { column, values }: SeparateValues) => {
    const ofOne = sql`${from} and ${column} = requested.value`
    const direction = pageKeys[0]?.direction ?? sql`asc`
    return sql`
      select of_value.*
        from (select value from unnest(array(${values})) as each(value) order by value ${direction}) as requested
       cross join lateral (
         ${pageQuery(sql`${columns}, row_number() over (order by ${order}) as place`, ofOne, limit + 1 + offset)}) as of_value
       order by requested.value ${direction}, of_value.place limit ${limit + 1}`
  }
  const inParts = (columns: SQL, parts: readonly SQL[]) => {
    const [first = sql``, ...others] = backward ? parts.toReversed() : parts
    if (others.length === 0) return paged(columns, first)
    const rowsBefore = limit + 1 + offset
    const name = (part: number) => sql.identifier(`part_${part}`)
    // A part is read if those before it do not fill the page.
    const all = (count: number) =>
      sql.join(
        Array.from({ length: count }, (_, part) => sql`select * from ${name(part)}`),
        sql` union all `,
      )
    const tables = [first, ...others].map((from, part) => {
      const isReached =
        part === 0 ? sql`` : sql` and (select count(*) from (${all(part)}) as earlier) < ${rowsBefore}`
      const rows = pageQuery(
        sql`${columns}, ${part}::int as part, row_number() over (order by ${order}) as place`,
        sql`${from}${isReached}`,
        rowsBefore,
      )
      return sql`${name(part)} as materialized (${rows})`
    })
    return sql`with ${sql.join(tables, sql`, `)}
      select * from (${all(tables.length)}) as parts order by part, place limit ${limit + 1} offset ${offset}`
  }
  const paged = (columns: SQL, from: SQL) => sql`${pageQuery(columns, from, limit + 1)} offset ${offset}`
  return {
    // The running total of bytes needs all rows of the page, so they are found before the byte limit applies.
    rows(columns, from, bytes, { separateValues, pageColumns } = {}) {
      const pageRows = separateValues
        ? sql`${separatePageQuery(columns, from, separateValues)} offset ${offset}`
        : paged(columns, from)
      // Without `offset 0`, Postgres computes the columns again for their bytes.
      const allColumns = pageColumns
        ? sql`select *, ${pageColumns} from (${pageRows}) as ${pageRow} offset 0`
        : pageRows
      return sql`
    select * from (
      select (row_number() over ())::int as nth, (count(*) over ())::int as found,
             coalesce(sum(${bytes}) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before, ${pageRow}.*
        from (${allColumns}) as ${pageRow}
    ) as fitting_row where bytes_before < ${byteLimits.read}::bigint order by nth`
    },
    unmeasuredRows: (columns, ...parts) => sql`
    select (count(*) over ())::int as found, ${pageRow}.* from (${inParts(columns, parts)}) as ${pageRow}`,
  }
}

function requestedOrder(
  query: Readonly<Record<string, unknown>>,
  orders: Orders,
  defaultOrder: readonly (readonly [string, Direction])[],
) {
  const requested = Object.entries(query).flatMap(([name, value]) => {
    const key = /^order\[(\w+)\]$/.exec(name)?.[1]
    const direction = String(value).toLowerCase()
    return key && Object.hasOwn(orders, key) && (direction === 'asc' || direction === 'desc')
      ? [[key, direction] as const]
      : []
  })
  return requested.length > 0 ? requested : defaultOrder
}

/**
 * Rows strictly beyond a key in the direction of the page. The first column has its own condition, so that an index
 * range serves it.
 */
function keysCondition(
  orderKeys: readonly (OrderKey & { direction: Direction })[],
  keys: readonly string[],
  backward: boolean,
): SQL {
  const terms = orderKeys.map(({ column, type, direction }, index) => ({
    column,
    operator: sql.raw((direction === 'asc') !== backward ? '>' : '<'),
    value: sql`${keys[index]}::${sql.raw(type)}`,
  }))
  const condition = terms.reduceRight(
    (condition, { column, operator, value }) =>
      sql`(${column} ${operator} ${value} or (${column} = ${value} and ${condition}))`,
    sql`false`,
  )
  const [first] = terms
  return first ? sql`(${first.column} ${first.operator}= ${first.value} and ${condition})` : condition
}

/** Bytes of the response around the members of a page: links, each limited by the URL length, and the search template. */
export const envelopeBytes = 100_000

/** The members of a list that fit into a number of bytes, rendered, and the links to the rest. */
export function fitPage(
  { members, view, backward }: Answer & { kind: 'collection' },
  render: (document: Value) => string,
  maxBytes: number = byteLimits.answer,
): { readonly texts: readonly string[]; readonly view: View | undefined } {
  if (!view) return { texts: members.map(render), view: undefined }
  const texts: string[] = []
  let remainingBytes = maxBytes - envelopeBytes
  let uncounted: string[] = []
  // The first member is included whatever its size; otherwise the list would end there.
  for (const member of backward ? members.toReversed() : members) {
    const text = render(member)
    // Bytes are counted only if the string lengths do not prove that the members fit, which they nearly always do.
    remainingBytes -= bytesAtMost(text) + 1
    uncounted.push(text)
    if (remainingBytes < 0) {
      remainingBytes += uncounted.reduce(
        (sum, uncountedText) => sum + bytesAtMost(uncountedText) - bytesOf(uncountedText),
        0,
      )
      uncounted = []
    }
    if (remainingBytes < 0 && texts.length > 0) break
    texts.push(text)
  }
  return { texts: backward ? texts.reverse() : texts, view: view(texts.length) }
}
