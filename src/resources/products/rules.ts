/** Decides what a change of a product results in, and which names of products conflict. */

import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { BodyOf, Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import type { WritableValues } from '../../core/schema.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import {
  archivedAt,
  defaultText,
  render,
  type State,
  stateOf,
  type TextUpdate,
  type Transition,
  transitionOf,
} from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import type { CategoryParts } from '../categories/document.ts'
import { categoryIri } from '../categories/schema.ts'
import { collectionsInput, resolveCollections, type TenantRules } from '../collections/membership.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../fields/custom-fields.ts'
import { type NamesInUse, partNameKinds, type TakenName, takenPartNames } from '../shared/names.ts'
import type { ProductParts } from './document.ts'
import { optionValueProblems, productOptionProblems, productProblems, variantProblems } from './problems.ts'
import { subjectOf, type WriteContext } from './row.ts'
import { productIri, product as shape } from './schema.ts'

/** Applies a patch to a product; null if it changes nothing. @throws Problem 409, 422 */
export function decide(
  { now, tenant: { locales } }: Pick<WriteContext, 'now' | 'tenant'>,
  { product, archivedChannels, takenNames, references, rules, existing, categories }: ChangeInput,
  body: BodyOf<typeof shape>,
  textUpdate: TextUpdate<typeof shape>,
): ProductDecision | null {
  const before = stateOf(shape, product)
  const { state: patched, violations } = textUpdate.apply(before)
  const transition = transitionOf(product.status, patched.values.status)
  const takesKeptChannels = transition === 'restore' && body.channels === undefined
  const channels = takesKeptChannels ? archivedChannels : patched.values.channels
  const state = withArchival(before, patched, channels, now)
  const categoriesBefore = product.categories.map((category) => category.id)
  const categoryIds = body.categories === undefined ? categoriesBefore : (body.categories ?? [])
  const title = defaultText(state, 'title', locales) ?? ''
  const membership = resolveCollections(collectionsInput(body), {
    current: product.collections,
    subject: subjectOf(state, { title, createdAt: product.createdAt, categoryIds }),
    existing,
    rules,
  })
  const hasSameCategories = sameJson(categoryIds, categoriesBefore)
  // Compares the patched values, because archiving empties the channels whatever the body contains.
  const isUnchanged = hasSameCategories && membership.sameChoice && sameJson(before, patched)
  const staysArchived = product.status === 'ARCHIVED' && transition === null
  if (staysArchived && !isUnchanged && !textUpdate.includesArchived) throw productProblems.archived()
  throwViolations([
    ...violations,
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...customFieldViolations({ fields: body.fields, before, after: state }, references),
    ...unknownCategories(body.categories ?? [], categories),
    ...membership.violations,
  ])
  if (isUnchanged) return null
  throwViolations(takenNames.map(violationOf))
  const { id } = product
  const after: ProductParts = {
    ...product,
    status: state.values.status,
    document: render(shape, { iri: productIri(id), id }, state, locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, product.metaobjects, references.metaobjects),
    categories:
      body.categories === undefined
        ? product.categories
        : categoryIds.flatMap((categoryId) => categories.get(categoryId) ?? []),
    collections: membership.collections,
  }
  return {
    before,
    state,
    after,
    categoryIds: hasSameCategories ? null : categoryIds,
    transition,
    keptChannels: transition === 'archive' ? patched.values.channels : [],
  }
}

type ChangeInput = {
  readonly product: ProductParts
  /** The channels that the product had when it was archived. */
  readonly archivedChannels: readonly string[]
  readonly takenNames: readonly Conflict[]
  readonly references: References
  readonly rules: TenantRules
  /** The requested collections that exist. */
  readonly existing: ReadonlySet<string>
  /** The requested categories that exist. */
  readonly categories: ReadonlyMap<string, CategoryParts>
}

/** A change to write. */
export type ProductDecision = {
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
  readonly after: ProductParts
  /** The new categories; null if they are unchanged. */
  readonly categoryIds: readonly string[] | null
  readonly transition: Transition
  /** The channels of a product that is archived, for a later restore. */
  readonly keptChannels: readonly string[]
}

/** Violations of categories that do not exist. */
export function unknownCategories(
  ids: readonly string[],
  categories: ReadonlyMap<string, CategoryParts>,
  at: (path: string) => string = (path) => path,
): Violation[] {
  return ids.flatMap((id, index) =>
    categories.has(id)
      ? []
      : [validationProblems.unknown_reference.at(at(`categories[${index}]`), { iri: categoryIri(id) })],
  )
}

/** Archiving empties the channels and records the time; restoring clears the time. */
export function withArchival(
  before: State<typeof shape> | null,
  after: State<typeof shape>,
  channels: readonly string[],
  now: Date,
): State<typeof shape> {
  const time = archivedAt(before?.values, after.values, now)
  return { ...after, values: { ...after.values, archivedAt: time, channels: time ? [] : [...channels] } }
}

type NamesInBody = Pick<WritableValues<typeof shape>, 'status' | 'handle' | 'externalId'>

export type Conflict = RowOf<typeof conflictRow>
const conflictRow = {
  kind: z.enum(partNameKinds),
  value: z.string(),
  /** The product with the name; null if the caller may not read products. */
  holder: z.object({ id: z.string(), title: z.string() }).nullable(),
}

/** Whether a body restores an archived product. A status of null sets the default status. */
export const isRestoring = ({ status }: NamesInBody) => status !== undefined && status !== 'ARCHIVED'

/** Reads which requested names other live rows have. A restore also checks all current names of the product. */
export function nameConflictsQuery(
  { access }: Pick<Context, 'access'>,
  id: string | SQL,
  body: NamesInBody,
  isRestored: boolean | SQL,
): DatabaseQuery<readonly Conflict[]> {
  const { handle = null, externalId = null } = body
  if (handle === null && externalId === null && isRestored === false) return mapQuery(noQuery, () => [])
  // An upsert finds its own external id, and restores only an archived product.
  const isNeeded = typeof isRestored === 'boolean' || handle !== null ? sql`` : sql` where ${isRestored}`
  const query = sql`
    select kind, value, case when ${access.sees(shape)}::boolean then json_build_object('id', product_id, 'title', product_title) end as holder
      from product_names_conflicting(${id}::uuid, ${handle}::text, ${externalId}::text, ${isRestored}::boolean)${isNeeded}`
  return mapQuery(combineQueries({ rows: statement(query, conflictRow) }), ({ rows }) => rows)
}

const conflictProblems: Readonly<Record<Conflict['kind'], (value: string) => Violation>> = {
  handle: (handle) => productProblems.handle_taken.at('handle', { handle }),
  externalId: (externalId) => productProblems.external_id_taken.at('externalId', { externalId }),
  sku: (sku) => variantProblems.sku_taken.at('variants', { sku }),
  variantExternalId: (externalId) => variantProblems.external_id_taken.at('variants', { externalId }),
  optionExternalId: (externalId) => productOptionProblems.external_id_taken.at('options', { externalId }),
  valueExternalId: (externalId) => optionValueProblems.external_id_taken.at('options', { externalId }),
}

/** Nouns for the details of conflicts: the row that has the name, and the name. */
const nouns: Readonly<Record<Conflict['kind'], readonly [row: string, name: string]>> = {
  handle: ['The product', 'handle'],
  externalId: ['The product', 'externalId'],
  sku: ['A variant of the product', 'SKU'],
  variantExternalId: ['A variant of the product', 'externalId'],
  optionExternalId: ['An option of the product', 'externalId'],
  valueExternalId: ['An option value of the product', 'externalId'],
}

/** The product that has the name, and what to do: if the same request can replace the name, and if it cannot. */
export const resolutions = {
  replaceable: {
    slug: 'product.name_taken.replaceable',
    message: 'It belongs to “{title}”. Choose another one here, or change it there or archive that product.',
  },
  fixed: {
    slug: 'product.name_taken.fixed',
    message: 'It belongs to “{title}”. Change it there, or archive that product. Then restore this one.',
  },
}

function violationOf({ kind, value, holder }: Conflict): Violation {
  const violation = conflictProblems[kind](value)
  if (holder === null) return violation
  const { title } = holder
  const isReplaceable = kind === 'handle' || kind === 'externalId'
  const [row, name] = nouns[kind]
  const next = isReplaceable
    ? `Send another ${name} in the same request, or change it there or archive that product.`
    : 'Change it there, or archive that product. Then send this request again.'
  return {
    ...violation,
    values: { ...violation.values, title },
    help: `${row} ${productIri(holder.id)} has the ${name} "${value}". ${next}`,
    conflictingResource: productIri(holder.id),
    advice: resolutions[isReplaceable ? 'replaceable' : 'fixed'],
  }
}

/** A concurrent write deleted a category of the product. Reading again finds and reports the conflict. */
export const constraintProblems = { product_categories_category: 'again' } as const

export const standardHandle = 'product'

/** Selects the requested names that live rows have. */
export function takenProductNames(bodies: readonly BodyOf<typeof shape>[]): Statement<TakenName> {
  const options = bodies.flatMap((body) => body.options ?? [])
  const variants = bodies.flatMap((body) => body.variants ?? [])
  const externalIdsOf = (rows: readonly { readonly externalId?: string | null | undefined }[]) =>
    rows.flatMap((row) => row.externalId ?? [])
  return takenPartNames({
    handle: bodies.flatMap(
      ({ handle, title }) => handle ?? handleCandidates(handleOf(title ?? '', standardHandle)),
    ),
    externalId: externalIdsOf(bodies),
    sku: variants.flatMap((variant) => variant.sku ?? []),
    variantExternalId: externalIdsOf(variants),
    optionExternalId: externalIdsOf(options),
    valueExternalId: externalIdsOf(options.flatMap((option) => option.values)),
  })
}

/** Reserves the names of a new product, its options, values and variants. Returns the conflicts with names in use. */
export function nameConflicts(
  body: BodyOf<typeof shape>,
  names: NamesInUse,
  at: (path: string) => string,
): Violation[] {
  const { handle_taken: handle, external_id_taken: externalId } = productProblems
  return [
    ...names.reserveAll(body, { handle, externalId }, at),
    ...(body.options ?? []).flatMap((option, index) => [
      ...names.reserveAll(
        option,
        { externalId: productOptionProblems.external_id_taken },
        (name) => at(`options[${index}].${name}`),
        { externalId: 'optionExternalId' },
      ),
      ...option.values.flatMap((value, order) =>
        names.reserveAll(
          value,
          { externalId: optionValueProblems.external_id_taken },
          (name) => at(`options[${index}].values[${order}].${name}`),
          { externalId: 'valueExternalId' },
        ),
      ),
    ]),
    ...(body.variants ?? []).flatMap((variant, index) =>
      names.reserveAll(
        variant,
        { sku: variantProblems.sku_taken, externalId: variantProblems.external_id_taken },
        (name) => at(`variants[${index}].${name}`),
        { externalId: 'variantExternalId' },
      ),
    ),
  ]
}
