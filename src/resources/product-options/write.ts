import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import { uuidv7 } from 'uuidv7'
import type { Tenant } from '../../core/context.ts'
import type { Value } from '../../core/document.ts'
import type { JsonObject } from '../../core/json.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { type Change, deletionOf, type Plan, type Stamps, type Written, withStamps } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import type { Shape } from '../../core/schema.ts'
import {
  created,
  patchTexts,
  type State,
  stateOf,
  type TextUpdate,
  type Translated,
} from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireVersion, write } from '../../core/write.ts'
import type { Translations } from '../../db/columns.ts'
import { combineQueries, type DatabaseQuery, mapQuery, type Statement, statement } from '../../db/query.ts'
import { deleteRows, insertRows, reorder, textArray, updateRows } from '../../db/write-steps.ts'
import { type InProduct, type ProductParts, withoutVariants } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import { idOf, productQuery, productsQuery } from '../products/read.ts'
import { type Touch, touch } from '../products/row.ts'
import {
  type OptionParts,
  optionDocument,
  optionDocumentWithin,
  tooHeavy,
  type ValueParts,
  valueDocument,
  weightOf,
  weightOfOptions,
} from './document.ts'
import { optionValueProblems, productOptionProblems } from './problems.ts'
import { optionParts, optionRow, valueParts, valueRow } from './read.ts'
import {
  maximumOptions,
  maximumValues,
  optionValue,
  optionValueIri,
  productOption,
  productOptionIri,
} from './schema.ts'
import { optionValues, productOptions } from './table.ts'

/** The position that a written one comes to: absent, null, -1 and beyond the end are the end. */
function finalPosition(written: number | null | undefined, end: number): number {
  return written == null || written < 0 ? end : Math.min(written, end)
}

/** The external id of a state. */
export function externalIdOf({ values: { externalId } }: State): string | null {
  return typeof externalId === 'string' ? externalId : null
}

/** @throws 409 for a title that a sibling has, or an external id that another row has; null titles never collide */
function refuseTaken<Parts extends OwnedParts>(
  { problems }: Owned<Parts>,
  own: Parts,
  siblings: readonly Parts[],
  { externalIdTaken }: Pick<Owner, 'externalIdTaken'>,
  titlePath = 'title',
): void {
  const { title } = own
  const isTaken = title !== null && siblings.some((each) => each.id !== own.id && each.title === title)
  throwViolations([
    ...(isTaken ? [problems.title_taken.at(titlePath, { title })] : []),
    ...(externalIdTaken === null
      ? []
      : [problems.external_id_taken.at('externalId', { externalId: externalIdTaken })]),
  ])
}

/** The constraints by which a race for a name is lost: it is found, and named, by reading again. */
function races(kind: string): Readonly<Record<string, 'again'>> {
  return { [`${kind}_title`]: 'again', [`${kind}_external_id`]: 'again' }
}

/** @throws 422 where a product's options would weigh more than they may with one row written in the place of another */
function refuseTooHeavy(product: ProductParts, written: OwnedParts, before: OwnedParts | null): void {
  const others = weightOfOptions(product.options) - (before ? weightOf(before) : 0)
  throwViolations(tooHeavy(others + weightOf(written), ''))
}

type Side = { readonly state: State; readonly position: number } | null

/** The change of one as commit() takes it. */
export function changedOwned<Parts extends OwnedParts>(
  { kind, topic, shape, shown, kept }: Owned<Parts>,
  context: Context,
  { productId, parts, action }: { productId: string; parts: Parts; action: Change['action'] },
  [before, after]: readonly [Side, Side],
  rewrite: Pick<TextUpdate, 'shown'> = patchTexts(shape, {}, context.locale),
): Change {
  const view = (side: Side) =>
    side ? { ...rewrite.shown(side.state), ...shown(parts), position: side.position } : {}
  return {
    kind,
    id: parts.id,
    version: parts.version + 1,
    action,
    topic: `${topic}/${action}`,
    ownerId: productId,
    document: JSON.stringify(kept(parts)),
    changes: differencesBetween(view(before), view(after)),
  }
}

/** What is asked to change of one. */
export type RequestedChange = { readonly id: string; readonly body: OwnedBody; readonly rewrite: TextUpdate }

/** What was read to change one. */
type Found<Parts> = Family<Parts> & Owner & { readonly product: ProductParts }

/** A change that is allowed, with its states before and after. */
export type DecidedChange<Parts> = {
  readonly product: ProductParts
  readonly own: Parts
  readonly after: Parts
  readonly before: State
  readonly state: State
}

/** Decides what a change leaves; null where it changes nothing. @throws Problem 409, 422 */
export function decideChange<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: InLocales,
  { product, own, siblings, externalIdTaken }: Found<Parts>,
  { body, rewrite }: Pick<RequestedChange, 'body' | 'rewrite'>,
): DecidedChange<Parts> | null {
  const before = stateOf(owned.shape, own)
  const { state, violations } = rewrite.apply(before)
  throwViolations(violations)
  const position =
    body.position === undefined ? own.position : finalPosition(body.position, siblings.length - 1)
  if (sameJson(before, state) && position === own.position) return null
  const after = owned.parts(context, { ...own, position }, state)
  refuseTooHeavy(product, after, own)
  refuseTaken(owned, after, siblings, { externalIdTaken }, rewrite.path('title'))
  return { product, own, after, before, state }
}

/** The id of the product of a row. */
export function productOf(kind: string, id: string): SQL {
  return sql`(select product_id from ${sql.identifier(kind)} where tenant_id = current_tenant() and id = ${id}::uuid)`
}

/** The product of what is written, and what others have of its names. */
export type Owner = {
  readonly product: ProductParts | null
  /** The external id that is written, where another row has it. */
  readonly externalIdTaken: string | null
}

/** Reads a product to write to what it owns, and whether another row has the external id that is written to `id`. */
export function ownerQuery<Parts extends OwnedParts>(
  { kind }: Owned<Parts>,
  locale: Locale,
  productId: SQL,
  { id, body }: { readonly id: string; readonly body: OwnedBody },
): DatabaseQuery<Owner> {
  const wanted = textArray(body.externalId == null ? [] : [body.externalId])
  const reading = combineQueries({
    product: productQuery(productId, { locale, expand: 0, room: withoutVariants, translations: true }),
    taken: statement<{ externalId: string }>(sql`
      select external_id as "externalId" from ${sql.identifier(kind)} where tenant_id = current_tenant()
         and not product_archived and external_id = any(${wanted}) and id <> ${id}::uuid`),
  })
  return mapQuery(reading, ({ product, taken }) => ({
    product,
    externalIdTaken: taken[0]?.externalId ?? null,
  }))
}

/** Reads one. */
async function getOwned<Parts extends OwnedParts>(
  { kind, problems, find, document }: Owned<Parts>,
  { db, locale }: Context,
  id: string,
): Promise<Answer> {
  const { found } = await db.read({
    found: productsQuery(sql`array[${productOf(kind, id)}]`, { locale, expand: 0, room: withoutVariants }),
  })
  const {
    products: [product],
    sequence,
  } = found
  const own = product && find(product, id)?.own
  if (!own) throw problems.not_found({ id })
  return { kind: 'item', document: document(own, locale), version: own.version, sequence }
}

/** The answer to a write: the one that was written, as it left it. */
function ownedAnswer<Parts extends OwnedParts>(
  { stamped, document }: Owned<Parts>,
  context: Context,
  { result, stamps, replayed }: Written<Parts>,
): Answer & { kind: 'item' } {
  const own = stamped(result, stamps)
  return { kind: 'item', document: document(own, context.locale), version: own.version, replayed }
}

/** Merges a patch into one. */
async function patchOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, body }: { operation: string; id: string; body: OwnedBody },
): Promise<Answer> {
  const rewrite = patchTexts(owned.shape, body, context.locale)
  const written = await changeOwned(owned, context, operation, { id, body, rewrite })
  return ownedAnswer(owned, context, written)
}

/** Rewrites the texts of one. */
async function translateOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, rewrite }: { operation: string; id: string; rewrite: TextUpdate },
): Promise<Translated<Parts>> {
  const { result, stamps, replayed } = await changeOwned(owned, context, operation, { id, body: {}, rewrite })
  return { ...owned.stamped(result, stamps), replayed }
}

function changeOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  operation: string,
  asked: RequestedChange,
): Promise<Written<Parts>> {
  const productId = productOf(owned.kind, asked.id)
  return write<Parts>(context, operation, async (read) => {
    const { owner } = await read({ owner: ownerQuery(owned, context.locale, productId, asked) })
    const family = owner.product && owned.find(owner.product, asked.id)
    if (!owner.product || !family) throw owned.problems.not_found({ id: asked.id })
    requireVersion(context, family.own.version)
    const decided = decideChange(owned, context, { ...owner, ...family, product: owner.product }, asked)
    return decided ? changePlan(owned, context, decided, asked) : { unchanged: family.own }
  })
}

function changePlan<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { product, own, after, before, state }: DecidedChange<Parts>,
  { id, rewrite }: RequestedChange,
): Plan<Parts> {
  const { kind, table } = owned
  const touched = touch(product)
  const update = { productId: product.id, parts: after, action: 'updated' } as const
  const moments = [
    { state: before, position: own.position },
    { state, position: after.position },
  ] as const
  const moves = after.position !== own.position
  return {
    guard: [touched.guard, { kind, id, version: own.version }],
    statements: [
      ...owned.update(product.id, { ...after, position: own.position }, externalIdOf(state)),
      ...(moves ? [reorder(table, owned.owner(own), [id], after.position)] : []),
    ],
    changed: [changedOwned(owned, context, update, moments, rewrite), touched.changed],
    totals: {},
    result: after,
    refusals: races(kind),
  }
}

/** Where a new one goes. */
type Home<Parts> = {
  readonly product: ProductParts
  readonly siblings: readonly Parts[]
  /** What is wrong where there are as many siblings as there may be. */
  readonly full: Violation | null
  readonly parts: (id: string, position: number, state: State) => Parts
}

type Creation<Parts> = {
  readonly operation: string
  readonly productId: SQL
  readonly body: OwnedBody
  /** Finds the home in the product that was read; throws where there is none. */
  readonly home: (product: ProductParts | null) => Home<Parts>
  readonly totals?: Readonly<Record<string, number>>
}

/** Adds one to a product, in its place among its siblings. */
async function createOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  asked: Creation<Parts>,
): Promise<Answer> {
  const id = uuidv7()
  const { productId, body, totals = {} } = asked
  const written = await write<Parts>(context, asked.operation, async (read) => {
    const { owner } = await read({ owner: ownerQuery(owned, context.locale, productId, { id, body }) })
    return creationPlan(owned, context, decide(owned, context, owner, { ...asked, id }), totals)
  })
  const answer = ownedAnswer(owned, context, written)
  return { ...answer, location: owned.iri(written.result.id) }
}

/** A new one that is allowed, and how many siblings it comes among. */
type DecidedCreation<Parts> = {
  readonly product: ProductParts
  readonly touched: Touch
  readonly parts: Parts
  readonly state: State
  readonly end: number
}

/** Decides what a new one is. @throws Problem 404, 409, 422 */
function decide<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  owner: Owner,
  { id, body, home }: Pick<Creation<Parts>, 'body' | 'home'> & { readonly id: string },
): DecidedCreation<Parts> {
  const { product, siblings, full, parts: partsAt } = home(owner.product)
  const touched = touch(product)
  throwViolations(full ? [full] : [])
  const state = created(owned.shape, body, context.locale)
  const end = siblings.length
  const parts = partsAt(id, finalPosition(body.position, end), state)
  refuseTooHeavy(product, parts, null)
  refuseTaken(owned, parts, siblings, owner)
  return { product, touched, parts, state, end }
}

function creationPlan<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { product, touched, parts, state, end }: DecidedCreation<Parts>,
  totals: Readonly<Record<string, number>>,
): Plan<Parts> {
  const { id, position } = parts
  const creation = { productId: product.id, parts, action: 'created' } as const
  return {
    guard: [touched.guard],
    statements: [
      ...owned.insert(product.id, { ...parts, position: end }, externalIdOf(state)),
      ...(position < end ? [reorder(owned.table, owned.owner(parts), [id], position)] : []),
    ],
    changed: [changedOwned(owned, context, creation, [null, { state, position }]), touched.changed],
    totals,
    result: parts,
    refusals: races(owned.kind),
  }
}

type Gone = { readonly changed: readonly Change[]; readonly totals: Readonly<Record<string, number>> }

/** Deletes one, unless an active variant uses it; its siblings close up. `gone` tells what goes with it. */
async function deleteOwned<Parts extends OwnedParts>(
  owned: Owned<Parts>,
  context: Context,
  { operation, id, gone }: { operation: string; id: string; gone: (own: Parts) => Gone },
): Promise<Answer> {
  const { kind, shape, table, problems, find, owner } = owned
  const { replayed } = await write<null>(context, operation, async (read) => {
    const reading = { locale: context.locale, expand: 0, room: withoutVariants, translations: true }
    const { product } = await read({ product: productQuery(productOf(kind, id), reading) })
    const own = product && find(product, id)?.own
    if (!product || !own) throw problems.not_found({ id })
    requireVersion(context, own.version)
    const touched = touch(product)
    const { changed, totals } = gone(own)
    const deletion = { productId: product.id, parts: own, action: 'deleted' } as const
    const was = { state: stateOf(shape, own), position: own.position }
    return {
      guard: [touched.guard, { kind, id, version: own.version }],
      statements: [...deleteRows(table, [id]), reorder(table, owner(own))],
      changed: [changedOwned(owned, context, deletion, [was, null]), ...changed, touched.changed],
      totals,
      result: null,
      refusals: { variant_option_values_in_use: problems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}

/** The row of something that a product owns. Plain JSON. */
export type OwnedParts = {
  readonly id: string
  readonly document: string
  readonly translations: Translations | null
  /** In the tenant's default locale. */
  readonly title: string | null
  readonly position: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** In which locales documents are stored. */
export type InLocales = { readonly tenant: Pick<Tenant, 'locales'> }

/** What is written of something that a product owns. */
export type OwnedBody = {
  readonly title?: string | null
  readonly externalId?: string | null
  readonly position?: number | null
}

type NameProblem<Name extends string> = {
  at(path: string, values: Readonly<Record<Name, string>>): Violation
}

/** A kind of thing that a product owns: called by a title that no sibling has, in a place among its siblings. */
export type Owned<Parts extends OwnedParts> = {
  /** The kind of its events, and the name of its table. */
  readonly kind: 'product_options' | 'option_values'
  /** `product_option` of `product_option/created`. */
  readonly topic: string
  readonly shape: Shape
  readonly table: AnyPgTable
  readonly problems: {
    readonly not_found: (values: { id: string }) => Error
    readonly in_use: () => Error
    readonly title_taken: NameProblem<'title'>
    readonly external_id_taken: NameProblem<'externalId'>
  }
  readonly iri: (id: string) => string
  /** Finds one in its product, with its siblings, of which it is one. */
  readonly find: (product: ProductParts, id: string) => Family<Parts> | null
  /** All of them in a product. */
  readonly all: (product: ProductParts) => readonly Parts[]
  /** The id of what it has its place in. */
  readonly owner: (parts: Parts) => string
  /** The same with another state, and maybe another position. */
  readonly parts: (context: InLocales, identity: Parts, state: State) => Parts
  readonly insert: (productId: string, parts: Parts, externalId: string | null) => Statement[]
  readonly update: (productId: string, parts: Parts, externalId: string | null) => Statement[]
  /** What the audit trail compares beside the state and the position. */
  readonly shown: (parts: Parts) => JsonObject
  /** What an event keeps of it. */
  readonly kept: (parts: Parts) => Parts
  readonly stamped: (parts: Parts, stamps: Stamps) => Parts
  readonly document: (parts: Parts, locale: Locale) => Value
}

/** One of them, and its siblings, of which it is one. */
type Family<Parts> = { readonly own: Parts; readonly siblings: readonly Parts[] }

/** What options are among the things that a product owns. */
export const optionFamily: Owned<OptionParts> = {
  kind: 'product_options',
  topic: 'product_option',
  shape: productOption,
  table: productOptions,
  problems: productOptionProblems,
  iri: productOptionIri,
  find({ options }, id) {
    const own = options.find((each) => each.id === id)
    return own ? { own, siblings: options } : null
  },
  all: ({ options }) => options,
  owner: ({ productId }) => productId,
  parts: optionParts,
  insert: (_, parts, externalId) => insertRows(productOptions, [optionRow(parts, externalId)]),
  update: (_, parts, externalId) => updateRows(productOptions, [optionRow(parts, externalId)]),
  shown: () => ({}),
  kept: (parts) => ({ ...parts, values: [] }),
  stamped(parts, stamps) {
    return withStamps({ ...parts, values: parts.values.map((each) => withStamps(each, stamps)) }, stamps)
  },
  document: optionDocument,
}

/** What option values are among the things that a product owns. */
export const valueFamily: Owned<ValueParts> = {
  kind: 'option_values',
  topic: 'option_value',
  shape: optionValue,
  table: optionValues,
  problems: optionValueProblems,
  iri: optionValueIri,
  find({ options }, id) {
    for (const { values } of options) {
      const own = values.find((each) => each.id === id)
      if (own) return { own, siblings: values }
    }
    return null
  },
  all: ({ options }) => options.flatMap(({ values }) => values),
  owner: ({ optionId }) => optionId,
  parts: valueParts,
  insert: (productId, parts, externalId) =>
    insertRows(optionValues, [valueRow(productId, parts, externalId)]),
  update: (productId, parts, externalId) =>
    updateRows(optionValues, [valueRow(productId, parts, externalId)]),
  shown: ({ optionId }) => ({ option: productOptionIri(optionId) }),
  kept: (parts) => parts,
  stamped: withStamps,
  document: valueDocument,
}

export const optionValueKind: Kind = {
  name: 'option_values',
  subject: 'option_value',
  noun: 'A value of an option',
  shape: optionValue,
  document: (kept, around, locale) => valueDocument(parseEventDocument<ValueParts>(kept, around), locale),
}

/** Reads one option with its values. */
export function getOption(context: Context, { params }: Input<{ params: 'id' }>): Promise<Answer> {
  return getOwned(optionFamily, context, params.id)
}

/** Adds an option to a product; its existing variants stay as they are. */
export function createOption(
  context: Context,
  { params: { productId }, bodies }: Input<{ params: 'productId'; body: typeof productOption }>,
): Promise<Answer> {
  const [body = {}] = bodies
  return createOwned(optionFamily, context, {
    operation: 'createOption',
    productId: idOf(productId),
    body,
    home(product) {
      if (!product) throw productProblems.not_found({ id: productId })
      const isFull = product.options.length >= maximumOptions
      return {
        product,
        siblings: product.options,
        full: isFull ? productOptionProblems.limit.at('', { maximum: maximumOptions }) : null,
        parts: (id, position, state) => optionParts(context, { id, productId, position, values: [] }, state),
      }
    },
  })
}

/** Merges a patch into an option. */
export function patchOption(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof productOption }>,
): Promise<Answer> {
  const [body = {}] = bodies
  return patchOwned(optionFamily, context, { operation: 'patchOption', id, body })
}

/** Rewrites an option's texts. */
export function translateOption(
  context: Context,
  id: string,
  rewrite: TextUpdate,
): Promise<Translated<OptionParts>> {
  return translateOwned(optionFamily, context, { operation: 'putProductOptionTranslations', id, rewrite })
}

/** Deletes an option and its values, unless an active variant uses one of them. */
export function deleteOption(context: Context, { params: { id } }: Input<{ params: 'id' }>): Promise<Answer> {
  return deleteOwned(optionFamily, context, {
    operation: 'deleteOption',
    id,
    gone: ({ productId, values }) => ({
      changed: values.map((each) => deletionOf(optionValueKind, each, JSON.stringify(each), productId)),
      totals: { option_values: -values.length },
    }),
  })
}

/** Reads one option value. */
export function getValue(context: Context, { params }: Input<{ params: 'id' }>): Promise<Answer> {
  return getOwned(valueFamily, context, params.id)
}

/** Adds a value to an option. */
export function createValue(
  context: Context,
  { bodies }: Input<{ body: typeof optionValue }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const optionId = body.option ?? ''
  return createOwned(valueFamily, context, {
    operation: 'createOptionValue',
    productId: sql`(select product_id from product_options where tenant_id = current_tenant() and id = ${optionId}::uuid)`,
    body,
    home(product) {
      const option = product?.options.find((each) => each.id === optionId)
      if (!product || !option) {
        throwViolations([
          validationProblems.unknown_reference.at('option', { iri: productOptionIri(optionId) }),
        ])
        throw new Error('unreachable')
      }
      const isFull = option.values.length >= maximumValues
      return {
        product,
        siblings: option.values,
        full: isFull ? optionValueProblems.limit.at('', { maximum: maximumValues }) : null,
        parts: (id, position, state) => valueParts(context, { id, optionId, position }, state),
      }
    },
    totals: { option_values: 1 },
  })
}

/** Merges a patch into an option value. */
export function patchValue(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof optionValue }>,
): Promise<Answer> {
  const [body = {}] = bodies
  return patchOwned(valueFamily, context, { operation: 'patchOptionValue', id, body })
}

/** Rewrites an option value's texts. */
export function translateValue(
  context: Context,
  id: string,
  rewrite: TextUpdate,
): Promise<Translated<ValueParts>> {
  return translateOwned(valueFamily, context, { operation: 'putOptionValueTranslations', id, rewrite })
}

/** Deletes an option value, unless an active variant uses it. */
export function deleteValue(context: Context, { params: { id } }: Input<{ params: 'id' }>): Promise<Answer> {
  return deleteOwned(valueFamily, context, {
    operation: 'deleteOptionValue',
    id,
    gone: () => ({ changed: [], totals: { option_values: -1 } }),
  })
}

export const productOptionKind: Kind<InProduct> = {
  name: 'product_options',
  subject: 'product_option',
  noun: 'An option of a product',
  shape: productOption,
  document(kept, around, locale) {
    const { embedding, most } = around
    const parts = parseEventDocument<OptionParts>(kept, around)
    return optionDocumentWithin({ ...parts, ...embedding.valuesOf(parts.id) }, locale, most)
  },
}
