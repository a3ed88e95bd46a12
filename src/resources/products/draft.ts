import { instantOf } from '../../core/instant.ts'
import type { Json } from '../../core/json.ts'
import type { Context } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { created, render, type State, standardText } from '../../core/state.ts'
import type { Changed } from '../../core/write.ts'
import type { CategoryParts } from '../categories/index.ts'
import { categoryIri } from '../categories/iri.ts'
import { fieldViolations, metaobjectsOf, type References } from '../content/custom-fields/index.ts'
import { placed, type TenantRules, writtenCollections } from './collections/index.ts'
import { creationEvents } from './creation-events.ts'
import type { ProductParts } from './document.ts'
import { draftOptions, repeatedTitles } from './draft-options.ts'
import { draftVariants } from './draft-variants.ts'
import { productIri } from './iri.ts'
import { type InlineOption, tooHeavy, weightOfOptions } from './options/index.ts'
import { subjectOf } from './rows.ts'
import { product as shape } from './schema.ts'
import type { InlineVariant } from './variants/index.ts'

/** A new product: its parts, and what only its rows and events tell. */
export type Draft = ProductParts & {
  readonly state: State
  readonly categoryIds: readonly string[]
  readonly events: readonly Changed[]
}

/** What a new product refers to, as it was read. */
type Surroundings = {
  readonly categories: ReadonlyMap<string, CategoryParts>
  /** The collections that there are among those that it names. */
  readonly collections: ReadonlySet<string>
  readonly references: References
  readonly rules: TenantRules
}

/** Makes a new product of a written one, and tells what its references and embedded rows have wrong. */
export function draftOf(
  context: Context,
  id: string,
  body: Readonly<Record<string, Json>>,
  { categories, collections, references, rules }: Surroundings,
  at: (path: string) => string,
): { draft: Draft; violations: Violation[] } {
  const { locale, tenant } = context
  const violations: Violation[] = []
  const archived = body.status === 'ARCHIVED'
  const plain = created(shape, archived ? { ...body, channels: [] } : body, locale)
  const state = archived
    ? { ...plain, values: { ...plain.values, archivedAt: instantOf(context.now) } }
    : plain
  violations.push(...fieldViolations({ fields: body.fields, before: null, after: state }, references, at))
  const options = draftOptions(context, id, (body.options as InlineOption[] | null | undefined) ?? [])
  violations.push(...repeatedTitles(options, at), ...tooHeavy(weightOfOptions(options), at('options')))
  const made = draftVariants(
    context,
    id,
    (body.variants as InlineVariant[] | null | undefined) ?? [],
    { options, references },
    at,
  )
  violations.push(...made.violations)
  const categoryIds = (body.categories as string[] | null | undefined) ?? []
  for (const [index, each] of categoryIds.entries()) {
    if (!categories.has(each)) {
      violations.push(
        validationProblems.unknown_reference.at(at(`categories[${index}]`), { iri: categoryIri(each) }),
      )
    }
  }
  const title = standardText(state, 'title', tenant.locales) ?? ''
  const subject = subjectOf(state, { title, createdAt: instantOf(context.now), categoryIds })
  const placing = placed(writtenCollections(body), { current: [], subject, existing: collections, rules }, at)
  violations.push(...placing.violations)
  const parts: ProductParts = {
    id,
    version: 0,
    createdAt: '',
    updatedAt: '',
    status: String(state.values.status),
    document: render(shape, { iri: productIri(id), id }, state, tenant.locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, references.metaobjects),
    options,
    variants: made.parts,
    variantsTotal: made.parts.length,
    categories: categoryIds.flatMap((each) => categories.get(each) ?? []),
    collections: placing.collections,
  }
  const events = creationEvents(parts, state, locale.asked)
  return { draft: { ...parts, state, categoryIds, events }, violations }
}
