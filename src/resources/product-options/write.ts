import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import type { Locale } from '../../core/locale.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { deletionOf, type Plan, type WriteOutcome } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import {
  created,
  patchTexts,
  type State,
  stateOf,
  type TextUpdate,
  type Translated,
} from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { combineQueries, type DatabaseQuery, mapQuery, statement } from '../../db/query.ts'
import { deleteRow, reorder, textArray } from '../../db/write-steps.ts'
import { type ProductParts, withoutVariants } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import { productQuery, productsQuery, uuidSql } from '../products/read.ts'
import { bumpProduct, type ProductBump } from '../products/row.ts'
import { positionIn } from '../shared/positions.ts'
import {
  type ChildBody,
  type ChildParts,
  type ChildType,
  type ChildWithSiblings,
  childChange,
  optionChildType,
  optionValueKind,
  valueChildType,
} from './child-types.ts'
import { sizeViolations, storedBytes, weightOfOptions } from './document.ts'
import { type LocaleContext, optionParts, valueParts } from './read.ts'
import { productOptionIri } from './schema.ts'

export function externalIdOf({ values: { externalId } }: State): string | null {
  return typeof externalId === 'string' ? externalId : null
}

/** @throws 409 if a sibling has the title, or another row the external id. Null titles never conflict. */
function throwIfTaken<Parts extends ChildParts>(
  { problems }: ChildType<Parts>,
  child: Parts,
  siblings: readonly Parts[],
  { externalIdTaken }: Pick<Parent, 'externalIdTaken'>,
  titlePath = 'title',
): void {
  const { title } = child
  const isTaken =
    title !== null && siblings.some((sibling) => sibling.id !== child.id && sibling.title === title)
  throwViolations([
    ...(isTaken ? [problems.title_taken.at(titlePath, { title })] : []),
    ...(externalIdTaken === null
      ? []
      : [problems.external_id_taken.at('externalId', { externalId: externalIdTaken })]),
  ])
}

/**
 * @throws 422 if the product's options would exceed their size limit. `before` is the row that `after`
 * replaces.
 */
function throwIfTooLarge(product: ProductParts, after: ChildParts, before: ChildParts | null): void {
  const otherBytes = weightOfOptions(product.options) - (before ? storedBytes(before) : 0)
  throwViolations(sizeViolations(otherBytes + storedBytes(after), ''))
}

type RequestedChange = {
  readonly id: string
  readonly body: ChildBody
  readonly textUpdate: TextUpdate
}

type ChangeInputs<Parts> = ChildWithSiblings<Parts> & Parent & { readonly product: ProductParts }

/** The decided change, with the states before and after. */
type ChangeDecision<Parts> = {
  readonly product: ProductParts
  readonly child: Parts
  readonly after: Parts
  readonly before: State
  readonly state: State
}

function decideChange<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: LocaleContext,
  { product, child, siblings, externalIdTaken }: ChangeInputs<Parts>,
  { body, textUpdate }: Pick<RequestedChange, 'body' | 'textUpdate'>,
): ChangeDecision<Parts> | null {
  const before = stateOf(childType.kind.shape, child)
  const { state, violations } = textUpdate.apply(before)
  throwViolations(violations)
  const position =
    body.position === undefined ? child.position : positionIn(body.position, siblings.length - 1)
  if (sameJson(before, state) && position === child.position) return null
  const after = childType.parts(context, { ...child, position }, state)
  throwIfTooLarge(product, after, child)
  throwIfTaken(childType, after, siblings, { externalIdTaken }, textUpdate.path('title'))
  return { product, child, after, before, state }
}

/** The product id of an option or value, as an expression. */
export function productIdOf(table: string, id: string): SQL {
  return sql`(select product_id from ${sql.identifier(table)} where tenant_id = current_tenant() and id = ${id}::uuid)`
}

/** The product of a write, and the conflict of the requested external id. */
export type Parent = {
  readonly product: ProductParts | null
  /** The requested external id, if another row has it. */
  readonly externalIdTaken: string | null
}

/** Reads the product of a write, and whether a row other than `id` has the requested external id. */
export function parentQuery<Parts extends ChildParts>(
  { kind }: ChildType<Parts>,
  locale: Locale,
  productId: SQL,
  { id, body }: { readonly id: string; readonly body: ChildBody },
): DatabaseQuery<Parent> {
  const externalIds = textArray(typeof body.externalId === 'string' ? [body.externalId] : [])
  const queries = combineQueries({
    product: productQuery(productId, { locale, expand: 0, limits: withoutVariants, translations: true }),
    rows: statement({
      externalId: z.string().nullable(),
    })`select external_id as "externalId" from ${sql.identifier(kind.name)} where tenant_id = current_tenant()
         and not product_archived and external_id = any(${externalIds}) and id <> ${id}::uuid`,
  })
  return mapQuery(queries, ({ product, rows }) => ({ product, externalIdTaken: rows[0]?.externalId ?? null }))
}

/** Reads one option, with its values, or one value. */
export async function getChild<Parts extends ChildParts>(
  { kind, problems, find, document }: ChildType<Parts>,
  { db, locale }: Context,
  id: string,
): Promise<Answer> {
  const query = productsQuery(sql`array[${productIdOf(kind.name, id)}]`, {
    locale,
    expand: 0,
    limits: withoutVariants,
  })
  const { products, sequence } = (await db.read({ query })).query
  const [product] = products
  const child = product && find(product, id)?.child
  if (!child) throw problems.not_found({ id })
  return { kind: 'item', document: document(child, locale), version: child.version, sequence }
}

function childAnswer<Parts extends ChildParts>(
  { addStamps, document }: ChildType<Parts>,
  context: Context,
  { result, stamps, replayed }: WriteOutcome<Parts>,
): Answer & { kind: 'item' } {
  const child = addStamps(result, stamps)
  return { kind: 'item', document: document(child, context.locale), version: child.version, replayed }
}

/** Merges a patch into an option or value. */
export async function patchChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  id: string,
  body: ChildBody,
): Promise<Answer> {
  const textUpdate = patchTexts(childType.kind.shape, body, context.locale)
  const operation = `patch${childType.kind.shape.type}`
  const result = await changeChild(childType, context, operation, { id, body, textUpdate })
  return childAnswer(childType, context, result)
}

/** Updates the translations of an option or value. */
export async function translateChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  id: string,
  textUpdate: TextUpdate,
): Promise<Translated<Parts>> {
  const operation = `put${childType.kind.shape.type}Translations`
  const request = { id, body: {}, textUpdate }
  const { result, stamps, replayed } = await changeChild(childType, context, operation, request)
  return { ...childType.addStamps(result, stamps), replayed }
}

function changeChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  operation: string,
  request: RequestedChange,
): Promise<WriteOutcome<Parts>> {
  const productId = productIdOf(childType.kind.name, request.id)
  return write<Parts>(context, operation, async (read) => {
    const { parent } = await read({ parent: parentQuery(childType, context.locale, productId, request) })
    const match = parent.product && childType.find(parent.product, request.id)
    if (!parent.product || !match) throw childType.problems.not_found({ id: request.id })
    requireIfMatch(context, match.child.version)
    const inputs = { ...parent, ...match, product: parent.product }
    const decision = decideChange(childType, context, inputs, request)
    return decision ? changePlan(childType, context, decision, request) : { unchanged: match.child }
  })
}

function changePlan<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  { product, child, after, before, state }: ChangeDecision<Parts>,
  { id, textUpdate }: RequestedChange,
): Plan<Parts> {
  const { kind, table } = childType
  const productChange = bumpProduct(product)
  const sides = [
    { parts: child, state: before },
    { parts: after, state },
  ] as const
  const isMoved = after.position !== child.position
  return {
    guard: [productChange.guard, { kind: kind.name, id, version: child.version }],
    steps: [
      ...childType.save(product.id, { ...after, position: child.position }, externalIdOf(state)),
      ...(isMoved ? [reorder(table, childType.parentId(child), [id], after.position)] : []),
    ],
    changed: [childChange(childType, context, product.id, sides, textUpdate), productChange.changed],
    totals: {},
    result: after,
    constraintProblems: { [`${kind.name}_title`]: 'again' },
  }
}

type CreationTarget<Parts> = {
  readonly product: ProductParts
  readonly siblings: readonly Parts[]
  readonly parts: (id: string, position: number, state: State) => Parts
}

type Creation<Parts> = {
  readonly productId: SQL
  readonly body: ChildBody
  /** Finds the target in the product that was read; throws if it does not exist. */
  readonly target: (product: ProductParts | null) => CreationTarget<Parts>
}

/** Creates an option or value at its position among its siblings. */
async function createChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  request: Creation<Parts>,
): Promise<Answer> {
  const id = uuidv7()
  const { productId, body } = request
  const result = await write<Parts>(context, `create${childType.kind.shape.type}`, async (read) => {
    const { parent } = await read({ parent: parentQuery(childType, context.locale, productId, { id, body }) })
    return creationPlan(childType, context, decideCreation(childType, context, parent, { ...request, id }))
  })
  const answer = childAnswer(childType, context, result)
  return { ...answer, location: `${childType.kind.shape.collection}/${result.result.id}` }
}

/** The decided creation; `end` is the number of siblings. */
type CreationDecision<Parts> = {
  readonly product: ProductParts
  readonly productChange: ProductBump
  readonly parts: Parts
  readonly state: State
  readonly end: number
}

function decideCreation<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  parent: Parent,
  { id, body, target }: Pick<Creation<Parts>, 'body' | 'target'> & { readonly id: string },
): CreationDecision<Parts> {
  const { product, siblings, parts: partsAt } = target(parent.product)
  const productChange = bumpProduct(product)
  const { maximum, problems } = childType
  throwViolations(siblings.length >= maximum ? [problems.limit.at('', { maximum })] : [])
  const state = created(childType.kind.shape, body, context.locale)
  const end = siblings.length
  const parts = partsAt(id, positionIn(body.position, end), state)
  throwIfTooLarge(product, parts, null)
  throwIfTaken(childType, parts, siblings, parent)
  return { product, productChange, parts, state, end }
}

function creationPlan<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  { product, productChange, parts, state, end }: CreationDecision<Parts>,
): Plan<Parts> {
  const { id, position } = parts
  return {
    guard: [productChange.guard],
    steps: [
      ...childType.save(product.id, { ...parts, position: end }, externalIdOf(state)),
      ...(position < end ? [reorder(childType.table, childType.parentId(parts), [id], position)] : []),
    ],
    changed: [childChange(childType, context, product.id, [null, { parts, state }]), productChange.changed],
    totals: { option_values: childType.valuesOf(parts).length },
    result: parts,
    constraintProblems: { [`${childType.kind.name}_title`]: 'again' },
  }
}

/** Deletes an option with its values, or a value, unless an active variant uses one of them. Renumbers its siblings. */
export async function deleteChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  id: string,
): Promise<Answer> {
  const { kind, table, problems, find, parentId } = childType
  const { replayed } = await write<null>(context, `delete${kind.shape.type}`, async (read) => {
    const options = { locale: context.locale, expand: 0, limits: withoutVariants, translations: true }
    const { product } = await read({ product: productQuery(productIdOf(kind.name, id), options) })
    const child = product && find(product, id)?.child
    if (!product || !child) throw problems.not_found({ id })
    requireIfMatch(context, child.version)
    const productChange = bumpProduct(product)
    const values = childType.valuesOf(child)
    const before = { parts: child, state: stateOf(kind.shape, child) }
    return {
      guard: [productChange.guard, { kind: kind.name, id, version: child.version }],
      steps: [deleteRow(table, id), reorder(table, parentId(child))],
      changed: [
        childChange(childType, context, product.id, [before, null]),
        ...values
          .filter((value) => value.id !== id)
          .map((value) => deletionOf(optionValueKind, value, JSON.stringify(value), product.id)),
        productChange.changed,
      ],
      totals: { option_values: -values.length },
      result: null,
      constraintProblems: { variant_option_values_in_use: problems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}

/** Adds an option to a product. Existing variants stay unchanged. */
export function createOption(
  context: Context,
  { params: { productId }, bodies: [body = {}] }: Input<{ params: 'productId' }>,
): Promise<Answer> {
  return createChild(optionChildType, context, {
    productId: uuidSql(productId),
    body,
    target(product) {
      if (!product) throw productProblems.not_found({ id: productId })
      return {
        product,
        siblings: product.options,
        parts: (id, position, state) => optionParts(context, { id, productId, position, values: [] }, state),
      }
    },
  })
}

/** Adds a value to an option. */
export function createValue(context: Context, { bodies: [body = {}] }: Input): Promise<Answer> {
  const optionId = String(body.option)
  return createChild(valueChildType, context, {
    productId: productIdOf('product_options', optionId),
    body,
    target(product) {
      const option = product?.options.find((option) => option.id === optionId)
      if (!product || !option) {
        throwViolations([
          validationProblems.unknown_reference.at('option', { iri: productOptionIri(optionId) }),
        ])
      }
      return {
        product,
        siblings: option.values,
        parts: (id, position, state) => valueParts(context, { id, optionId, position }, state),
      }
    },
  })
}
