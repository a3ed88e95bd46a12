import { instantOf } from '../../core/instant.ts'
import type { BodyOf } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import type { Rewrite } from '../../core/rewrite.ts'
import { render, type State, standardText, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import type { CategoryParts } from '../categories/index.ts'
import { categoryIri } from '../categories/iri.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../content/custom-fields/index.ts'
import { placed, type TenantRules, writtenCollections } from './collections/index.ts'
import type { ProductParts } from './document.ts'
import { productIri } from './iri.ts'
import { type Conflict, refuseConflicts } from './names.ts'
import { productProblems } from './problems.ts'
import { subjectOf } from './rows.ts'
import { product as shape } from './schema.ts'
import type { WriteContext } from './write-context.ts'

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
  rewrite: Rewrite<typeof shape>,
): Decided | null {
  const before = stateOf(shape, product)
  const { state: plain, violations } = rewrite.apply(before)
  const [wasArchived, isArchived] = [product.status === 'ARCHIVED', plain.values.status === 'ARCHIVED']
  const isRestored = wasArchived && !isArchived
  const channels = isRestored && body.channels === undefined ? archivedChannels : plain.values.channels
  const state = withArchival(before, plain, channels, now)
  const current = product.categories.map((each) => each.id)
  const categoryIds = body.categories === undefined ? current : (body.categories ?? [])
  const title = standardText(state, 'title', locales) ?? ''
  const placing = placed(writtenCollections(body), {
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
  refuse([
    ...violations,
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...customFieldViolations({ fields: body.fields, before, after: state }, references),
    ...unknownCategories(body.categories ?? [], categories),
    ...placing.violations,
  ])
  if (unchanged) return null
  refuseConflicts(conflicts)
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
