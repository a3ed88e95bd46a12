import { instantOf } from '../../core/instant.ts'
import type { BodyOf } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { created, render, type State, standardText } from '../../core/state.ts'
import type { Changed } from '../../core/write.ts'
import type { CategoryParts } from '../categories/index.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../content/custom-fields/index.ts'
import type { NewSaleOffer } from '../prices/sale/index.ts'
import { placed, type TenantRules, writtenCollections } from './collections/index.ts'
import { creationEvents } from './creation-events.ts'
import { unknownCategories } from './decide-change.ts'
import type { ProductParts } from './document.ts'
import { productIri } from './iri.ts'
import { newOptions, repeatedTitles } from './new-options.ts'
import { newVariants } from './new-variants.ts'
import { tooHeavy, weightOfOptions } from './options/index.ts'
import { subjectOf } from './rows.ts'
import { product as shape } from './schema.ts'
import type { WriteContext } from './write-context.ts'

/** A new product, and what only its rows and events tell. */
export type NewProduct = {
  readonly parts: ProductParts
  readonly saleOffers: readonly NewSaleOffer[]
  readonly state: State<typeof shape>
  readonly categoryIds: readonly string[]
  /** The channels that it gets when it is restored, if it is created archived. */
  readonly archivedChannels: readonly string[]
  readonly events: readonly Changed[]
  /** The rows of what it owns. */
  readonly rows: ReturnType<typeof newOptions>['rows'] & ReturnType<typeof newVariants>['rows']
}

/** What a new product refers to, as it was read. */
export type Surroundings = {
  readonly categories: ReadonlyMap<string, CategoryParts>
  /** The collections that there are among those that it names. */
  readonly collections: ReadonlySet<string>
  readonly references: References
  readonly rules: TenantRules
}

/** Makes a new product of a written one, and tells what its references and embedded rows have wrong. */
export function newProductOf(
  context: WriteContext,
  id: string,
  body: BodyOf<typeof shape>,
  { categories, collections, references, rules }: Surroundings,
  at: (path: string) => string,
): { addition: NewProduct; violations: Violation[] } {
  const { locale, tenant } = context
  const violations: Violation[] = []
  const archived = body.status === 'ARCHIVED'
  const plain = created(shape, archived ? { ...body, channels: [] } : body, locale)
  const state = archived
    ? { ...plain, values: { ...plain.values, archivedAt: instantOf(context.now) } }
    : plain
  violations.push(
    ...customFieldViolations({ fields: body.fields, before: null, after: state }, references, at),
  )
  const { options, rows: optionRows } = newOptions(context, id, body.options ?? [])
  violations.push(...repeatedTitles(options, at), ...tooHeavy(weightOfOptions(options), at('options')))
  const categoryIds = body.categories ?? []
  const shown = categoryIds.flatMap((each) => categories.get(each) ?? [])
  const {
    variants,
    saleOffers,
    rows: variantRows,
    ...made
  } = newVariants(context, id, body.variants ?? [], { options, references, categories: shown }, at)
  violations.push(...made.violations)
  violations.push(...unknownCategories(categoryIds, categories, at))
  const title = standardText(state, 'title', tenant.locales) ?? ''
  const subject = subjectOf(state, { title, createdAt: instantOf(context.now), categoryIds })
  const placing = placed(writtenCollections(body), { current: [], subject, existing: collections, rules }, at)
  violations.push(...placing.violations)
  const parts: ProductParts = {
    id,
    version: 0,
    createdAt: '',
    updatedAt: '',
    status: state.values.status,
    document: render(shape, { iri: productIri(id), id }, state, tenant.locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, references.metaobjects),
    options,
    variants,
    variantsTotal: variants.length,
    categories: shown,
    collections: placing.collections,
  }
  const events = creationEvents(parts, saleOffers, state, locale.asked)
  const rows = { ...optionRows, ...variantRows }
  const archivedChannels = archived ? (body.channels ?? []) : []
  return {
    addition: { parts, saleOffers, state, categoryIds, archivedChannels, events, rows },
    violations,
  }
}
