import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type RowOf, statement } from '../db/query.ts'
import { textArray } from '../db/sql.ts'
import { itemIri } from './iri.ts'
import type { Kind } from './kind.ts'
import type { Context, Resource } from './operation.ts'
import { Problem, type ProblemDeclaration, type Violation } from './problem.ts'

/**
 * The rows that reserve their names, by table: the conditions of the indexes on unique names. All rows of the other tables
 * reserve them.
 */
export const liveRows: Readonly<Record<string, string>> = {
  products: "status <> 'ARCHIVED'",
  sale_offers: "status <> 'ARCHIVED'",
  purchase_offers: "status <> 'ARCHIVED'",
  product_options: 'not product_archived',
  option_values: 'not product_archived',
  variants: "status = 'ACTIVE' and not product_archived",
}

export function isLive(table: string): SQL {
  return sql.raw(liveRows[table] ?? 'true')
}

type UniqueProperty = NonNullable<ProblemDeclaration['takenName']>

const columns: Readonly<Record<UniqueProperty, SQL>> = {
  handle: sql`handle`,
  externalId: sql`external_id`,
  sku: sql`sku`,
  type: sql`type`,
  key: sql`key`,
  locale: sql`locale`,
}

const holderColumns = {
  slug: z.string(),
  /** Never null in a row that equals a name. The column can be. */
  value: z.string().nullable(),
  id: z.string(),
  ownerId: z.string().nullable(),
  status: z.string().nullable(),
}

/** Unique properties with their tables, by the slug of the problem that reports a name of another row. */
export type UniqueNames = ReadonlyMap<string, UniqueName>
type UniqueName = Pick<Kind, 'shape'> & { readonly table: string; readonly property: UniqueProperty }

/** The unique names of resources, as their problems declare them. */
export function uniqueNamesOf(
  resources: readonly (Resource & { readonly kind?: Pick<Kind, 'name' | 'shape'> })[],
): UniqueNames {
  const names = resources.flatMap(({ kind, problems }) =>
    problems.flatMap(({ slug, takenName: property }): [string, UniqueName][] =>
      kind && property ? [[slug, { table: kind.name, shape: kind.shape, property }]] : [],
    ),
  )
  return new Map(names)
}

/**
 * Adds to conflicts of names the resources that have them, as far as the caller may read these. It reads them after the
 * rejection, so that a successful write reads nothing more.
 */
export async function withNameHolders(
  error: unknown,
  { db, access }: Pick<Context, 'db' | 'access'>,
  uniqueNames: UniqueNames,
): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind.status !== 409) return error
  const names = (error.extras.violations ?? [])
    .slice(0, 100)
    .flatMap((violation) => nameOf(violation, uniqueNames))
  const seen = names.filter(({ violation, shape }) => !violation.conflictingResource && access.sees(shape))
  const queries = [...Map.groupBy(seen, ({ violation }) => violation.problem.slug).values()].flatMap(
    holdersQuery,
  )
  const rows =
    queries.length === 0
      ? []
      : await db.read({ rows: statement(sql.join(queries, sql` union all `), holderColumns) }).then(
          ({ rows }) => rows,
          () => [],
        )
  const violations = error.extras.violations?.map((violation) => {
    const name = seen.find((candidate) => candidate.violation === violation)
    const holders = rows.filter(({ slug, value }) => slug === violation.problem.slug && value === name?.value)
    return name ? heldBy(name, holders, access) : violation
  })
  const conflictingResource = violations?.[0]?.conflictingResource
  const members = { ...error.extras.members, ...(conflictingResource && { conflictingResource }) }
  return new Problem(error.kind, error.values, { ...error.extras, violations, members })
}

type Name = UniqueName & { readonly violation: Violation; readonly value: string }

/** The name in a conflict such as `product.handle_taken`; nothing for other conflicts. */
function nameOf(violation: Violation, uniqueNames: UniqueNames): Name[] {
  const name = uniqueNames.get(violation.problem.slug)
  const value = name && violation.values[name.property]
  return name && typeof value === 'string' ? [{ ...name, violation, value }] : []
}

/** Selects the resources that have some of the names, all of one property of one shape. */
function holdersQuery(names: readonly Name[]): SQL[] {
  const [first] = names
  if (!first) return []
  const { violation, shape, table, property } = first
  const column = columns[property]
  return [
    sql`
    select ${violation.problem.slug}::text as slug, ${column} as value, id,
           ${shape.collection.includes('{') ? sql`product_id` : sql`null::uuid`} as "ownerId",
           ${shape.draft ? sql`status` : sql`null::text`} as status
      from ${sql.identifier(table)}
     where tenant_id = current_tenant() and ${column} = any(${textArray(names.map(({ value }) => value))})
       and ${isLive(table)}`,
  ]
}

/** Handles of metaobjects are unique for each definition only, so several holders name none. */
function heldBy(
  { violation, shape }: Name,
  holders: readonly RowOf<typeof holderColumns>[],
  access: Context['access'],
): Violation {
  const [holder] = holders
  if (!holder || holders.length > 1 || !access.seesStatus(shape, holder.status ?? undefined)) return violation
  const conflictingResource = itemIri(shape.collection, holder.id, holder.ownerId)
  return {
    ...violation,
    conflictingResource,
    help: `It belongs to ${conflictingResource}. ${violation.problem.description}`,
  }
}
