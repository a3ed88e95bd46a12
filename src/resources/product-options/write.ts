import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
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
  withoutLocale,
} from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import type { DatabaseQuery } from '../../db/query.ts'
import { deleteRow, reorder } from '../../db/write-steps.ts'
import { type ProductParts, withoutVariants } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import { productQuery, productsQuery } from '../products/read.ts'
import { bumpEvenIfArchived, bumpProduct } from '../products/row.ts'
import { namesInUse, type TakenName, takenNamesStatement } from '../shared/names.ts'
import { positionIn } from '../shared/properties.ts'
import {
  type ChildBody,
  type ChildParts,
  type ChildType,
  childChange,
  optionChildType,
  optionValueKind,
  valueChildType,
} from './child-types.ts'
import { sizeViolations, storedBytes, weightOfOptions } from './document.ts'
import { optionParts, valueParts } from './read.ts'
import { productOptionIri } from './schema.ts'

function externalIdOf({ values: { externalId } }: State): string | null {
  return typeof externalId === 'string' ? externalId : null
}

/** @throws 409 if a sibling has the title, or another row the external id. Null titles never conflict. */
function throwIfTaken<Parts extends ChildParts>(
  { problems }: ChildType<Parts>,
  child: Parts,
  siblings: readonly Parts[],
  takenNames: readonly TakenName[],
  body: ChildBody,
  titlePath = 'title',
): void {
  const { title } = child
  const isTaken =
    title !== null && siblings.some((sibling) => sibling.id !== child.id && sibling.title === title)
  throwViolations([
    ...(isTaken ? [problems.title_taken.at(titlePath, { title })] : []),
    ...namesInUse(takenNames).reserveAll(body, { externalId: problems.external_id_taken }),
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

/** The product id of an option or value, as an expression. */
function productIdOf(table: string, id: string): SQL {
  return sql`(select product_id from ${sql.identifier(table)} where tenant_id = current_tenant() and id = ${id}::uuid)`
}

/** Reads the product of a write with all options and translations. */
function parentQuery(locale: Locale, productId: SQL): DatabaseQuery<ProductParts | null> {
  return productQuery(productId, { locale, expand: 0, limits: withoutVariants, translations: true })
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

type RequestedChange = {
  readonly id: string
  readonly body: ChildBody
  readonly textUpdate: TextUpdate
}

function changeChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  operation: string,
  { id, body, textUpdate }: RequestedChange,
): Promise<WriteOutcome<Parts>> {
  const { kind, table, problems } = childType
  const productId = productIdOf(kind.name, id)
  return write<Parts>(context, operation, async (read) => {
    const { product, taken } = await read({
      product: parentQuery(context.locale, productId),
      taken: takenNamesStatement(table, { externalId: [body.externalId] }, { except: id }),
    })
    const match = product && childType.find(product, id)
    if (!product || !match) throw problems.not_found({ id })
    const { child, siblings } = match
    requireIfMatch(context, child.version)
    const before = stateOf(kind.shape, child)
    const { state, violations } = textUpdate.apply(before)
    throwViolations(violations)
    const position =
      body.position === undefined ? child.position : positionIn(body.position, siblings.length - 1)
    const isMoved = position !== child.position
    if (sameJson(before, state) && !isMoved) return { unchanged: child }
    const after = childType.parts(context, { ...child, position }, state)
    throwIfTooLarge(product, after, child)
    throwIfTaken(childType, after, siblings, taken, body, textUpdate.path('title'))
    const productChange = bumpProduct(product)
    const sides = [
      { parts: child, state: before },
      { parts: after, state },
    ] as const
    return {
      guard: [productChange.guard, { kind: kind.name, id, version: child.version }],
      underClock: [
        ...childType.save(product.id, { ...after, position: child.position }, externalIdOf(state)),
        ...(isMoved ? [reorder(table, childType.parentId(child), [id], position)] : []),
      ],
      changed: [childChange(childType, context, product.id, sides, textUpdate), productChange.changed],
      totals: {},
      result: after,
      constraintProblems: { [`${kind.name}_title`]: 'again' },
    }
  })
}

type Creation<Parts> = {
  readonly productId: SQL
  readonly body: ChildBody
  /** Finds the target in the product that was read; throws if it does not exist. */
  readonly target: (product: ProductParts | null) => {
    readonly product: ProductParts
    readonly siblings: readonly Parts[]
    readonly parts: (id: string, position: number, state: State) => Parts
  }
}

/** Creates an option or value at its position among its siblings. */
async function createChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  { productId, body, target }: Creation<Parts>,
): Promise<Answer> {
  const id = uuidv7()
  const { kind, table, maximum, problems } = childType
  const outcome = await write<Parts>(context, `create${kind.shape.type}`, async (read) => {
    const { owner, taken } = await read({
      owner: parentQuery(context.locale, productId),
      taken: takenNamesStatement(table, { externalId: [body.externalId] }),
    })
    const { product, siblings, parts: partsAt } = target(owner)
    const productChange = bumpProduct(product)
    const end = siblings.length
    throwViolations(end >= maximum ? [problems.limit.at('', { maximum })] : [])
    const state = created(kind.shape, body, context.locale)
    const position = positionIn(body.position, end)
    const parts = partsAt(id, position, state)
    throwIfTooLarge(product, parts, null)
    throwIfTaken(childType, parts, siblings, taken, body)
    return {
      guard: [productChange.guard],
      underClock: [
        ...childType.save(product.id, { ...parts, position: end }, externalIdOf(state)),
        ...(position < end ? [reorder(table, childType.parentId(parts), [id], position)] : []),
      ],
      changed: [childChange(childType, context, product.id, [null, { parts, state }]), productChange.changed],
      totals: { option_values: childType.valuesOf(parts).length },
      result: parts,
      constraintProblems: { [`${kind.name}_title`]: 'again' },
    }
  })
  const location = `${kind.shape.collection}/${outcome.result.id}`
  return { ...childAnswer(childType, context, outcome), location }
}

/** Deletes an option with its values, or a value, unless an active variant uses one of them. Renumbers its siblings. */
export async function deleteChild<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  id: string,
): Promise<Answer> {
  const { kind, table, problems, find, parentId } = childType
  const { replayed } = await write<null>(context, `delete${kind.shape.type}`, async (read) => {
    const { product } = await read({ product: parentQuery(context.locale, productIdOf(kind.name, id)) })
    const child = product && find(product, id)?.child
    if (!product || !child) throw problems.not_found({ id })
    requireIfMatch(context, child.version)
    const productChange = bumpProduct(product)
    const values = childType.valuesOf(child)
    const before = { parts: child, state: stateOf(kind.shape, child) }
    return {
      guard: [productChange.guard, { kind: kind.name, id, version: child.version }],
      beforeClock: [deleteRow(table, id), reorder(table, parentId(child))],
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
    productId: sql`${productId}::uuid`,
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

/** The maximum number of rows in one write. A product may have thousands of values. */
const maxRowsPerWrite = 250

/**
 * Removes a deleted locale from all options, or all values, of the product of one of them.
 * One write for all of them records one event of the product instead of one per row.
 * Archived products are included, because no client can update them.
 */
export async function removeLocaleFromChildren<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  id: string,
  locale: string,
): Promise<void> {
  const productId = productIdOf(childType.kind.name, id)
  for (let isDone = false; !isDone; ) {
    const { result } = await write<boolean>(context, 'forgetLocale', async (read) => {
      const { product } = await read({ product: parentQuery(context.locale, productId) })
      return product ? removalPlan(childType, context, product, locale) : { unchanged: true }
    })
    isDone = result
  }
}

/** Plans the next batch of rows. The result is whether it was the last. */
function removalPlan<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Context,
  product: ProductParts,
  locale: string,
): Plan<boolean> {
  const textUpdate = withoutLocale(locale, context.tenant.locales)
  const translatedChildren = childType
    .all(product)
    .filter(({ translations }) => Object.hasOwn(translations ?? {}, locale))
  if (translatedChildren.length === 0) return { unchanged: true }
  const changes = translatedChildren.slice(0, maxRowsPerWrite).map((child) => {
    const before = stateOf(childType.kind.shape, child)
    const { state } = textUpdate.apply(before)
    const after = childType.parts(context, child, state)
    const sides = [
      { parts: child, state: before },
      { parts: after, state },
    ] as const
    return {
      guard: { kind: childType.kind.name, id: child.id, version: child.version },
      steps: childType.save(product.id, after, externalIdOf(state)),
      changed: childChange(childType, context, product.id, sides, textUpdate),
    }
  })
  const productChange = bumpEvenIfArchived(product, [])
  return {
    guard: [productChange.guard, ...changes.map((change) => change.guard)],
    underClock: changes.flatMap((change) => change.steps),
    changed: [...changes.map((change) => change.changed), productChange.changed],
    totals: {},
    result: translatedChildren.length <= maxRowsPerWrite,
  }
}
