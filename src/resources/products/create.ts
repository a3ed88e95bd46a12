import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/handle.ts'
import { instantOf } from '../../core/instant.ts'
import { iri } from '../../core/iri.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { created, render, type State, standardText } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Changed, type Stamps, write } from '../../core/write.ts'
import { type Statement, statement } from '../../db/client.ts'
import { insertRows, texts, uuids } from '../../db/rows.ts'
import { assembleCategories, type CategoryParts, categoryStatements } from '../categories/index.ts'
import {
  readingRules,
  resortStatement,
  rulesGuard,
  type Sorting,
  sorted,
  sortingStatements,
  sortingTotals,
  type TenantRules,
  undecided,
} from '../collections/index.ts'
import {
  changesWithFields,
  fieldViolations,
  metaobjectsOf,
  type References,
  referencesIn,
  referencesStatement,
} from '../custom-fields/index.ts'
import {
  type InlineValue,
  optionValue,
  optionValues,
  type ValueParts,
  valueParts,
  valueRow,
} from '../option-values/index.ts'
import { optionValueProblems } from '../option-values/problems.ts'
import {
  type InlineOption,
  type OptionParts,
  optionParts,
  optionRow,
  productOption,
  productOptions,
} from '../product-options/index.ts'
import { productOptionProblems } from '../product-options/problems.ts'
import {
  combinationOf,
  type InlineVariant,
  type OptionValueChoice,
  resolveOptionValues,
  type VariantParts,
  variant,
  variantOptionValues,
  variantParts,
  variantRow,
  variants,
} from '../variants/index.ts'
import { variantProblems } from '../variants/problems.ts'
import { type ProductParts, productDocument } from './document.ts'
import { productProblems } from './problems.ts'
import { channelRows, membershipStatements, productRow, subjectOf, tagRows } from './rows.ts'
import { product as shape } from './schema.ts'
import { indexStatements } from './search.ts'
import { stampedProduct } from './stamped.ts'
import { embeddedOnItem } from './store.ts'
import { productChannels, products, productTags } from './table.ts'
import { eventDocument } from './touch.ts'

type Draft = ProductParts & {
  readonly state: State
  readonly categoryIds: readonly string[]
  readonly events: readonly Changed[]
}

/** Creates one product or up to fifty, each with its options, values and variants, all or nothing. */
export async function createProducts(context: Context, { bodies, bulk }: Input): Promise<Answer> {
  const ids = bodies.map(() => uuidv7())
  let tries = 0
  const { result, stamps, replayed } = await write<Json>(context, 'createProducts', async (read) => {
    tries += 1
    const wanted = bodies.map((body) => wantedOf(body))
    const categoryIds = [...new Set(wanted.flatMap((each) => each.categoryIds))]
    const reading = readingRules(context.tenant)
    const [taken, referred, [rulesRow], ...categoryRows] = (await read(
      takenStatement(wanted),
      referencesStatement(bodies.flatMap(writtenFieldsOf)),
      reading.statement,
      ...categoryStatements(sql`select unnest(${uuids(categoryIds)})`, {
        locale: context.locale,
        expand: 0,
        translations: true,
      }),
    )) as [{ kind: string; value: string }[], unknown[], Parameters<typeof reading.rules>, ...unknown[][]]
    const references = referencesIn(referred)
    const rules = reading.rules(rulesRow)
    const categories = assembleCategories(categoryRows, { locale: context.locale, expand: 0 })
    const names = Map.groupBy(taken, (each) => each.kind)
    const isTaken = (kind: string) => new Set((names.get(kind) ?? []).map((each) => each.value))
    const live = namesTaken(isTaken)

    const violations: Violation[] = []
    const conflicts: Violation[] = []
    const drafts = bodies.map((body, index) => {
      const at = (path: string) => (bulk ? `[${index}].${path}` : path)
      // An archived product holds no name that a live one could miss.
      const seen = body.status === 'ARCHIVED' ? namesTaken(() => new Set()) : live
      const { title, handle: given } = wanted[index]!
      if (given !== null && seen.handle.has(given))
        conflicts.push(productProblems.handle_taken.at(at('handle'), { handle: given }))
      const handle = given ?? derivedHandle(title, seen.handle, ids[index]!, tries > 2)
      seen.handle.add(handle)
      const draft = draftOf(context, ids[index]!, { ...body, handle }, { categories, references, rules }, at)
      violations.push(...draft.violations)
      conflicts.push(...conflictsOf(draft.draft, seen, at))
      return draft.draft
    })
    refuse(violations)
    refuse(conflicts)
    const sortings = drafts.map(sortingOf)
    return {
      guard: [rulesGuard(rules)],
      statements: [
        ...statementsOf(context, drafts),
        ...sortingStatements(sortings),
        ...resortStatements(context, rules, drafts),
      ],
      changed: drafts.flatMap((each) => each.events),
      totals: {
        ...sortingTotals(sortings),
        products: drafts.filter((each) => each.status !== 'ARCHIVED').length,
        option_values: drafts.flatMap((each) => each.options.flatMap((option) => option.values)).length,
      },
      result: drafts.map(({ state: _, events: __, categoryIds: ___, ...parts }) => ({
        ...parts,
        variants: parts.variants.slice(0, embeddedOnItem),
      })) as unknown as Json,
      // A name taken between the two trips is found, and named, by reading again.
      refusals: {
        products_handle: 'again',
        products_external_id: 'again',
        variants_sku: 'again',
        variants_external_id: 'again',
        product_options_external_id: 'again',
        option_values_external_id: 'again',
        product_categories_category: 'again',
      },
    }
  })
  return answer(context, result as unknown as ProductParts[], stamps, bulk, replayed)
}

function answer(
  context: Context,
  made: readonly ProductParts[],
  stamps: Stamps,
  bulk: boolean,
  replayed: boolean,
): Answer {
  const stamped = made.map((each) => stampedProduct(each, stamps))
  const documents = stamped.map((each) => productDocument(each, context.locale))
  if (bulk) return { kind: 'collection', members: documents, total: documents.length, replayed }
  return { kind: 'item', document: documents[0]!, version: 1, location: iri.product(made[0]!.id), replayed }
}

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

function wantedOf(body: Readonly<Record<string, Json>>): Wanted {
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

/** The properties `fields` of a product and of its variants. */
function writtenFieldsOf({ fields, variants: inline }: Readonly<Record<string, Json>>): (Json | undefined)[] {
  return [fields, ...((inline as InlineVariant[] | undefined | null) ?? []).map((each) => each.fields)]
}

const standardHandle = 'product'

/** Where others race for the same names (`crowded`), one that ends in the id. */
function derivedHandle(title: string, taken: ReadonlySet<string>, id: string, crowded: boolean): string {
  const base = handleOf(title, standardHandle)
  return crowded ? ownHandle(base, id) : freeHandle(base, taken, id)
}

function takenStatement(wanted: readonly Wanted[]): Statement<{ kind: string; value: string }> {
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

function namesTaken(isTaken: (kind: keyof NamesTaken) => Set<string>): NamesTaken {
  return {
    handle: isTaken('handle'),
    externalId: isTaken('externalId'),
    sku: isTaken('sku'),
    variantExternalId: isTaken('variantExternalId'),
    optionExternalId: isTaken('optionExternalId'),
    valueExternalId: isTaken('valueExternalId'),
  }
}

function conflictsOf(draft: Draft, seen: NamesTaken, at: (path: string) => string): Violation[] {
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

type Surroundings = {
  readonly categories: ReadonlyMap<string, CategoryParts>
  readonly references: References
  readonly rules: TenantRules
}

function draftOf(
  context: Context,
  id: string,
  body: Readonly<Record<string, Json>>,
  { categories, references, rules }: Surroundings,
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
  const options = ((body.options as InlineOption[] | null | undefined) ?? []).map((option, position) =>
    newOption(context, id, option, position),
  )
  violations.push(...repeatedTitles(options, at))
  const made = variantsOf(
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
        validationProblems.unknown_reference.at(at(`categories[${index}]`), { iri: iri.category(each) }),
      )
    }
  }
  const title = standardText(state, 'title', tenant.locales) ?? ''
  const subject = subjectOf(state, { title, createdAt: instantOf(context.now), categoryIds })
  const parts: ProductParts = {
    id,
    version: 0,
    createdAt: '',
    updatedAt: '',
    status: String(state.values.status),
    document: render(shape, { iri: iri.product(id), id }, state, tenant.locales),
    translations: state.translations,
    metaobjects: metaobjectsOf(state.values.fields, references.metaobjects),
    options,
    variants: made.parts,
    variantsTotal: made.parts.length,
    categories: categoryIds.flatMap((each) => categories.get(each) ?? []),
    collections: sorted([], subject, rules),
  }
  const creation = { version: 1, action: 'created' } as const
  const embeddedCreation = (
    kind: string,
    topic: string,
    row: Embedded,
    position: Readonly<Record<string, Json>>,
  ): Changed => ({
    ...creation,
    kind,
    id: row.id,
    topic,
    ownerId: id,
    document: JSON.stringify(row),
    changes: changesWithFields({}, { ...storedValues(row), ...position }),
  })
  // What is embedded comes before what embeds it, as in every later write: an event's document shows what came before it.
  const events: Changed[] = [
    ...options.flatMap((option) => [
      ...option.values.map((value) =>
        embeddedCreation('option_values', 'option_value/created', value, {
          option: iri.productOption(option.id),
          position: value.position,
        }),
      ),
      embeddedCreation(
        'product_options',
        'product_option/created',
        { ...option, values: [] } as OptionParts,
        {
          position: option.position,
        },
      ),
    ]),
    ...made.parts.map((each) =>
      embeddedCreation('variants', 'variant/created', each, {
        position: each.position,
        optionValues: each.optionValueIds.map(iri.optionValue),
      }),
    ),
    {
      ...creation,
      kind: 'products',
      id,
      topic: 'product/created',
      document: eventDocument(parts),
      changes: changesWithFields({}, {
        ...state.values,
        ...state.translations[locale.asked],
        categories: categoryIds.map(iri.category),
        ...(parts.collections.length > 0 ? { collections: parts.collections.map(iri.collection) } : {}),
      } as Json),
    },
  ]
  return { draft: { ...parts, state, categoryIds, events }, violations }
}

function sortingOf({ id, status, collections }: Draft): Sorting {
  const shown = status !== 'ARCHIVED'
  return { productId: id, before: [], after: collections, shownBefore: shown, shownAfter: shown }
}

/** Looks again at new products where a rule turns on the very time at which they are created. */
function resortStatements(context: Context, rules: TenantRules, drafts: readonly Draft[]): Statement[] {
  const ids = undecided(rules, context.now)
  const [first] = drafts.map((each) => each.id).toSorted()
  return ids.length > 0 && first ? [resortStatement(context, ids, first)] : []
}

type Embedded = OptionParts | ValueParts | VariantParts

/** The values in a row's stored document. */
function storedValues({ document }: Embedded): JsonObject {
  const { '@id': _, '@type': __, id: ___, fallbacks: ____, ...values } = JSON.parse(document) as JsonObject
  return values
}

function newOption(context: Context, productId: string, option: InlineOption, position: number): OptionParts {
  const id = uuidv7()
  const values = option.values.map((value, order) => newValue(context, id, value, order))
  const state = created(
    productOption,
    { title: option.title ?? null, externalId: option.externalId ?? null },
    context.locale,
  )
  return optionParts(context, { id, productId, position, values }, state)
}

function newValue(context: Context, optionId: string, value: InlineValue, position: number): ValueParts {
  const state = created(
    optionValue,
    { title: value.title, externalId: value.externalId ?? null },
    context.locale,
  )
  return valueParts(context, { id: uuidv7(), optionId, position }, state)
}

function repeatedTitles(options: readonly OptionParts[], at: (path: string) => string): Violation[] {
  const repeated = (titles: readonly (string | null)[], path: (index: number) => string) =>
    titles.flatMap((title, index) =>
      title !== null && titles.indexOf(title) < index
        ? [validationProblems.duplicate_item.at(at(path(index)))]
        : [],
    )
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

function variantsOf(
  context: Context,
  productId: string,
  written: readonly InlineVariant[],
  { options, references }: { options: readonly OptionParts[]; references: References },
  at: (path: string) => string,
): { parts: VariantParts[]; violations: Violation[] } {
  const violations: Violation[] = []
  const taken = new Set<string>()
  if (options.length === 0 && written.length > 1)
    violations.push(productProblems.options_required.at(at('variants[1]')))
  const parts = written.map((values, position) => {
    const path = at(`variants[${position}].optionValues`)
    const choices = (values.optionValues as unknown as OptionValueChoice[] | null | undefined) ?? []
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
      ...fieldViolations({ fields: values.fields, before: null, after: state }, references, inVariant),
    )
    const metaobjects = metaobjectsOf(fields, references.metaobjects)
    const identity = { id: uuidv7(), productId, optionValueIds: resolved.ids, position, metaobjects }
    return variantParts(identity, state)
  })
  return { parts, violations }
}

/** The insert statements of new products, one a table. */
function statementsOf(context: Context, drafts: readonly Draft[]): Statement[] {
  const owned = <Row>(rowsOf: (draft: Draft) => readonly Row[]) =>
    drafts.flatMap((each) =>
      rowsOf(each).map((row) => ({ ...row, productArchived: each.status === 'ARCHIVED' })),
    )
  const options = owned((each) => each.options.map(optionRow))
  const values = owned(({ id, options }) =>
    options.flatMap((option) => option.values.map((value) => valueRow(id, value))),
  )
  const variantRows = owned((each) => each.variants.map(variantRow))
  return [
    ...insertRows(
      products,
      drafts.map((each) => productRow(each, each.state, context.tenant.locales)),
    ),
    ...insertRows(
      productTags,
      drafts.flatMap((each) => tagRows(each.id, each.state.values.tags)),
    ),
    ...insertRows(
      productChannels,
      drafts.flatMap((each) => channelRows(each.id, each.state.values.channels)),
    ),
    ...insertRows(productOptions, options),
    ...insertRows(optionValues, values),
    ...insertRows(variants, variantRows),
    ...insertRows(
      variantOptionValues,
      variantRows.flatMap((row) =>
        row.optionValueIds.map((optionValueId) => ({ optionValueId, variantId: row.id })),
      ),
    ),
    ...membershipStatements(drafts.map((each) => ({ productId: each.id, categoryIds: each.categoryIds }))),
    ...indexStatements(drafts, context.tenant.locales),
  ]
}
