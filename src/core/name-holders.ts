import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type RowOf, statement } from '../db/query.ts'
import { textArray } from '../db/sql.ts'
import { itemIri } from './iri.ts'
import type { Context } from './operation.ts'
import { Problem, type Violation } from './problem.ts'
import type { Shape } from './schema.ts'

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

const columns: Readonly<Record<string, SQL>> = {
  handle: sql`handle`,
  externalId: sql`external_id`,
  sku: sql`sku`,
  type: sql`type`,
}

const holderColumns = {
  slug: z.string(),
  /** Never null in a row that equals a name. The column can be. */
  value: z.string().nullable(),
  id: z.string(),
  ownerId: z.string().nullable(),
  status: z.string().nullable(),
}

/**
 * Adds to conflicts of names the resources that have them, as far as the caller may read these. It reads them after the
 * rejection, so that a successful write reads nothing more.
 */
export async function withNameHolders(
  error: unknown,
  { db, access }: Pick<Context, 'db' | 'access'>,
  shapes: ReadonlyMap<string, Shape>,
): Promise<unknown> {
  if (!(error instanceof Problem) || error.kind.status !== 409) return error
  const names = (error.extras.violations ?? [])
    .slice(0, 100)
    .flatMap((violation) => nameOf(violation, shapes))
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

type Name = {
  readonly violation: Violation
  readonly shape: Shape
  readonly property: string
  readonly value: string
}

/** The name in a conflict such as `product.handle_taken`; nothing for other conflicts. */
function nameOf(violation: Violation, shapes: ReadonlyMap<string, Shape>): Name[] {
  const { domain, slug } = violation.problem
  const [property, value] =
    Object.entries(violation.values).find(([name]) => Object.hasOwn(columns, name)) ?? []
  const table = domain.endsWith('y') ? `${domain.slice(0, -1)}ies` : `${domain}s`
  const shape = shapes.values().find(({ collection }) => collection.endsWith(`/${table}`))
  return shape && property && typeof value === 'string' && slug.endsWith('_taken')
    ? [{ violation, shape, property, value }]
    : []
}

/** Selects the resources that have some of the names, all of one property of one shape. */
function holdersQuery(names: readonly Name[]): SQL[] {
  const [first] = names
  if (!first) return []
  const { violation, shape, property } = first
  const table = shape.collection.split('/').at(-1) ?? ''
  const column = columns[property] ?? sql`null`
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
