/** Decides what an upsert changes below a product: which rows it finds, and which it creates, changes, archives or deletes. */

import { uuidv7 } from 'uuidv7'
import type * as z from 'zod'
import { readWholeBody, type SentRow } from '../../core/body.ts'
import type { Json } from '../../core/json.ts'
import type { BodyOf, Context } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { type Change, deletionOf, type LockedRow } from '../../core/plan.ts'
import { Problem, type Violation } from '../../core/problem.ts'
import type { Shape } from '../../core/schema.ts'
import { patchTexts, stateOf } from '../../core/state.ts'
import { type Path, pathText, violationsOf } from '../../core/violations.ts'
import type { References } from '../fields/custom-fields.ts'
import type { Offer, OfferParts } from '../offers/document.ts'
import type { Target } from '../offers/read.ts'
import { changedOffer, faultsOfNewOffers, throwFaults, writtenChange } from '../offers/write.ts'
import {
  type ChildParts,
  type ChildType,
  childChange,
  optionChildType,
  optionValueKind,
  valueChildType,
} from '../product-options/child-types.ts'
import {
  type OptionParts,
  sizeViolations,
  titlesOf,
  type ValueParts,
  weightOfOptions,
} from '../product-options/document.ts'
import { inlineOption, inlineValue } from '../product-options/schema.ts'
import { countOffers, newSaleOffers, saleOfferEvent } from '../sale-offers/inline.ts'
import { saleOfferKind } from '../sale-offers/kind.ts'
import { inlineSaleOffer } from '../sale-offers/schema.ts'
import { type NamesInUse, namesInUse, type TakenName } from '../shared/names.ts'
import { restoring } from '../shared/ordinary-operations.ts'
import { combinationOf, resolveOptionValues } from '../variants/combination.ts'
import type { VariantParts } from '../variants/document.ts'
import { changeEvent, variantRow } from '../variants/row.ts'
import { codesOf, decideChange, draftVariant } from '../variants/rules.ts'
import { inlineShape, maximumVariants, variant, variantIri } from '../variants/schema.ts'
import type { ProductParts } from './document.ts'
import { newOption, newValue } from './new-product.ts'
import { optionValueProblems, productOptionProblems, productProblems, variantProblems } from './problems.ts'
import { productIri, type upsertedProduct } from './schema.ts'

type Body = BodyOf<typeof upsertedProduct>
type SentVariant = NonNullable<Body['variants']>[number]
type SentOffer = NonNullable<SentVariant['patch']['saleOffers']>[number]

/** The rows of a product before an upsert. */
export type StoredRows = {
  /** With all options and active variants. */
  readonly product: ProductParts
  /** The newest first. */
  readonly archivedVariants: readonly VariantParts[]
  /** The live ones, then the archived ones that a row of the body may name, the newest first. */
  readonly offers: readonly Omit<OfferParts, 'categories'>[]
  /** The requested names that live rows have. */
  readonly names: readonly (TakenName & { readonly id: string })[]
  readonly offerNames: readonly TakenName[]
  readonly references: References
}

/** The changes below a product. */
export type RowsDecision = {
  readonly options: readonly OptionParts[]
  /** The active variants in their order. */
  readonly variants: readonly VariantParts[]
  readonly written: {
    readonly options: readonly OptionParts[]
    readonly values: readonly ValueParts[]
    /** Active variants, and those that the upsert archives. */
    readonly variants: readonly (ReturnType<typeof variantRow> & { readonly saleOfferCount?: number })[]
    readonly offers: readonly Offer[]
  }
  readonly deleted: { readonly options: readonly OptionParts[]; readonly values: readonly ValueParts[] }
  /** The ids of existing variants whose links to option values are written again. */
  readonly relinked: readonly string[]
  /** Whether codes change by which a search finds the product. */
  readonly changesCodes: boolean
  /** By how much the numbers of offers of existing variants change. */
  readonly offerCounts: ReadonlyMap<string, number>
  readonly guard: readonly LockedRow[]
  /** In an order in which a copy with foreign keys can apply them. */
  readonly changed: readonly Change[]
  readonly totals: { readonly option_values: number; readonly sale_offers: number }
}

/** Decides the changes of all rows that a body has. `faults` are those of the product itself. @throws Problem 422 with all violations, otherwise 409 with the conflicts */
export function decideRows(
  context: Context,
  stored: StoredRows,
  body: Pick<Body, 'options' | 'variants'>,
  archivesMissing: boolean,
  faults: Violation[],
): RowsDecision {
  const upsert: Upsert = {
    ...{ context, archivesMissing, faults, stored },
    names: namesInUse(stored.names),
    offerNames: namesInUse(stored.offerNames),
  }
  const options = decideOptions(upsert, body.options)
  const variants = decideVariants(upsert, body.variants, options.all)
  const deletedValues = [...options.values.deleted, ...options.deleted.flatMap(({ values }) => values)]
  const used = new Set(variants.variants.flatMap(({ optionValueIds }) => optionValueIds))
  if (options.deleted.some(({ values }) => values.some(({ id }) => used.has(id))))
    faults.push(productOptionProblems.in_use.at('options'))
  if (options.values.deleted.some(({ id }) => used.has(id)))
    faults.push(optionValueProblems.in_use.at('options'))
  throwFaults({
    violations: faults.filter(({ problem }) => problem.status !== 409),
    conflicts: faults.filter(({ problem }) => problem.status === 409),
  })
  const createdValues = options.values.written.filter(({ version }) => version === 0)
  return {
    options: options.all,
    variants: variants.variants,
    written: {
      options: options.written,
      values: options.values.written,
      variants: variants.rows,
      offers: variants.offers,
    },
    deleted: { options: options.deleted, values: options.values.deleted },
    relinked: variants.relinked,
    changesCodes: variants.changesCodes,
    offerCounts: variants.offerCounts,
    guard: [...options.guard, ...options.values.guard, ...variants.guard],
    changed: [
      ...options.changed,
      ...options.values.changed,
      ...variants.changed,
      ...options.values.deletions,
      ...options.deletions,
    ],
    totals: {
      option_values: createdValues.length - deletedValues.length,
      sale_offers:
        variants.newOffers + [...variants.offerCounts.values()].reduce((sum, count) => sum + count, 0),
    },
  }
}

type Upsert = {
  readonly context: Context
  readonly archivesMissing: boolean
  /** Collects the violations and conflicts. */
  readonly faults: Violation[]
  /** The names of options and values. */
  readonly names: NamesInUse
  readonly offerNames: NamesInUse
  readonly stored: StoredRows
}

/** Runs a decision, and collects its violations, of which `base` is the path. Returns null if it has any. */
export function collected<Result>(
  { faults }: Pick<Upsert, 'faults'>,
  base: Path,
  run: () => Result,
): Result | null {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Problem && error.extras.violations)) throw error
    const prefix = pathText(base)
    const at = (path: string) => (prefix === '' || path === '' ? `${prefix}${path}` : `${prefix}.${path}`)
    faults.push(
      ...error.extras.violations.map((fault) => ({ ...fault, propertyPath: at(fault.propertyPath) })),
    )
    return null
  }
}

/** The keys of a row by which an upsert finds it: the external id first. A key may have several texts. */
type Keys = readonly (readonly string[])[]

/**
 * Finds the stored rows of the rows of a body, each at most once: all by their first key, then the others by the next one. A row that
 * another external id identifies is not found by its other keys.
 */
function findRows<Stored>(
  stored: readonly (readonly [Stored, Keys])[],
  sent: readonly Keys[],
): (Stored | null)[] {
  const found: (Stored | null)[] = sent.map(() => null)
  const free = new Map(stored)
  const levels = Math.max(0, ...sent.map((keys) => keys.length))
  for (let level = 0; level < levels; level += 1) {
    const byKey = Map.groupBy(
      stored.flatMap(([row, keys]) => (keys[level] ?? []).map((key) => [key, row] as const)),
      ([key]) => key,
    )
    for (const [index, keys] of sent.entries()) {
      if (found[index]) continue
      const [externalId] = keys[0] ?? []
      const rows = (keys[level] ?? []).flatMap((key) => byKey.get(key) ?? [])
      const match = rows.find(([, row]) => {
        const [other] = free.get(row)?.[0] ?? []
        return (
          free.has(row) &&
          (level === 0 || externalId === undefined || other === undefined || other === externalId)
        )
      })
      if (!match) continue
      found[index] = match[1]
      free.delete(match[1])
    }
  }
  return found
}

const keyOf = (text: unknown): string[] => (typeof text === 'string' ? [text] : [])

/** The options or values of one parent after an upsert. */
type Children<Parts> = {
  /** In their order. */
  readonly all: readonly Parts[]
  readonly written: readonly Parts[]
  readonly deleted: readonly Parts[]
  readonly guard: readonly LockedRow[]
  readonly changed: readonly Change[]
  /** The events of the deleted rows. */
  readonly deletions: readonly Change[]
  /** The row of the body by the id of the option or value that it changes. */
  readonly sentById: ReadonlyMap<string, SentChild>
}

type SentChild = { readonly patch: BodyOf<Shape>; readonly path: Path }
type Created<Parts> = { readonly parts: Parts; readonly events: readonly Change[] }

/** Decides the options of a product, or the values of an option. `create` builds a new one. */
function decideChildren<Parts extends ChildParts>(
  upsert: Upsert,
  type: ChildType<Parts>,
  {
    siblings,
    sent: sentRows,
    path,
    nameKind,
  }: {
    readonly siblings: readonly Parts[]
    readonly sent: readonly SentRow<Shape>[] | null | undefined
    readonly path: Path
    readonly nameKind: 'optionExternalId' | 'valueExternalId'
  },
  create: (input: Json, path: Path, position: number) => Created<Parts> | null,
): Children<Parts> {
  const {
    context,
    archivesMissing,
    faults,
    stored: { product },
  } = upsert
  const { kind, problems } = type
  const sent = sentRows ?? []
  const states = new Map(siblings.map((child) => [child, stateOf(kind.shape, child)]))
  const found = findRows(
    siblings.map((child) => [
      child,
      [keyOf(states.get(child)?.values.externalId), titlesOf(child, context.locale)],
    ]),
    sent.map(({ patch }) => [keyOf(patch.externalId), keyOf(patch.title)]),
  )
  const rowOf = new Map(found.flatMap((child, index) => (child ? [[child, index]] : [])))
  const deleted =
    archivesMissing && sentRows !== undefined ? siblings.filter((child) => !rowOf.has(child)) : []
  const remaining = siblings.filter((child) => !deleted.includes(child))
  const written: { parts: Parts; path: Path }[] = []
  const [guard, changed]: [LockedRow[], Change[]] = [[], []]
  const sentById = new Map<string, SentChild>()
  const changedRows = remaining.map((child, position) => {
    const index = rowOf.get(child)
    const row = index === undefined ? undefined : sent[index]
    const state = states.get(child)
    if (index === undefined || !row || !state) return { ...child, position }
    const at = [...path, index]
    sentById.set(child.id, { patch: row.patch, path: at })
    const textUpdate = patchTexts(kind.shape, row.patch, context.locale)
    const { state: after, violations } = textUpdate.apply(state)
    faults.push(
      ...violations.map((fault) => ({ ...fault, propertyPath: `${pathText(at)}.${fault.propertyPath}` })),
    )
    if (sameJson(state, after)) return { ...child, position }
    const parts = collected(upsert, at, () => type.parts(context, { ...child, position }, after)) ?? child
    written.push({ parts, path: at })
    guard.push({ kind: kind.name, id: child.id, version: child.version })
    const sides = [
      { parts: child, state },
      { parts, state: after },
    ] as const
    changed.push(childChange(type, context, product.id, sides, textUpdate))
    return parts
  })
  const all: Parts[] = [...changedRows]
  for (const [index, { input, patch }] of sent.entries()) {
    const at = [...path, index]
    const created = found[index] ? null : create(input, at, all.length)
    if (!created) continue
    all.push(created.parts)
    sentById.set(created.parts.id, { patch, path: at })
    written.push({ parts: created.parts, path: at })
    changed.push(...created.events)
  }
  if (all.length > Math.max(type.maximum, siblings.length))
    faults.push(problems.limit.at(pathText(path), { maximum: type.maximum }))
  for (const { parts, path: at } of written) {
    const { title, id } = parts
    const place = (name: string) => `${pathText(at)}.${name}`
    if (title !== null && all.some((child) => child.id !== id && child.title === title))
      faults.push(problems.title_taken.at(place('title'), { title }))
    const { externalId } = stateOf(kind.shape, parts).values
    const before = siblings.find((child) => child.id === id)
    if (before && states.get(before)?.values.externalId === externalId) continue
    const problem = { externalId: problems.external_id_taken }
    faults.push(...upsert.names.reserveAll({ externalId }, problem, place, { externalId: nameKind }))
  }
  return {
    all,
    written: written.map(({ parts }) => parts),
    deleted,
    guard,
    changed,
    deletions: deleted.flatMap((child) => [
      childChange(type, context, product.id, [{ parts: child, state: stateOf(kind.shape, child) }, null]),
      ...type
        .valuesOf(child)
        .filter((value) => value.id !== child.id)
        .map((value) => deletionOf(optionValueKind, value, JSON.stringify(value), product.id)),
    ]),
    sentById,
  }
}

type Options = Children<OptionParts> & { readonly values: Omit<Children<ValueParts>, 'all' | 'sentById'> }

function decideOptions(upsert: Upsert, sent: Body['options']): Options {
  const { context, faults, stored } = upsert
  const { product } = stored
  const options = decideChildren(
    upsert,
    optionChildType,
    { siblings: product.options, sent, path: ['options'], nameKind: 'optionExternalId' },
    (input, path, position) => {
      const inline = parsed(upsert, inlineOption, input, path)
      if (!inline) return null
      // Its values are created like those of other options.
      const { parts, events } = newOption(context, product.id, { ...inline, values: [] }, position)
      return { parts, events }
    },
  )
  const lists = options.all.map((option) => {
    const { patch, path = [] } = options.sentById.get(option.id) ?? {}
    return decideChildren(
      upsert,
      valueChildType,
      {
        siblings: option.values,
        sent: patch?.values as typeof sent,
        path: [...path, 'values'],
        nameKind: 'valueExternalId',
      },
      (input, at, position) => {
        const inline = parsed(upsert, inlineValue, input, at)
        if (!inline) return null
        const ids = { productId: product.id, optionId: option.id }
        const { parts, event } = newValue(context, ids, inline, position)
        return { parts, events: [event] }
      },
    )
  })
  const all = options.all.map((option, index) => {
    const values = lists[index]?.all ?? []
    return { ...option, values, valuesTotal: values.length }
  })
  if (sent) faults.push(...sizeViolations(weightOfOptions(all), 'options'))
  return {
    ...options,
    all,
    values: {
      written: lists.flatMap(({ written }) => written),
      deleted: lists.flatMap(({ deleted }) => deleted),
      guard: lists.flatMap(({ guard }) => guard),
      changed: lists.flatMap(({ changed }) => changed),
      deletions: lists.flatMap(({ deletions }) => deletions),
    },
  }
}

/** Parses a new row of a body, and collects its violations. */
function parsed<Schema extends z.ZodType>(
  { faults }: Upsert,
  schema: Schema,
  input: Json,
  path: Path,
): z.output<Schema> | null {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  faults.push(...violationsOf(result.error, path))
  return null
}

type Variants = Pick<
  RowsDecision,
  'variants' | 'relinked' | 'changesCodes' | 'offerCounts' | 'guard' | 'changed'
> & {
  readonly rows: RowsDecision['written']['variants']
  readonly offers: readonly Offer[]
  /** The number of offers of new variants. */
  readonly newOffers: number
}

type Decided = NonNullable<ReturnType<typeof decideChange>>
type Draft = ReturnType<typeof draftVariant>

/** Decides the variants of a product with its options after the upsert, and their sale offers. */
function decideVariants(upsert: Upsert, sent: Body['variants'], options: readonly OptionParts[]): Variants {
  const { context, faults, stored } = upsert
  const product = { ...stored.product, options }
  const rows = sent ?? []
  const found = findVariants(upsert, rows, options)
  const pathOf = (index: number): Path => ['variants', index]
  // The number of variants and their names are checked below, for all of them.
  const inputs = {
    product: { ...product, variantsTotal: 0 },
    takenNames: [],
    references: stored.references,
  }
  const decided = rows.map(({ patch }, index) => {
    const current = found[index]
    if (!current) return null
    const { saleOffers: _, ...members } = patch
    const body = restoring(members, current.status)
    return collected(upsert, pathOf(index), () => decideChange(context, { ...inputs, current }, body))
  })
  const isFound = new Set(found)
  const missing =
    sent !== undefined && upsert.archivesMissing ? product.variants.filter((row) => !isFound.has(row)) : []
  const archived = [
    ...decided.filter((decision) => decision?.after.status === 'ARCHIVED'),
    ...missing.map((current) => decideChange(context, { ...inputs, current }, { status: 'ARCHIVED' })),
  ].filter((decision) => decision !== null)
  const archivedIds = new Set(archived.map(({ current }) => current.id))
  const decisionsById = new Map(
    decided.flatMap((decision) => (decision ? [[decision.current.id, decision]] : [])),
  )
  const active: VariantParts[] = product.variants
    .filter(({ id }) => !archivedIds.has(id))
    .map((row, position) => ({ ...(decisionsById.get(row.id)?.after ?? row), position }))
  const drafts = new Map<number, Draft>()
  for (const [index, { input }] of rows.entries()) {
    const decision = decided[index]
    const position = active.length
    if (decision?.current.status === 'ARCHIVED' && decision.after.status === 'ACTIVE')
      active.push({ ...decision.after, position })
    if (found[index]) continue
    const path = pathOf(index)
    const body = collected(upsert, [], () => readWholeBody(input, inlineShape, path))
    if (!body) continue
    const identity = { id: uuidv7(), productId: product.id, position }
    const at = (name: string) => pathText([...path, name])
    const draft = draftVariant(context, product, identity, body, stored.references, at)
    faults.push(...draft.violations)
    drafts.set(index, draft)
    active.push(draft.parts)
  }
  if (active.length > product.variants.length) {
    if (active.length > maximumVariants)
      faults.push(variantProblems.limit.at('variants', { maximum: maximumVariants }))
    if (options.length === 0 && active.length > 1)
      faults.push(productProblems.options_required.at('variants'))
  }
  const activeById = new Map(active.map((row) => [row.id, row]))
  const changes = [
    ...archived,
    ...decided.flatMap((decision) => {
      const after = decision && activeById.get(decision.current.id)
      return after ? [{ ...decision, after }] : []
    }),
  ]
  const indexes = new Map(found.map((row, index) => [row?.id, index]))
  reserveNames(upsert, { changes, drafts, archivedIds, indexes })
  reportCombinations(upsert, { active, changes, drafts, indexes })
  const offers = rows.map(({ patch }, index) => {
    const row = found[index]
    const path = [...pathOf(index), 'saleOffers']
    return row && patch.saleOffers !== undefined
      ? decideOffers(upsert, row, activeById.has(row.id), patch.saleOffers ?? [], path)
      : noOffers
  })
  const newOffers = [...drafts.values()].flatMap((draft) => draft.saleOffers)
  return {
    variants: active,
    rows: [
      ...changes.map(({ after, state }) => variantRow(after, state.values)),
      ...[...drafts.values()].map(({ parts, state, saleOffers }) => ({
        ...variantRow(parts, state.values),
        saleOfferCount: countOffers(saleOffers),
      })),
    ],
    relinked: changes
      .filter(
        ({ current, after }) =>
          current.status !== after.status || !sameJson(current.optionValueIds, after.optionValueIds),
      )
      .map(({ after }) => after.id),
    changesCodes:
      changes.some(({ before, state }) => !sameJson(codesOf(before), codesOf(state))) ||
      [...drafts.values()].some(({ state: { values } }) => values.sku !== null || values.barcode !== null),
    offers: [...offers.flatMap((each) => each.written), ...newOffers],
    newOffers: countOffers(newOffers),
    offerCounts: new Map(offers.flatMap(({ variantId, count }) => (count === 0 ? [] : [[variantId, count]]))),
    guard: [
      ...changes.map(({ current }) => ({ kind: 'variants', id: current.id, version: current.version })),
      ...offers.flatMap((each) => each.guard),
    ],
    changed: [
      ...changes.map(({ current, before, after, state }) =>
        changeEvent(
          { parts: current, state: before },
          { parts: after, state },
          after.status === 'ARCHIVED' && current.status !== 'ARCHIVED',
        ),
      ),
      ...[...drafts.values()].flatMap((draft) => [
        changeEvent(null, draft),
        ...draft.saleOffers.map(saleOfferEvent),
      ]),
      ...offers.flatMap((each) => each.changed),
    ],
  }
}

/** Finds the variants of a body: by external id, then by SKU, then by option values, then by those without options that the body adds. */
function findVariants(
  { context: { locale }, stored }: Upsert,
  sent: readonly SentVariant[],
  options: readonly OptionParts[],
): (VariantParts | null)[] {
  if (sent.length === 0) return []
  const known = new Set(stored.product.options.map(({ id }) => id))
  const added = new Set(
    options.filter(({ id }) => !known.has(id)).flatMap(({ values }) => values.map(({ id }) => id)),
  )
  return findRows(
    [...stored.product.variants, ...stored.archivedVariants].map((row) => {
      const { externalId, sku } = stateOf(variant, row).values
      const combination = [combinationOf(row.optionValueIds)]
      return [row, [keyOf(externalId), keyOf(sku), combination, row.status === 'ACTIVE' ? combination : []]]
    }),
    sent.map(({ patch: { externalId, sku, optionValues } }) => {
      const { ids, violations } = resolveOptionValues(options, optionValues ?? [], locale, '')
      const isNamed = violations.length === 0 && (options.length === 0 || optionValues !== undefined)
      const older = added.size > 0 ? [combinationOf(ids.filter((id) => !added.has(id)))] : []
      return [keyOf(externalId), keyOf(sku), isNamed ? [combinationOf(ids)] : [], isNamed ? older : []]
    }),
  )
}

type WrittenVariants = {
  readonly changes: readonly Decided[]
  readonly drafts: ReadonlyMap<number, Draft>
  /** The indexes in the body, by the id of the variant that the row finds. */
  readonly indexes: ReadonlyMap<string | undefined, number>
}

/** Reserves the new names of variants. Those that the request archives free theirs. */
function reserveNames(
  { stored, faults }: Upsert,
  { changes, drafts, indexes, archivedIds }: WrittenVariants & { readonly archivedIds: ReadonlySet<string> },
): void {
  const names = namesInUse(stored.names.filter(({ id }) => !archivedIds.has(id)))
  const problems = { sku: variantProblems.sku_taken, externalId: variantProblems.external_id_taken }
  const reserve = (values: Readonly<Record<string, unknown>>, index = 0) => {
    const at = (name: string) => pathText(['variants', index, name])
    faults.push(...names.reserveAll(values, problems, at, { externalId: 'variantExternalId' }))
  }
  for (const { current, before, after, state } of changes) {
    if (after.status !== 'ACTIVE') continue
    const { sku, externalId } = state.values
    const isRestored = current.status !== 'ACTIVE'
    const newNames = {
      sku: isRestored || sku !== before.values.sku ? sku : null,
      externalId: isRestored || externalId !== before.values.externalId ? externalId : null,
    }
    reserve(newNames, indexes.get(current.id))
  }
  for (const [index, { state }] of drafts) reserve(state.values, index)
}

/** Reports the written variants that have the option values of another one. */
function reportCombinations(
  { faults }: Upsert,
  { active, changes, drafts, indexes }: WrittenVariants & { readonly active: readonly VariantParts[] },
): void {
  const counts = Map.groupBy(active, ({ optionValueIds }) => combinationOf(optionValueIds))
  const report = ({ optionValueIds }: VariantParts, index = 0) => {
    if ((counts.get(combinationOf(optionValueIds))?.length ?? 0) > 1)
      faults.push(variantProblems.combination_exists.at(pathText(['variants', index, 'optionValues'])))
  }
  for (const { current, after } of changes)
    if (after.status === 'ACTIVE') report(after, indexes.get(current.id))
  for (const [index, { parts, hasOptionValues }] of drafts) if (hasOptionValues) report(parts, index)
}

/** The changed and new sale offers of an existing variant. */
type Offers = {
  readonly variantId: string
  readonly written: readonly Offer[]
  readonly guard: readonly LockedRow[]
  readonly changed: readonly Change[]
  /** By how much the number of offers changes. */
  readonly count: number
}

const noOffers: Offers = { variantId: '', written: [], guard: [], changed: [], count: 0 }

/** Decides the sale offers of an existing variant. */
function decideOffers(
  upsert: Upsert,
  owner: VariantParts,
  isActive: boolean,
  sent: readonly SentOffer[],
  path: Path,
): Offers {
  const { context, faults, stored, archivesMissing, offerNames } = upsert
  const { id: variantId, productId } = owner
  const { categories } = stored.product
  const offers = stored.offers
    .filter((offer) => offer.variantId === variantId)
    .map((offer) => ({ ...offer, categories }))
  const found = findRows(
    offers.map((offer) => {
      const { values } = stateOf(saleOfferKind.shape, offer)
      return [offer, [keyOf(values.externalId), [termsKey(values)]]]
    }),
    sent.map(({ patch }) => [keyOf(patch.externalId), [termsKey(patch)]]),
  )
  const written: Offer[] = []
  const guard: LockedRow[] = []
  const changed: Change[] = []
  let count = 0
  const storedCount = offers.filter(({ status }) => status !== 'ARCHIVED').length
  const target = (): Target => ({
    id: variantId,
    productId,
    status: isActive ? 'ACTIVE' : 'ARCHIVED',
    productArchived: false,
    offers: storedCount + count,
  })
  const change = (offer: OfferParts, body: SentOffer['patch'], at: (name: string) => string) => {
    const decision = changedOffer(saleOfferKind, { offer, target: target() }, body, context.locale, at)
    faults.push(...decision.violations)
    if (decision.isUnchanged || decision.violations.length > 0) return
    const { externalId } = decision.values
    const isReserved = decision.transition === 'restore' || externalId !== decision.before.externalId
    const problem = { externalId: saleOfferKind.problems.external_id_taken }
    faults.push(
      ...decision.conflicts,
      ...(isReserved ? offerNames.reserveAll({ externalId }, problem, at) : []),
    )
    const result = writtenChange(saleOfferKind, context, offer, decision)
    count += result.countChange
    written.push(result.after)
    changed.push(result.changed)
    guard.push({ kind: 'sale_offers', id: offer.id, version: offer.version })
  }
  const create = (input: Json, index: number) => {
    const body = collected(upsert, [], () => readWholeBody(input, inlineSaleOffer, [...path, index]))
    const [offer] = newSaleOffers(context, body ? [body] : [], {
      id: variantId,
      iri: variantIri(productId, variantId),
      ownerId: productId,
      ownerIri: productIri(productId),
      categories,
    })
    if (!offer) return
    const { parts, values } = offer
    const at = (name: string) => pathText([...path, index, name])
    const request = {
      id: parts.id,
      variant: { id: variantId, ownerId: productId },
      values,
      violations: [],
      at,
    }
    const { violations, conflicts } = faultsOfNewOffers(saleOfferKind, [request], [target()], offerNames)
    faults.push(...violations, ...conflicts)
    count += countOffers([offer])
    written.push(offer)
    changed.push(saleOfferEvent(offer))
  }
  for (const [index, { patch, input }] of sent.entries()) {
    const offer = found[index]
    if (offer) change(offer, restoring(patch, offer.status), (name) => pathText([...path, index, name]))
    else create(input, index)
  }
  const isFound = new Set(found)
  const missing = archivesMissing ? offers.filter((offer) => !isFound.has(offer)) : []
  for (const offer of missing)
    if (offer.status !== 'ARCHIVED') change(offer, { status: 'ARCHIVED' }, () => pathText(path))
  if (written.length > 0) guard.push({ kind: 'variants', id: variantId, version: null })
  return { variantId, written, guard, changed, count }
}

type Terms = Pick<
  SentOffer['patch'],
  'channel' | 'countries' | 'currency' | 'minQuantity' | 'validFrom' | 'validUntil'
>

/** The terms by which an upsert finds an offer without an external id, except for its countries. */
export function termsOf({ channel, currency, minQuantity, validFrom, validUntil }: Terms) {
  return [channel ?? null, currency ?? null, minQuantity ?? 1, validFrom ?? null, validUntil ?? null]
}

function termsKey(terms: Terms): string {
  return JSON.stringify([...termsOf(terms), (terms.countries ?? []).toSorted()])
}
