import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import { type Json, type JsonObject, parsed } from '../../core/json.ts'
import type { BodyOf } from '../../core/operation.ts'
import type { Change } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
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
import {
  type OptionParts,
  sizeViolations,
  type ValueParts,
  weightOfOptions,
} from '../product-options/document.ts'
import { optionParts, optionRow, valueParts, valueRow } from '../product-options/read.ts'
import {
  type InlineOption,
  type InlineValue,
  optionValue,
  optionValueIri,
  productOption,
  productOptionIri,
} from '../product-options/schema.ts'
import {
  claimExternalIds,
  countOffers,
  type NewSaleOffer,
  newSaleOffers,
  type OfferList,
  saleOfferEvent,
} from '../sale-offers/inline.ts'
import { combinationOf, resolveOptionValues } from '../variants/combination.ts'
import type { VariantParts } from '../variants/document.ts'
import { variantParts, variantRow } from '../variants/row.ts'
import { type InlineVariant, variant, variantIri } from '../variants/schema.ts'
import type { ProductParts } from './document.ts'
import { productProblems } from './problems.ts'
import { productEventDocument, subjectOf, type WriteContext } from './row.ts'
import {
  conflictsOf,
  derivedHandle,
  namesTaken,
  type RequestedNames,
  type Taken,
  unknownCategories,
} from './rules.ts'
import { productIri, product as shape } from './schema.ts'

type Embedded = OptionParts | ValueParts | VariantParts

const creation = { version: 1, action: 'created' } as const

/**
 * The events of a product's creation. What is embedded comes before what embeds it, and the prices of a variant before it, as
 * in every later write: an event's document shows what came before it.
 */
function creationEvents(
  product: ProductParts,
  saleOffers: readonly NewSaleOffer[],
  state: State<typeof shape>,
  locale: string,
): Change[] {
  const offersOf = Map.groupBy(saleOffers, ({ parts }) => parts.variantId)
  const embedded = (
    kind: string,
    topic: string,
    row: Embedded,
    position: Readonly<Record<string, Json>>,
  ): Change => ({
    ...creation,
    kind,
    id: row.id,
    topic,
    ownerId: product.id,
    document: JSON.stringify(row),
    changes: differencesWithCustomFields({}, { ...storedValues(row), ...position }),
  })
  return [
    ...product.options.flatMap((option) => [
      ...option.values.map((value) =>
        embedded('option_values', 'option_value/created', value, {
          option: productOptionIri(option.id),
          position: value.position,
        }),
      ),
      embedded(
        'product_options',
        'product_option/created',
        { ...option, values: [] },
        {
          position: option.position,
        },
      ),
    ]),
    ...product.variants.flatMap((variant) => [
      ...(offersOf.get(variant.id) ?? []).map(saleOfferEvent),
      embedded('variants', 'variant/created', variant, {
        position: variant.position,
        optionValues: variant.optionValueIds.map(optionValueIri),
      }),
    ]),
    {
      ...creation,
      kind: 'products',
      id: product.id,
      topic: 'product/created',
      document: productEventDocument(product),
      changes: differencesWithCustomFields(
        {},
        {
          ...state.values,
          ...state.translations[locale],
          categories: product.categories.map((each) => categoryIri(each.id)),
          ...(product.collections.length > 0 ? { collections: product.collections.map(collectionIri) } : {}),
        },
      ),
    },
  ]
}

/** The values in a row's stored document. */
function storedValues({ document }: Embedded): JsonObject {
  const { '@id': _, '@type': __, id: ___, fallbacks: ____, ...values } = parsed<JsonObject>(document)
  return values
}

/** The options of a new product with their values, in the order written, and the rows of both. */
function newOptions(context: WriteContext, productId: string, written: readonly InlineOption[]) {
  const made = written.map((option, position) => newOption(context, productId, option, position))
  return {
    options: made.map((each) => each.parts),
    rows: { options: made.map((each) => each.row), values: made.flatMap((each) => each.valueRows) },
  }
}

function newOption(context: WriteContext, productId: string, option: InlineOption, position: number) {
  const id = uuidv7()
  const values = option.values.map((value, order) =>
    newValue(context, { productId, optionId: id }, value, order),
  )
  const state = created(
    productOption,
    { title: option.title ?? null, externalId: option.externalId ?? null },
    context.locale,
  )
  const identity = { id, productId, position, values: values.map((each) => each.parts) }
  const parts = optionParts(context, identity, state)
  return {
    parts,
    row: optionRow(parts, state.values.externalId),
    valueRows: values.map((each) => each.row),
  }
}

function newValue(
  context: WriteContext,
  { productId, optionId }: { readonly productId: string; readonly optionId: string },
  value: InlineValue,
  position: number,
) {
  const state = created(
    optionValue,
    { title: value.title, externalId: value.externalId ?? null },
    context.locale,
  )
  const parts = valueParts(context, { id: uuidv7(), optionId, position }, state)
  return { parts, row: valueRow(productId, parts, state.values.externalId) }
}

/** Two options of one title, or two values of one option, are one too many. */
function repeatedTitles(options: readonly OptionParts[], at: (path: string) => string): Violation[] {
  const repeated = (titles: readonly (string | null)[], path: (index: number) => string) => {
    const seen = new Set<string>()
    return titles.flatMap((title, index) => {
      if (title === null || !seen.has(title)) {
        if (title !== null) seen.add(title)
        return []
      }
      return [validationProblems.duplicate_item.at(at(path(index)))]
    })
  }
  return [
    ...repeated(
      options.map((each) => each.title),
      (index) => `options[${index}].title`,
    ),
    ...options.flatMap((option, outer) =>
      repeated(
        option.values.map((each) => each.title),
        (index) => `options[${outer}].values[${index}].title`,
      ),
    ),
  ]
}

/** What new variants show of their product, and refer to. */
type Beside = {
  readonly options: readonly OptionParts[]
  readonly references: References
  readonly categories: readonly CategoryParts[]
}

/** The variants of a new product, their rows and sale offers, in the order written; each combination of values once. */
function newVariants(
  context: WriteContext,
  productId: string,
  written: readonly InlineVariant[],
  { options, references, categories }: Beside,
  at: (path: string) => string,
) {
  const violations: Violation[] = []
  const taken = new Set<string>()
  if (options.length === 0 && written.length > 1)
    violations.push(productProblems.options_required.at(at('variants[1]')))
  const made = written.map((values, position) => {
    const path = at(`variants[${position}].optionValues`)
    const choices = values.optionValues ?? []
    const resolved = resolveOptionValues(options, choices, context.locale, path)
    violations.push(...resolved.violations)
    const combination = combinationOf(resolved.ids)
    if (resolved.violations.length === 0 && options.length > 0 && taken.has(combination)) {
      violations.push(validationProblems.duplicate_item.at(path))
    }
    taken.add(combination)
    const state = created(variant, { ...values, status: 'ACTIVE' }, context.locale)
    const { fields } = state.values
    const inVariant = (each: string) => at(`variants[${position}].${each}`)
    violations.push(
      ...customFieldViolations({ fields: values.fields, before: null, after: state }, references, inVariant),
    )
    const metaobjects = metaobjectsOf(fields, references.metaobjects)
    const identity = { id: uuidv7(), productId, optionValueIds: resolved.ids, position, metaobjects }
    const parts = variantParts(identity, state)
    const { id } = identity
    const owner = { id, iri: variantIri(productId, id), ownerId: productId, ownerIri: productIri(productId) }
    const offers = newSaleOffers(context, values.saleOffers ?? [], { ...owner, categories })
    const row = { ...variantRow(parts, state.values), saleOfferCount: countOffers(offers) }
    return { parts, row, offers }
  })
  return {
    variants: made.map((each) => each.parts),
    saleOffers: made.flatMap((each) => each.offers),
    rows: { variants: made.map((each) => each.row) },
    violations,
  }
}

/** A new product, and what only its rows and events tell. */
export type NewProduct = {
  readonly parts: ProductParts
  readonly saleOffers: readonly NewSaleOffer[]
  readonly state: State<typeof shape>
  readonly categoryIds: readonly string[]
  /** The channels that it gets when it is restored, if it is created archived. */
  readonly archivedChannels: readonly string[]
  readonly events: readonly Change[]
  /** The rows of what it owns. */
  readonly rows: ReturnType<typeof newOptions>['rows'] & ReturnType<typeof newVariants>['rows']
}

/** What a new product refers to, as it was read. */
type EventContext = {
  readonly categories: ReadonlyMap<string, CategoryParts>
  /** The collections that there are among those that it names. */
  readonly collections: ReadonlySet<string>
  readonly references: References
  readonly rules: TenantRules
}

/** Makes a new product of a written one, and tells what its references and embedded rows have wrong. */
function newProductOf(
  context: WriteContext,
  id: string,
  body: BodyOf<typeof shape>,
  { categories, collections, references, rules }: EventContext,
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
  violations.push(...repeatedTitles(options, at), ...sizeViolations(weightOfOptions(options), at('options')))
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
  const title = defaultText(state, 'title', tenant.locales) ?? ''
  const subject = subjectOf(state, { title, createdAt: instantOf(context.now), categoryIds })
  const placing = resolveCollections(
    collectionsInput(body),
    { current: [], subject, existing: collections, rules },
    at,
  )
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
  const events = creationEvents(parts, saleOffers, state, locale.requested)
  const rows = { ...optionRows, ...variantRows }
  const archivedChannels = archived ? (body.channels ?? []) : []
  return {
    addition: { parts, saleOffers, state, categoryIds, archivedChannels, events, rows },
    violations,
  }
}

/** A product as it was asked for. */
export type RequestedProduct = {
  readonly id: string
  readonly body: BodyOf<typeof shape>
  readonly wanted: RequestedNames
  /** Places what is wrong with it in the request. */
  readonly at: (path: string) => string
}

type Found = EventContext & {
  readonly taken: readonly Taken[]
  /** The external ids among those of its sale offers that others have. */
  readonly claims: Set<string>
}

/** The sale offers that the variants of a product are written with. */
export function writtenOffers({ body, at }: Pick<RequestedProduct, 'body' | 'at'>): OfferList[] {
  return (body.variants ?? []).map(({ saleOffers }, index) => ({
    path: at(`variants[${index}].saleOffers`),
    offers: saleOffers ?? [],
  }))
}

/** The products that a request makes; `crowded` where others keep taking the derived handles. @throws Problem 409, 422 */
export function newProductsOf(
  context: WriteContext,
  asked: readonly RequestedProduct[],
  { taken, claims, ...surroundings }: Found,
  crowded: boolean,
): NewProduct[] {
  const live = namesTaken(taken)
  const decided = asked.map(({ id, body, wanted: { title, handle: given }, at }) => {
    const priced = writtenOffers({ body, at }).filter(({ offers }) => offers.length > 0)
    // An archived product holds no name that a live one could miss.
    const seen = body.status === 'ARCHIVED' ? namesTaken([]) : live
    const conflicts =
      given !== null && seen.handle.has(given)
        ? [productProblems.handle_taken.at(at('handle'), { handle: given })]
        : []
    const handle = given ?? derivedHandle(title, seen.handle, id, crowded)
    seen.handle.add(handle)
    const { addition, violations } = newProductOf(context, id, { ...body, handle }, surroundings, at)
    const closed =
      body.status === 'ARCHIVED' ? priced.map(({ path }) => productProblems.archived.at(path)) : []
    return {
      addition,
      violations,
      conflicts: [
        ...conflicts,
        ...conflictsOf(body, seen, at),
        ...closed,
        ...claimExternalIds(priced, claims),
      ],
    }
  })
  throwViolations(decided.flatMap((each) => each.violations))
  throwViolations(decided.flatMap((each) => each.conflicts))
  return decided.map((each) => each.addition)
}
