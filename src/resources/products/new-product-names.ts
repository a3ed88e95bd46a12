import { sql } from 'drizzle-orm'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/handle.ts'
import type { BodyOf } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { type Statement, statement } from '../../db/client.ts'
import { productOptionProblems } from './options/problems.ts'
import { productProblems } from './problems.ts'
import type { product as shape } from './schema.ts'
import { optionValueProblems } from './values/problems.ts'
import { variantProblems } from './variants/problems.ts'

const standardHandle = 'product'

/** The names and categories that a written product asks for. */
export type RequestedNames = {
  readonly handle: string | null
  readonly title: string
  readonly candidates: readonly string[]
  readonly externalIds: readonly string[]
  readonly skus: readonly string[]
  readonly variantExternalIds: readonly string[]
  readonly optionExternalIds: readonly string[]
  readonly valueExternalIds: readonly string[]
  readonly categoryIds: readonly string[]
}

/** Reads what names a body asks for. */
export function requestedNames(body: BodyOf<typeof shape>): RequestedNames {
  const handle = body.handle ?? null
  const title = body.title ?? ''
  const variants = body.variants ?? []
  const options = body.options ?? []
  return {
    handle,
    title,
    candidates: handle === null ? handleCandidates(handleOf(title, standardHandle)) : [handle],
    externalIds: body.externalId ? [body.externalId] : [],
    skus: variants.flatMap((each) => each.sku ?? []),
    variantExternalIds: variants.flatMap((each) => each.externalId ?? []),
    optionExternalIds: options.flatMap((each) => each.externalId ?? []),
    valueExternalIds: options.flatMap((each) => each.values.flatMap((value) => value.externalId ?? [])),
    categoryIds: body.categories ?? [],
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

/** A name that a live row has. */
export type Taken = { readonly kind: keyof NamesTaken; readonly value: string }

/** Finds out which of the wanted names live rows have. */
export function takenStatement(wanted: readonly RequestedNames[]): Statement<Taken> {
  const names: Readonly<Record<Taken['kind'], readonly string[]>> = {
    handle: wanted.flatMap((each) => each.candidates),
    externalId: wanted.flatMap((each) => each.externalIds),
    sku: wanted.flatMap((each) => each.skus),
    variantExternalId: wanted.flatMap((each) => each.variantExternalIds),
    optionExternalId: wanted.flatMap((each) => each.optionExternalIds),
    valueExternalId: wanted.flatMap((each) => each.valueExternalIds),
  }
  return statement(sql`select kind, value from product_names_taken(${JSON.stringify(names)}::jsonb)`)
}

/** Names that are in use, by what they name. */
type NamesTaken = Readonly<
  Record<
    'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId',
    Set<string>
  >
>

/** The names in use of each kind; those of the products made before in one request join them. */
export function namesTaken(taken: readonly Taken[]): NamesTaken {
  const byKind = Map.groupBy(taken, (each) => each.kind)
  const names = (kind: keyof NamesTaken) => new Set((byKind.get(kind) ?? []).map((each) => each.value))
  return {
    handle: names('handle'),
    externalId: names('externalId'),
    sku: names('sku'),
    variantExternalId: names('variantExternalId'),
    optionExternalId: names('optionExternalId'),
    valueExternalId: names('valueExternalId'),
  }
}

/** The conflicts of a new product's names with those that are `seen`, to which they are added. */
export function conflictsOf(
  { externalId, options, variants }: BodyOf<typeof shape>,
  seen: NamesTaken,
  at: (path: string) => string,
): Violation[] {
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
  take(seen.externalId, externalId, (externalId) =>
    productProblems.external_id_taken.at(at('externalId'), { externalId }),
  )
  for (const [index, option] of (options ?? []).entries()) {
    take(seen.optionExternalId, option.externalId, (externalId) =>
      productOptionProblems.external_id_taken.at(at(`options[${index}].externalId`), { externalId }),
    )
    for (const [order, value] of option.values.entries()) {
      take(seen.valueExternalId, value.externalId, (externalId) =>
        optionValueProblems.external_id_taken.at(at(`options[${index}].values[${order}].externalId`), {
          externalId,
        }),
      )
    }
  }
  for (const [index, variant] of (variants ?? []).entries()) {
    take(seen.sku, variant.sku, (sku) => variantProblems.sku_taken.at(at(`variants[${index}].sku`), { sku }))
    take(seen.variantExternalId, variant.externalId, (externalId) =>
      variantProblems.external_id_taken.at(at(`variants[${index}].externalId`), { externalId }),
    )
  }
  return found
}
