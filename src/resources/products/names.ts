import { type SQL, sql } from 'drizzle-orm'
import type { Violation } from '../../core/problem.ts'
import type { Written } from '../../core/property.ts'
import { refuse } from '../../core/violations.ts'
import { type Statement, statement } from '../../db/client.ts'
import { productOptionProblems } from './options/problems.ts'
import { productProblems } from './problems.ts'
import type { product } from './schema.ts'
import { optionValueProblems } from './values/problems.ts'
import { variantProblems } from './variants/problems.ts'

type Named = Pick<Written<typeof product>, 'status' | 'handle' | 'externalId'>

export type Conflict = {
  kind: 'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId'
  value: string
}

/** Names that another live product or variant has: the ones to be written, and on a restore all of the product's own. */
export function conflictStatement(id: string, body: Named): Statement<Conflict> {
  const restores = body.status !== undefined && body.status !== 'ARCHIVED'
  const named = (column: string, kind: string, given: string | null | undefined) =>
    sql`select ${kind} as kind, o.${sql.identifier(column)} as value from products me join products o
          on o.tenant_id = current_tenant() and o.status <> 'ARCHIVED' and o.id <> me.id
         and o.${sql.identifier(column)} = ${typeof given === 'string' ? sql`${given}` : sql`me.${sql.identifier(column)}`}
        where me.tenant_id = current_tenant() and me.id = ${id}::uuid and (me.status <> 'ARCHIVED' or ${restores})`
  // Each table's own condition for a row to hold its name.
  const owned = (table: string, column: string, kind: string, active: SQL) =>
    sql`select ${kind}, o.${sql.identifier(column)} from ${sql.identifier(table)} v join ${sql.identifier(table)} o
          on o.tenant_id = current_tenant() and not o.product_archived and o.product_id <> v.product_id
         and o.${sql.identifier(column)} = v.${sql.identifier(column)}
        where v.tenant_id = current_tenant() and v.product_id = ${id}::uuid and ${active}`
  const both = sql`o.status = 'ACTIVE' and v.status = 'ACTIVE'`
  const ofRestored = [
    owned('variants', 'sku', 'sku', both),
    owned('variants', 'external_id', 'variantExternalId', both),
    owned('product_options', 'external_id', 'optionExternalId', sql`true`),
    owned('option_values', 'external_id', 'valueExternalId', sql`true`),
  ]
  const all = [
    named('handle', 'handle', body.handle),
    named('external_id', 'externalId', body.externalId),
    ...(restores ? ofRestored : []),
  ]
  return statement(sql.join(all, sql` union all `))
}

const conflictOf: Readonly<Record<Conflict['kind'], (value: string) => Violation>> = {
  handle: (handle) => productProblems.handle_taken.at('handle', { handle }),
  externalId: (externalId) => productProblems.external_id_taken.at('externalId', { externalId }),
  sku: (sku) => variantProblems.sku_taken.at('variants', { sku }),
  variantExternalId: (externalId) => variantProblems.external_id_taken.at('variants', { externalId }),
  optionExternalId: (externalId) => productOptionProblems.external_id_taken.at('options', { externalId }),
  valueExternalId: (externalId) => optionValueProblems.external_id_taken.at('options', { externalId }),
}

/** Refuses a change that asks for names that others have. */
export function refuseConflicts(conflicts: readonly Conflict[]): void {
  refuse(conflicts.map(({ kind, value }) => conflictOf[kind](value)))
}

/** A name that was taken, or a category that went, between the two trips is found, and named, by reading again. */
export const refusals = {
  products_handle: 'again',
  products_external_id: 'again',
  variants_sku: 'again',
  variants_external_id: 'again',
  product_options_external_id: 'again',
  option_values_external_id: 'again',
  sale_offers_external_id: 'again',
  product_categories_category: 'again',
} as const
