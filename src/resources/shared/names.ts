import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, AnyPgTable } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { isLive } from '../../core/name-holders.ts'
import type { MessageValues, Violation } from '../../core/problem.ts'
import { freeHandle, ownHandle } from '../../core/slug.ts'
import { type RowOf, type Statement, statement } from '../../db/query.ts'
import { textArray } from '../../db/sql.ts'

/** Names that are unique among the rows of a tenant: handles, external ids, SKUs. */

/** A name that another row has. `kind` is the property that contains it. */
export type TakenName = RowOf<typeof takenNameColumns>
export const takenNameColumns = { kind: z.string(), value: z.string().nullable() }

type NameQuery = {
  /** The row whose current names count as free. */
  readonly except?: string | SQL
  /** A condition on the live rows among which the names of a property are unique. */
  readonly within?: Readonly<Record<string, SQL>>
}

/** Selects those of the names, by property, that live rows of a table have. Values that are no text are ignored. */
export function takenNamesStatement(
  table: AnyPgTable,
  names: Readonly<Record<string, readonly unknown[]>>,
  { except, within = {} }: NameQuery = {},
): Statement<TakenName> {
  const columns: Readonly<Record<string, AnyPgColumn>> = getTableColumns(table)
  const queries = Object.entries(names).map(([property, values]) => {
    const texts = [...new Set(values.filter((value) => typeof value === 'string'))]
    const column = sql`${columns[property]}`
    return sql`
      select ${property}::text as kind, ${column} as value from ${table}
       where tenant_id = current_tenant() and ${column} = any(${textArray(texts)})
         and id is distinct from ${except ?? null}::uuid and ${isLive(getTableName(table))} and ${within[property] ?? sql`true`}`
  })
  return statement(sql.join(queries, sql` union all `), takenNameColumns)
}

/** The names of products, variants, options and values. Each has a namespace of its own. */
export const partNameKinds = [
  'handle',
  'externalId',
  'sku',
  'variantExternalId',
  'optionExternalId',
  'valueExternalId',
] as const

/** Selects those of the names, by kind, that live products and their parts have. */
export function takenPartNames(
  names: Readonly<Partial<Record<(typeof partNameKinds)[number], readonly string[]>>>,
): Statement<TakenName> {
  return statement(takenNameColumns)`select kind, value from names_in_use(${JSON.stringify(names)}::jsonb)`
}

/** The problem of a name that is in use. Its message contains the name, by its property. */
type NameProblem = { at(path: string, values: MessageValues): Violation }

/** Names in use. Each name that a request reserves is in use for its other resources. */
export function namesInUse(taken: readonly TakenName[]) {
  const byKind = new Map<string, Set<string>>()
  const namesOf = (kind: string): Set<string> => {
    const names =
      byKind.get(kind) ?? new Set(taken.flatMap((name) => (name.kind === kind ? (name.value ?? []) : [])))
    byKind.set(kind, names)
    return names
  }
  return {
    /** Reserves the names of a body, by property. Their kinds are the properties unless `kinds` has another one. */
    reserveAll(
      body: Readonly<Record<string, unknown>>,
      problems: Readonly<Record<string, NameProblem>>,
      at: (property: string) => string = (property) => property,
      kinds: Readonly<Record<string, TakenName['kind']>> = {},
    ): Violation[] {
      return Object.entries(problems).flatMap(([property, problem]) => {
        const name = body[property]
        if (typeof name !== 'string') return []
        const names = namesOf(kinds[property] ?? property)
        if (names.has(name)) return [problem.at(at(property), { [property]: name })]
        names.add(name)
        return []
      })
    },
    /**
     * Reserves an unused handle: `base`, or with a number. A retried write may have lost that number to a concurrent
     * one, so its handle ends in the id.
     */
    reserveHandle(base: string, id: string, isRetried: boolean, sameTitleCount = 0): string {
      const handles = namesOf('handle')
      const usesId = isRetried && handles.has(base)
      const handle = usesId ? ownHandle(base, id) : freeHandle(base, handles, id, sameTitleCount)
      handles.add(handle)
      return handle
    },
  }
}

export type NamesInUse = ReturnType<typeof namesInUse>
