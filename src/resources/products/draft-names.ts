import { sql } from 'drizzle-orm'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/handle.ts'
import type { Json } from '../../core/json.ts'
import type { Violation } from '../../core/problem.ts'
import { type Statement, statement } from '../../db/client.ts'
import { texts } from '../../db/rows.ts'
import type { Draft } from './draft.ts'
import { type InlineOption, optionRow } from './options/index.ts'
import { productOptionProblems } from './options/problems.ts'
import { productProblems } from './problems.ts'
import { valueRow } from './values/index.ts'
import { optionValueProblems } from './values/problems.ts'
import { type InlineVariant, variantRow } from './variants/index.ts'
import { variantProblems } from './variants/problems.ts'

const standardHandle = 'product'

/** The names and categories that a written product asks for. */
type Wanted = {
  handle: string | null
  title: string
  candidates: string[]
  externalId: string | null
  skus: string[]
  variantExternalIds: string[]
  optionExternalIds: string[]
  valueExternalIds: string[]
  categoryIds: string[]
}

/** Reads what names a body asks for. Before it is judged, so anything may be missing. */
export function wantedOf(body: Readonly<Record<string, Json>>): Wanted {
  const handle = (body.handle as string | null | undefined) ?? null
  const title = (body.title as string | undefined) ?? ''
  const inline = (body.variants as InlineVariant[] | undefined | null) ?? []
  const options = (body.options as InlineOption[] | undefined | null) ?? []
  const textsOf = (name: string) =>
    inline.flatMap((each) => (typeof each[name] === 'string' ? [each[name]] : []))
  return {
    handle,
    title,
    candidates: handle === null ? handleCandidates(handleOf(title, standardHandle)) : [handle],
    externalId: (body.externalId as string | null | undefined) ?? null,
    skus: textsOf('sku'),
    variantExternalIds: textsOf('externalId'),
    optionExternalIds: options.flatMap((each) => each.externalId ?? []),
    valueExternalIds: options.flatMap((each) => each.values.flatMap((value) => value.externalId ?? [])),
    categoryIds: (body.categories as string[] | null | undefined) ?? [],
  }
}

/** A handle made of the title, that no other has; where others race for the same names (`crowded`), one that ends in the id. */
export function derivedHandle(
  title: string,
  taken: ReadonlySet<string>,
  id: string,
  crowded: boolean,
): string {
  const base = handleOf(title, standardHandle)
  return crowded ? ownHandle(base, id) : freeHandle(base, taken, id)
}

/** Finds out which of the wanted names live rows have. */
export function takenStatement(wanted: readonly Wanted[]): Statement<{ kind: string; value: string }> {
  const all = (pick: (each: Wanted) => string[]) => texts(wanted.flatMap(pick))
  return statement(sql`
    select 'handle' as kind, handle as value from products
     where tenant_id = current_tenant() and status <> 'ARCHIVED' and handle = any(${all((each) => each.candidates)})
    union all select 'externalId', external_id from products
     where tenant_id = current_tenant() and status <> 'ARCHIVED' and external_id = any(${all((each) => (each.externalId ? [each.externalId] : []))})
    union all select 'sku', sku from variants
     where tenant_id = current_tenant() and status = 'ACTIVE' and not product_archived and sku = any(${all((each) => each.skus)})
    union all select 'variantExternalId', external_id from variants
     where tenant_id = current_tenant() and status = 'ACTIVE' and not product_archived and external_id = any(${all((each) => each.variantExternalIds)})
    union all select 'optionExternalId', external_id from product_options
     where tenant_id = current_tenant() and not product_archived and external_id = any(${all((each) => each.optionExternalIds)})
    union all select 'valueExternalId', external_id from option_values
     where tenant_id = current_tenant() and not product_archived and external_id = any(${all((each) => each.valueExternalIds)})`)
}

/** Names that are in use, by what they name. */
type NamesTaken = Readonly<
  Record<
    'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId',
    Set<string>
  >
>

/** The names in use of each kind; those of the products made before in one request join them. */
export function namesTaken(isTaken: (kind: keyof NamesTaken) => Set<string>): NamesTaken {
  return {
    handle: isTaken('handle'),
    externalId: isTaken('externalId'),
    sku: isTaken('sku'),
    variantExternalId: isTaken('variantExternalId'),
    optionExternalId: isTaken('optionExternalId'),
    valueExternalId: isTaken('valueExternalId'),
  }
}

/** The conflicts of a new product's names with those that are `seen`, to which they are added. */
export function conflictsOf(draft: Draft, seen: NamesTaken, at: (path: string) => string): Violation[] {
  const found: Violation[] = []
  const take = (
    set: Set<string>,
    value: string | null | undefined,
    conflict: (value: string) => Violation,
  ) => {
    if (value == null) return
    if (set.has(value)) found.push(conflict(value))
    set.add(value)
  }
  take(seen.externalId, draft.state.values.externalId as string | null, (externalId) =>
    productProblems.external_id_taken.at(at('externalId'), { externalId }),
  )
  for (const [index, option] of draft.options.entries()) {
    take(seen.optionExternalId, optionRow(option).externalId, (externalId) =>
      productOptionProblems.external_id_taken.at(at(`options[${index}].externalId`), { externalId }),
    )
    for (const [order, value] of option.values.entries()) {
      take(seen.valueExternalId, valueRow(draft.id, value).externalId, (externalId) =>
        optionValueProblems.external_id_taken.at(at(`options[${index}].values[${order}].externalId`), {
          externalId,
        }),
      )
    }
  }
  for (const [index, row] of draft.variants.map(variantRow).entries()) {
    take(seen.sku, row.sku, (sku) => variantProblems.sku_taken.at(at(`variants[${index}].sku`), { sku }))
    take(seen.variantExternalId, row.externalId, (externalId) =>
      variantProblems.external_id_taken.at(at(`variants[${index}].externalId`), { externalId }),
    )
  }
  return found
}
