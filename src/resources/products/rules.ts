import { sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import type { BodyOf, Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import type { Written } from '../../core/schema.ts'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/slug.ts'
import { defaultText, render, type State, stateOf, type TextUpdate } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  type Statement,
  statement,
} from '../../db/query.ts'
import type { CategoryParts } from '../categories/document.ts'
import { categoryIri } from '../categories/schema.ts'
import { collectionsInput, resolveCollections, type TenantRules } from '../collections/membership.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../fields/custom-fields.ts'
import { optionValueProblems, productOptionProblems } from '../product-options/problems.ts'
import { variantProblems } from '../variants/problems.ts'
import type { ProductParts } from './document.ts'
import { productProblems } from './problems.ts'
import { subjectOf, type WriteContext } from './row.ts'
import { productIri, product as shape } from './schema.ts'

type Named = Pick<Written<typeof shape>, 'status' | 'handle' | 'externalId'>

export type Conflict = {
  kind: 'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId'
  value: string
  /** The product that has the name; null if the caller may not read products. */
  holder: { id: string; title: string } | null
}

/** Whether a body restores its product if that is archived; a status of null is the standard one. */
export const isRestoring = ({ status }: Named) => status !== undefined && status !== 'ARCHIVED'

/** Names that another live product or variant has: the ones to be written, and on a restore all of the product's own. */
export function nameConflictsQuery(
  { access: sight }: Pick<Context, 'access'>,
  id: string,
  body: Named,
): DatabaseQuery<readonly Conflict[]> {
  const { handle = null, externalId = null } = body
  const restores = isRestoring(body)
  if (handle === null && externalId === null && !restores) return mapQuery(noQuery, () => [])
  const conflicts = statement<Conflict>(sql`
    select kind, value, case when ${sight.sees(shape)}::boolean then json_build_object('id', product_id, 'title', product_title) end as holder
      from product_names_conflicting(${id}::uuid, ${handle}::text, ${externalId}::text, ${restores}::boolean)`)
  return mapQuery(combineQueries({ conflicts }), (read) => read.conflicts)
}

const conflictOf: Readonly<Record<Conflict['kind'], (value: string) => Violation>> = {
  handle: (handle) => productProblems.handle_taken.at('handle', { handle }),
  externalId: (externalId) => productProblems.external_id_taken.at('externalId', { externalId }),
  sku: (sku) => variantProblems.sku_taken.at('variants', { sku }),
  variantExternalId: (externalId) => variantProblems.external_id_taken.at('variants', { externalId }),
  optionExternalId: (externalId) => productOptionProblems.external_id_taken.at('options', { externalId }),
  valueExternalId: (externalId) => optionValueProblems.external_id_taken.at('options', { externalId }),
}

/** How developers read of each kind: what has the name, and what the name is. */
const nouns: Readonly<Record<Conflict['kind'], readonly [owner: string, name: string]>> = {
  handle: ['The product', 'handle'],
  externalId: ['The product', 'externalId'],
  sku: ['A variant of the product', 'SKU'],
  variantExternalId: ['A variant of the product', 'externalId'],
  optionExternalId: ['An option of the product', 'externalId'],
  valueExternalId: ['An option value of the product', 'externalId'],
}

/** Who has a name and the two ways out: for a name that the same request can replace, and for one that it cannot. */
const waysOut = {
  replaceable: {
    'en-US': 'It belongs to “{title}”. Choose another one here, or change it there or archive that product.',
    'fr-FR':
      'Il appartient à « {title} ». Choisissez-en un autre ici, ou modifiez-le là-bas ou archivez ce produit.',
    'de-DE':
      'Sie gehört zu „{title}“. Wählen Sie hier eine andere, oder ändern Sie sie dort oder archivieren Sie jenes Produkt.',
    'es-ES': 'Pertenece a «{title}». Elija otro aquí, o cámbielo allí o archive ese producto.',
  },
  fixed: {
    'en-US': 'It belongs to “{title}”. Change it there, or archive that product. Then restore this one.',
    'fr-FR':
      'Elle appartient à « {title} ». Modifiez-la là-bas, ou archivez ce produit-là. Restaurez ensuite celui-ci.',
    'de-DE':
      'Sie gehört zu „{title}“. Ändern Sie sie dort, oder archivieren Sie jenes Produkt. Stellen Sie dann dieses wieder her.',
    'es-ES': 'Pertenece a «{title}». Cámbielo allí o archive ese producto. Después restaure este.',
  },
} as const

function violationOf({ kind, value, holder }: Conflict): Violation {
  const violation = conflictOf[kind](value)
  if (holder === null) return violation
  const { title } = holder
  const isReplaceable = kind === 'handle' || kind === 'externalId'
  const ways = waysOut[isReplaceable ? 'replaceable' : 'fixed']
  const { message } = violation.problem
  const [owner, name] = nouns[kind]
  const next = isReplaceable
    ? `Send another ${name} in the same request, or change it there or archive that product.`
    : 'Change it there, or archive that product. Then send this request again.'
  return {
    ...violation,
    values: { ...violation.values, title },
    occurrence: {
      detail: `${owner} ${productIri(holder.id)} has the ${name} "${value}". ${next}`,
      message: {
        'en-US': `${message['en-US']} ${ways['en-US']}`,
        'fr-FR': `${message['fr-FR']} ${ways['fr-FR']}`,
        'de-DE': `${message['de-DE']} ${ways['de-DE']}`,
        'es-ES': `${message['es-ES']} ${ways['es-ES']}`,
      },
    },
  }
}

/** Refuses a change that asks for names that others have. */
function throwConflicts(conflicts: readonly Conflict[]): void {
  throwViolations(conflicts.map(violationOf))
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

/** A product and what a change of it refers to, as they were read. */
type Found = {
  readonly product: ProductParts
  /** The channels that the product had when it was archived. */
  readonly archivedChannels: readonly string[]
  readonly conflicts: readonly Conflict[]
  readonly references: References
  readonly rules: TenantRules
  /** Those of the written collections that there are. */
  readonly existing: ReadonlySet<string>
  /** Those of the written categories that there are. */
  readonly categories: ReadonlyMap<string, CategoryParts>
}

/** A change as it is to be written. */
export type Decided = {
  readonly before: State<typeof shape>
  readonly state: State<typeof shape>
  readonly after: ProductParts
  /** Its categories, where they changed. */
  readonly categoryIds: readonly string[] | null
  /** The channels that a later restore brings back; null if the stored ones stay. */
  readonly archivedChannels: readonly string[] | null
}

/** What a change comes to; null where nothing changes. @throws Problem 409, 422 */
export function decide(
  { now, tenant: { locales } }: Pick<WriteContext, 'now' | 'tenant'>,
  { product, archivedChannels, conflicts, references, rules, existing, categories }: Found,
  body: BodyOf<typeof shape>,
  rewrite: TextUpdate<typeof shape>,
): Decided | null {
  const before = stateOf(shape, product)
  const { state: plain, violations } = rewrite.apply(before)
  const [wasArchived, isArchived] = [product.status === 'ARCHIVED', plain.values.status === 'ARCHIVED']
  const isRestored = wasArchived && !isArchived
  const channels = isRestored && body.channels === undefined ? archivedChannels : plain.values.channels
  const state = withArchival(before, plain, channels, now)
  const current = product.categories.map((each) => each.id)
  const categoryIds = body.categories === undefined ? current : (body.categories ?? [])
  const title = defaultText(state, 'title', locales) ?? ''
  const placing = resolveCollections(collectionsInput(body), {
    current: product.collections,
    subject: subjectOf(state, { title, createdAt: product.createdAt, categoryIds }),
    existing,
    rules,
  })
  const sameCategories = sameJson(categoryIds, current)
  // As it was written: archiving leaves no channels, whichever are asked for.
  const unchanged = sameCategories && placing.sameChoice && sameJson(before, plain)
  if (wasArchived && isArchived && !unchanged && !rewrite.befallsAll) {
    throw productProblems.archived()
  }
  throwViolations([
    ...violations,
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...customFieldViolations({ fields: body.fields, before, after: state }, references),
    ...unknownCategories(body.categories ?? [], categories),
    ...placing.violations,
  ])
  if (unchanged) return null
  throwConflicts(conflicts)
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
        : categoryIds.flatMap((each) => categories.get(each) ?? []),
    collections: placing.collections,
  }
  return {
    before,
    state,
    after,
    categoryIds: sameCategories ? null : categoryIds,
    archivedChannels: wasArchived === isArchived ? null : isArchived ? plain.values.channels : [],
  }
}

/** The violations of written categories that there are not. */
export function unknownCategories(
  ids: readonly string[],
  known: ReadonlyMap<string, CategoryParts>,
  at: (path: string) => string = (path) => path,
): Violation[] {
  return ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [validationProblems.unknown_reference.at(at(`categories[${index}]`), { iri: categoryIri(id) })],
  )
}

/** Archiving empties the channels and records the time; restoring clears the time. */
function withArchival(
  before: State<typeof shape>,
  after: State<typeof shape>,
  channels: readonly string[],
  now: Date,
): State<typeof shape> {
  const archived = after.values.status === 'ARCHIVED'
  const archivedAt = archived ? (before.values.archivedAt ?? instantOf(now)) : null
  return { ...after, values: { ...after.values, archivedAt, channels: archived ? [] : [...channels] } }
}

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
