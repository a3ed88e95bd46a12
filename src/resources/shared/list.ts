import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, AnyPgTable } from 'drizzle-orm/pg-core'
import type { Direction } from '../../core/cursor.ts'
import type { Value } from '../../core/document.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context, Query } from '../../core/operation.ts'
import {
  type DateProperty,
  dateConditions,
  dateParameters,
  idNaming,
  isNamesParameter,
  type Namings,
  namesParameter,
  type Orders,
  orderParameters,
  type Page,
  type PageQuery,
  pageParameters,
  planPage,
  textNaming,
} from '../../core/paging.ts'
import { rowBytes } from '../../db/columns.ts'
import type { Columns, RowOf } from '../../db/query.ts'
import { titleOrder } from './titles.ts'

/** The columns that order lists, and the Postgres types of their values. */
const orderTypes = {
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  title: 'text',
  type: 'text',
  position: 'int',
  id: 'uuid',
} satisfies Readonly<Record<string, Orders[string]['type']>>

type OrderName = keyof typeof orderTypes

/** The columns that order and filter the lists of a table. */
export type Listing = {
  readonly table: AnyPgTable
  readonly orderNames: readonly OrderName[]
  readonly namings: Namings
  readonly dates: readonly DateProperty[]
  /** The orders by name. The order of titles is that of the request's locale. */
  readonly orders: (context: Pick<Context, 'locale' | 'tenant'>) => Orders
  /** Plans a page. `orders` replaces those of the table. */
  readonly page: (
    context: Pick<Context, 'locale' | 'tenant' | 'url'>,
    query: PageQuery,
    defaultOrder: readonly (readonly [string, Direction])[],
    orders?: Orders,
  ) => Page
  readonly conditions: (query: Readonly<Record<string, unknown>>) => SQL[]
}

type ListedColumns<Filter extends string> = {
  /** The names of the orders, in the order of their parameters. */
  readonly orders: readonly OrderName[]
  /** The expressions of orders that are not just their column. */
  readonly expressions?: Partial<Readonly<Record<OrderName, SQL>>>
  /** Filters that compare the column of their name with a value. `handle[]` and others take several. */
  readonly equal: readonly Filter[]
  /** The names that are no columns of the table. */
  readonly namings?: Namings
  /** Filters by the id of another resource: `option` compares the column `optionId`. */
  readonly references?: readonly Filter[]
  /** The dates that limit the list, in addition to `createdAt` and `updatedAt`. */
  readonly dates?: readonly DateProperty[]
}

/** Declares how the lists of a table are ordered and filtered. */
export function listing<Filter extends string>(
  table: AnyPgTable,
  { orders, expressions = {}, equal, references = [], namings = {}, dates = [] }: ListedColumns<Filter>,
): Listing {
  const columns: Readonly<Record<string, AnyPgColumn>> = getTableColumns(table)
  const columnOf = (name: string): AnyPgColumn => {
    const column = columns[name]
    if (!column) throw new Error(`Table ${getTableName(table)} has no column ${name} to list by`)
    return column
  }
  const filters = [
    ...equal.map((name) => ({ name, is: sql`${columnOf(name)} =`, type: sql`` })),
    ...references.map((name) => ({ name, is: sql`${columnOf(`${name}Id`)} =`, type: sql`::uuid` })),
  ]
  const allDates = [...dates, 'createdAt', 'updatedAt'] as const
  const allNamings: Namings = {
    'id[]': idNaming(sql`${columnOf('id')}`),
    ...Object.fromEntries(
      equal
        .filter((name) => isNamesParameter(`${name}[]`))
        .map((name) => [`${name}[]`, textNaming(sql`${columnOf(name)}`)]),
    ),
    ...namings,
  }
  const ordersIn: Listing['orders'] = (context) =>
    Object.fromEntries(
      orders.map((name) => [
        name,
        name === 'title'
          ? titleOrder(table, context)
          : { column: expressions[name] ?? sql`${columnOf(name)}`, type: orderTypes[name] },
      ]),
    )
  return {
    table,
    orderNames: orders,
    namings: allNamings,
    dates: allDates,
    orders: ordersIn,
    page: (context, query, defaultOrder, listOrders = ordersIn(context)) =>
      planPage(query, context.url, listOrders, defaultOrder, allNamings),
    conditions: (query) => [
      ...Object.entries(allNamings).flatMap(([name, { condition }]) => {
        const names = query[name]
        return Array.isArray(names) ? [condition(names.map(String))] : []
      }),
      ...filters.flatMap(({ name, is, type }) =>
        query[name] === undefined ? [] : [sql`${is} ${query[name]}${type}`],
      ),
      ...allDates.flatMap((name) => dateConditions(name, sql`${columnOf(name)}`, query)),
    ],
  }
}

/** The query parameters of a list: pages, orders, then `filters`, then dates. */
export function listParameters<Filters extends Query>(
  { orderNames, namings, dates }: Listing,
  filters: Filters,
): typeof pageParameters & Filters {
  return {
    ...pageParameters,
    ...orderParameters(orderNames),
    ...Object.fromEntries(Object.keys(namings).map((name) => [name, namesParameter(name)])),
    ...filters,
    ...Object.fromEntries(dates.flatMap((name) => Object.entries(dateParameters(name)))),
  }
}

export const newestFirst = [['createdAt', 'desc']] as const

/** A list of rows whose documents embed nothing, so that one statement reads all data. */
type RowList<Of extends Columns> = {
  readonly row: Of
  readonly list: Listing
  /** The default order: newest first, unless another one is declared. */
  readonly order?: readonly (readonly [string, Direction])[]
  /** Conditions of the query, in addition to those that `list` declares. */
  readonly conditions?: readonly SQL[]
  readonly columns: SQL
  /** The size of a row, in terms of `columns`. Defaults to the size of its document. */
  readonly bytes?: SQL
  readonly document: (row: RowOf<Of>) => Value
}

/** Returns one page of a list. */
export async function listRows<Of extends Columns>(
  context: Context,
  query: PageQuery,
  { row, list, order = newestFirst, conditions = [], columns, bytes = rowBytes(), document }: RowList<Of>,
): Promise<Answer> {
  const page = list.page(context, query, order)
  const filters = [...list.conditions(query), ...conditions]
  const { from, totalName } = source(list.table, filters, { joins: page.joins })
  const result = await context.db.read({ list: listQuery(page, { row, from, columns, bytes, totalName }) })
  const { rows, paging, sequence } = result.list
  return { kind: 'collection', members: rows.map(document), ...paging, sequence }
}

/** The rows of the tenant that match, and the name of the stored total if no filter limits them. */
export function source(
  table: AnyPgTable,
  filters: readonly SQL[],
  { visible = [], joins = sql`` }: { readonly visible?: readonly SQL[]; readonly joins?: SQL } = {},
) {
  const conditions = [sql`${table}.tenant_id = current_tenant()`, ...visible, ...filters]
  return {
    from: sql`from ${table}${joins} where ${sql.join(conditions, sql` and `)}`,
    totalName: filters.length > 0 ? null : getTableName(table),
  }
}
