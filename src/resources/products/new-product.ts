/** Builds new products from request bodies: their rows, events and prices, or the violations. */
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import type { BodyOf } from '../../core/operation.ts'
import { type Change, creationOf, uncommitted } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { handleOf } from '../../core/slug.ts'
import { created, defaultText, render, type State } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import type { CategoryParts } from '../categories/document.ts'
import { categoryIri } from '../categories/schema.ts'
import { collectionsInput, resolveCollections, type TenantRules } from '../collections/membership.ts'
import { collectionIri } from '../collections/schema.ts'
import {
  customFieldViolations,
  differencesWithCustomFields,
  metaobjectsOf,
  type References,
} from '../fields/custom-fields.ts'
import type { Offer } from '../offers/document.ts'
import { childChange, optionChildType, valueChildType } from '../product-options/child-types.ts'
import { type OptionParts, sizeViolations, weightOfOptions } from '../product-options/document.ts'
import { optionParts, optionRow, valueParts, valueRow } from '../product-options/read.ts'
import { type InlineOption, type InlineValue, optionValue, productOption } from '../product-options/schema.ts'
import { countOffers, type OfferList, reserveExternalIds, saleOfferEvent } from '../sale-offers/inline.ts'
import { namesInUse, type TakenName } from '../shared/names.ts'
import { combinationOf } from '../variants/combination.ts'
import { changeEvent, variantRow } from '../variants/row.ts'
import { draftVariant } from '../variants/rules.ts'
import type { InlineVariant } from '../variants/schema.ts'
import { type ProductParts, productKind } from './document.ts'
import { productProblems } from './problems.ts'
import { productEventDocument, subjectOf, type WriteContext } from './row.ts'
import { nameConflicts, standardHandle, unknownCategories, withArchival } from './rules.ts'
import { productIri, product as shape } from './schema.ts'

/**
 * Builds the products of a request. `isRetried` is true after a lost race.
 * @throws Problem 409, 422
 */
export function newProductsOf(
  context: WriteContext,
  requests: readonly RequestedProduct[],
  { takenNames, takenOfferIds, ...references }: CreationInput,
  isRetried: boolean,
): NewProduct[] {
  const liveNames = namesInUse(takenNames)
  const offerNames = namesInUse(takenOfferIds)
  const results = requests.map(({ id, body, at }) => {
    const offerLists = requestedOffers({ body, at }).filter(({ offers }) => offers.length > 0)
    // An archived product reserves no names.
    const names = body.status === 'ARCHIVED' ? namesInUse([]) : liveNames
    const handle =
      body.handle ?? names.reserveHandle(handleOf(body.title ?? '', standardHandle), id, isRetried)
    const { addition, violations } = newProductOf(context, id, { ...body, handle }, references, at)
    const archivedViolations =
      body.status === 'ARCHIVED' ? offerLists.map(({ path }) => productProblems.archived.at(path)) : []
    return {
      addition,
      violations,
      conflicts: [
        ...nameConflicts(body, names, at),
        ...archivedViolations,
        ...reserveExternalIds(offerLists, offerNames),
      ],
    }
  })
  throwViolations(results.flatMap((result) => result.violations))
  throwViolations(results.flatMap((result) => result.conflicts))
  return results.map((result) => result.addition)
}

/** A product of a request. */
export type RequestedProduct = {
  readonly id: string
  readonly body: BodyOf<typeof shape>
  readonly at: (path: string) => string
}

type CreationInput = ProductReferences & {
  readonly takenNames: readonly TakenName[]
  /** The external ids that other sale offers already have. */
  readonly takenOfferIds: readonly TakenName[]
}

/** A new product with its rows, prices and events. */
export type NewProduct = {
  readonly parts: ProductParts
  readonly saleOffers: readonly Offer[]
  readonly state: State<typeof shape>
  readonly categoryIds: readonly string[]
  /** The requested channels of a product that is created archived, for a later restore. */
  readonly archivedChannels: readonly string[]
  readonly events: readonly Change[]
  /** The rows of its options, values and variants. */
  readonly rows: ReturnType<typeof newOptions>['rows'] & ReturnType<typeof newVariants>['rows']
}

type ProductReferences = {
  readonly categories: ReadonlyMap<string, CategoryParts>
  /** The ids of existing collections. */
  readonly collections: ReadonlySet<string>
  readonly references: References
  readonly rules: TenantRules
}

/** The sale offers in the variants of a request body. */
export function requestedOffers({ body, at }: Pick<RequestedProduct, 'body' | 'at'>): OfferList[] {
  return (body.variants ?? []).map(({ saleOffers }, index) => ({
    path: at(`variants[${index}].saleOffers`),
    offers: saleOffers ?? [],
  }))
}

/** Builds a new product, and collects the violations of its references, options and variants. */
function newProductOf(
  context: WriteContext,
  id: string,
  body: BodyOf<typeof shape>,
  { categories, collections, references, rules }: ProductReferences,
  at: (path: string) => string,
): { addition: NewProduct; violations: Violation[] } {
  const { locale, tenant } = context
  const violations: Violation[] = []
  const isArchived = body.status === 'ARCHIVED'
  const requested = created(shape, body, locale)
  const state = withArchival(null, requested, requested.values.channels, context.now)
  const fieldsChange = { fields: body.fields, before: null, after: state }
  violations.push(...customFieldViolations(fieldsChange, references, at))
  const { options, rows: optionRows, events: optionEvents } = newOptions(context, id, body.options ?? [])
  violations.push(...repeatedTitles(options, at), ...sizeViolations(weightOfOptions(options), at('options')))
  const categoryIds = body.categories ?? []
  const embeddedCategories = categoryIds.flatMap((categoryId) => categories.get(categoryId) ?? [])
  const variantContext = { options, references, categories: embeddedCategories }
  const {
    variants,
    saleOffers,
    rows: variantRows,
    events: variantEvents,
    violations: variantViolations,
  } = newVariants(context, id, body.variants ?? [], variantContext, at)
  violations.push(...variantViolations, ...unknownCategories(categoryIds, categories, at))
  const title = defaultText(state, 'title', tenant.locales) ?? ''
  const subject = subjectOf(state, { title, createdAt: instantOf(context.now), categoryIds })
  const membership = resolveCollections(
    collectionsInput(body),
    { current: [], subject, existing: collections, rules },
    at,
  )
  violations.push(...membership.violations)
  const parts: ProductParts = {
    id,
    ...uncommitted,
    status: state.values.status,
    document: render(shape, { iri: productIri(id), id }, state, tenant.locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, references.metaobjects),
    options,
    variants,
    variantsTotal: variants.length,
    categories: embeddedCategories,
    collections: membership.collections,
  }
  // Each resource follows those that it refers to, so that a copy with foreign keys can apply the events one by one.
  const events = [creationEvent(parts, state, locale.requested), ...optionEvents, ...variantEvents]
  const rows = { ...optionRows, ...variantRows }
  const archivedChannels = isArchived ? requested.values.channels : []
  return {
    addition: { parts, saleOffers, state, categoryIds, archivedChannels, events, rows },
    violations,
  }
}

function newOptions(context: WriteContext, productId: string, inlineOptions: readonly InlineOption[]) {
  const options = inlineOptions.map((option, position) => newOption(context, productId, option, position))
  return {
    options: options.map((option) => option.parts),
    rows: { options: options.map(({ row }) => row), values: options.flatMap(({ valueRows }) => valueRows) },
    events: options.flatMap((option) => option.events),
  }
}

/** A new option with its values, their rows and events. */
export function newOption(context: WriteContext, productId: string, option: InlineOption, position: number) {
  const id = uuidv7()
  const values = option.values.map((value, order) =>
    newValue(context, { productId, optionId: id }, value, order),
  )
  const state = created(productOption, option, context.locale)
  const identity = { id, productId, position, values: values.map((value) => value.parts) }
  const parts = optionParts(context, identity, state)
  return {
    parts,
    row: optionRow(parts, state.values.externalId),
    valueRows: values.map((value) => value.row),
    events: [
      childChange(optionChildType, context, productId, [null, { parts, state }]),
      ...values.map(({ event }) => event),
    ],
  }
}

/** A new value of an option, its row and event. */
export function newValue(
  context: WriteContext,
  { productId, optionId }: { readonly productId: string; readonly optionId: string },
  value: InlineValue,
  position: number,
) {
  const state = created(optionValue, value, context.locale)
  const parts = valueParts(context, { id: uuidv7(), optionId, position }, state)
  return {
    parts,
    row: valueRow(productId, parts, state.values.externalId),
    event: childChange(valueChildType, context, productId, [null, { parts, state }]),
  }
}

/** Violations of options with the same title, and of values with the same title in one option. */
function repeatedTitles(options: readonly OptionParts[], at: (path: string) => string): Violation[] {
  const repetitionsIn = (titles: readonly (string | null)[], path: (index: number) => string) => {
    const earlierTitles = new Set<string>()
    return titles.flatMap((title, index) => {
      if (title !== null && earlierTitles.has(title)) {
        return [validationProblems.duplicate_item.at(at(path(index)))]
      }
      if (title !== null) earlierTitles.add(title)
      return []
    })
  }
  return [
    ...repetitionsIn(
      options.map((option) => option.title),
      (index) => `options[${index}].title`,
    ),
    ...options.flatMap((option, optionIndex) =>
      repetitionsIn(
        option.values.map((value) => value.title),
        (index) => `options[${optionIndex}].values[${index}].title`,
      ),
    ),
  ]
}

type VariantContext = {
  readonly options: readonly OptionParts[]
  readonly references: References
  readonly categories: readonly CategoryParts[]
}

/** The variants of a new product with their rows and sale offers. Two variants with the same option values are a violation. */
function newVariants(
  context: WriteContext,
  productId: string,
  inlineVariants: readonly InlineVariant[],
  { options, references, categories }: VariantContext,
  at: (path: string) => string,
) {
  const combinations = new Set<string>()
  const drafts = inlineVariants.map((body, position) => {
    const inVariant = (name: string) => at(`variants[${position}].${name}`)
    const identity = { id: uuidv7(), productId, position }
    const draft = draftVariant(context, { options, categories }, identity, body, references, inVariant)
    const combination = combinationOf(draft.parts.optionValueIds)
    const isRepeated = draft.hasOptionValues && options.length > 0 && combinations.has(combination)
    combinations.add(combination)
    const repetition = isRepeated ? [validationProblems.duplicate_item.at(inVariant('optionValues'))] : []
    return { ...draft, violations: [...repetition, ...draft.violations] }
  })
  const isExcessive = options.length === 0 && inlineVariants.length > 1
  return {
    variants: drafts.map((draft) => draft.parts),
    saleOffers: drafts.flatMap((draft) => draft.saleOffers),
    rows: {
      variants: drafts.map(({ parts, state, saleOffers }) => ({
        ...variantRow(parts, state.values),
        saleOfferCount: countOffers(saleOffers),
      })),
    },
    events: drafts.flatMap((draft) => [changeEvent(null, draft), ...draft.saleOffers.map(saleOfferEvent)]),
    violations: [
      ...(isExcessive ? [productProblems.options_required.at(at('variants[1]'))] : []),
      ...drafts.flatMap((draft) => draft.violations),
    ],
  }
}

function creationEvent(product: ProductParts, state: State<typeof shape>, locale: string): Change {
  const { categories, collections } = product
  const values = {
    ...state.values,
    ...state.translations[locale],
    categories: categories.map((category) => categoryIri(category.id)),
    ...(collections.length > 0 ? { collections: collections.map(collectionIri) } : {}),
  }
  return creationOf(productKind, product.id, {
    document: productEventDocument(product),
    changes: differencesWithCustomFields({}, values),
  })
}
