import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { iri } from '../../core/iri.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { changesBetween, sameJson } from '../../core/patch.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { stamped } from '../../core/stamped.ts'
import { created, type State, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Changed, demandVersion, type Plan, type Stamps, write } from '../../core/write.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { place } from '../../db/place.ts'
import { deleteRows, insertRows, texts, updateRows } from '../../db/rows.ts'
import { finalPosition, maximumValues, type OptionParts } from '../product-options/index.ts'
import { type idOf, type ProductParts, readProduct, touch } from '../products/index.ts'
import { type ValueParts, valueDocument } from './document.ts'
import { optionValueProblems } from './problems.ts'
import { optionValue as shape } from './schema.ts'
import { valueParts, valueRow } from './store.ts'
import { optionValues } from './table.ts'

type Body = Readonly<Record<string, Json>>

const siblings = (optionId: string) => sql`option_id = ${optionId}::uuid`
const ownerOfOption = (id: string) =>
  sql`(select product_id from product_options where tenant_id = current_tenant() and id = ${id}::uuid)`
const ownerOfValue = (id: string) =>
  sql`(select product_id from option_values where tenant_id = current_tenant() and id = ${id}::uuid)`
const races = { option_values_title: 'again', option_values_external_id: 'again' } as const

function answer(
  context: Context,
  parts: ValueParts,
  stamps: Stamps,
  replayed: boolean,
  fresh = false,
): Answer {
  const own = stamped(parts, stamps)
  const location = fresh ? { location: iri.optionValue(own.id) } : {}
  return {
    kind: 'item',
    document: valueDocument(own, context.locale),
    version: own.version,
    replayed,
    ...location,
  }
}

/** Reads one option value. */
export async function getValue(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { product, sequence } = await readProduct(context.db.read, ownerOfValue(id), {
    locale: context.locale,
    expand: 0,
    variants: 0,
  })
  const own = product ? found(product, id)?.value : undefined
  if (!own) throw optionValueProblems.not_found({ id })
  return { kind: 'item', document: valueDocument(own, context.locale), version: own.version, sequence }
}

/** Adds a value to an option. */
export async function createValue(context: Context, { bodies }: Input): Promise<Answer> {
  const id = uuidv7()
  const [body = {}] = bodies
  const optionId = body.option as string
  const { result, stamps, replayed } = await write<Json>(context, 'createOptionValue', async (read) => {
    const { product, taken } = await aggregate(context, read, ownerOfOption(optionId), body, id)
    const option = product?.options.find((each) => each.id === optionId)
    if (!product || !option) {
      refuse([validationProblems.unknown_reference.at('option', { iri: iri.productOption(optionId) })])
      throw new Error('unreachable')
    }
    const touched = touch(product)
    if (option.values.length >= maximumValues)
      refuse([optionValueProblems.limit.at('', { maximum: maximumValues })])
    const state = created(shape, body, context.locale)
    const end = option.values.length
    const position = finalPosition(body.position, end)
    const parts = valueParts(context, { id, optionId, position }, state)
    refuseTaken(option, parts, taken)
    return {
      guard: [touched.guard],
      statements: [
        ...insertRows(optionValues, [{ ...valueRow(product.id, parts), position: end }]),
        ...(position < end ? [place(optionValues, siblings(optionId), [id], position)] : []),
      ],
      changed: [changed(context, product.id, parts, 'created', null, state), touched.changed],
      totals: { option_values: 1 },
      result: parts as unknown as Json,
      refusals: races,
    }
  })
  return answer(context, result as unknown as ValueParts, stamps, replayed, true)
}

/** Merges a patch into an option value. */
export async function patchValue(context: Context, { params, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const [body = {}] = bodies
  const { result, stamps, replayed } = await write<Json>(context, 'patchOptionValue', (read) =>
    change(context, read, id, body, patching(shape, body, context.locale)),
  )
  return answer(context, result as unknown as ValueParts, stamps, replayed)
}

/** Rewrites an option value's texts. */
export async function translateValue(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<ValueParts>> {
  const { result, stamps, replayed } = await write<Json>(context, 'putOptionValueTranslations', (read) =>
    change(context, read, id, {}, rewrite),
  )
  return { ...stamped(result as unknown as ValueParts, stamps), replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
  rewrite: Rewrite,
): Promise<Plan<Json>> {
  const { product, taken } = await aggregate(context, read, ownerOfValue(id), body, id)
  const both = product ? found(product, id) : undefined
  if (!product || !both) throw optionValueProblems.not_found({ id })
  const { option, value: own } = both
  demandVersion(context, own.version)
  const before = stateOf(shape, own)
  const { state, violations } = rewrite.apply(before)
  refuse(violations)
  const position =
    body.position === undefined ? own.position : finalPosition(body.position, option.values.length - 1)
  const after = valueParts(context, { ...own, position }, state)
  if (sameJson(before as unknown as Json, state as unknown as Json) && position === own.position) {
    return { unchanged: own as unknown as Json }
  }
  refuseTaken(option, after, taken, rewrite.path('title'))
  const touched = touch(product)
  return {
    guard: [touched.guard, { kind: 'option_values', id, version: own.version }],
    statements: [
      ...updateRows(optionValues, [{ ...valueRow(product.id, after), position: own.position }]),
      ...(position !== own.position ? [place(optionValues, siblings(option.id), [id], position)] : []),
    ],
    changed: [
      changed(
        context,
        product.id,
        after,
        'updated',
        { state: before, position: own.position },
        state,
        rewrite,
      ),
      touched.changed,
    ],
    totals: {},
    result: after as unknown as Json,
    refusals: races,
  }
}

/** Deletes an option value, unless an active variant uses it. */
export async function deleteValue(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteOptionValue', async (read) => {
    const { product } = await aggregate(context, read, ownerOfValue(id), {}, id)
    const both = product ? found(product, id) : undefined
    if (!product || !both) throw optionValueProblems.not_found({ id })
    const { option, value: own } = both
    demandVersion(context, own.version)
    const touched = touch(product)
    return {
      guard: [touched.guard, { kind: 'option_values', id, version: own.version }],
      statements: [...deleteRows(optionValues, [id]), place(optionValues, siblings(option.id))],
      changed: [
        changed(
          context,
          product.id,
          own,
          'deleted',
          { state: stateOf(shape, own), position: own.position },
          null,
        ),
        touched.changed,
      ],
      totals: { option_values: -1 },
      result: null,
      refusals: { variant_option_values_in_use: optionValueProblems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}

function found(product: ProductParts, id: string) {
  for (const option of product.options) {
    const value = option.values.find((each) => each.id === id)
    if (value) return { option, value }
  }
  return undefined
}

async function aggregate(
  context: Context,
  read: Session['read'],
  productId: ReturnType<typeof idOf>,
  body: Body,
  id: string,
) {
  const options = { locale: context.locale, expand: 0, variants: 0, translations: true }
  const { product, more } = await readProduct(read, productId, options, takenStatement(body, id))
  return { product, taken: (more[0]?.length ?? 0) > 0 }
}

function takenStatement(body: Body, id: string): Statement {
  const wanted = typeof body.externalId === 'string' ? [body.externalId] : []
  return statement(sql`select id from option_values
    where tenant_id = current_tenant() and not product_archived and external_id = any(${texts(wanted)}) and id <> ${id}::uuid`)
}

function refuseTaken(
  option: OptionParts,
  own: ValueParts,
  externalIdTaken: boolean,
  titlePath = 'title',
): void {
  const { externalId } = JSON.parse(own.document) as { externalId: string }
  const namesake = option.values.some((each) => each.id !== own.id && each.title === own.title)
  refuse([
    ...(namesake ? [optionValueProblems.title_taken.at(titlePath, { title: own.title })] : []),
    ...(externalIdTaken ? [optionValueProblems.external_id_taken.at('externalId', { externalId })] : []),
  ])
}

function changed(
  context: Context,
  productId: string,
  parts: ValueParts,
  what: Changed['action'],
  before: { state: State; position: number } | null,
  after: State | null,
  { shown }: Pick<Rewrite, 'shown'> = patching(shape, {}, context.locale),
): Changed {
  const view = (state: State, position: number) =>
    ({
      ...shown(state),
      option: iri.productOption(parts.optionId),
      position,
    }) as Json
  return {
    kind: 'option_values',
    id: parts.id,
    version: parts.version + 1,
    action: what,
    topic: `option_value/${what}`,
    ownerId: productId,
    document: JSON.stringify(parts),
    changes: changesBetween(
      before ? view(before.state, before.position) : {},
      after ? view(after, parts.position) : {},
    ),
  }
}
