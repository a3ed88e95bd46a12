import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { iri } from '../../core/iri.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { changesBetween, sameJson } from '../../core/patch.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { stamped } from '../../core/stamped.ts'
import { created, type State, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Changed, demandVersion, type Plan, type Stamps, write } from '../../core/write.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { place } from '../../db/place.ts'
import { deleteRows, insertRows, texts, updateRows } from '../../db/rows.ts'
import { idOf, type ProductParts, productProblems, readProduct, touch } from '../products/index.ts'
import { type OptionParts, optionDocument } from './document.ts'
import { productOptionProblems } from './problems.ts'
import { maximumOptions, productOption as shape } from './schema.ts'
import { finalPosition, optionParts, optionRow } from './store.ts'
import { productOptions } from './table.ts'

type Body = Readonly<Record<string, Json>>

const siblings = (productId: string) => sql`product_id = ${productId}::uuid`
const owner = (id: string) =>
  sql`(select product_id from product_options where tenant_id = current_tenant() and id = ${id}::uuid)`
const races = { product_options_title: 'again', product_options_external_id: 'again' } as const

/** Reads one option with its values. */
export async function getOption(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { product, sequence } = await readProduct(context.db.read, owner(id), {
    locale: context.locale,
    expand: 0,
    variants: 0,
  })
  const own = product?.options.find((each) => each.id === id)
  if (!own) throw productOptionProblems.not_found({ id })
  return { kind: 'item', document: optionDocument(own, context.locale), version: own.version, sequence }
}

function answer(
  context: Context,
  parts: OptionParts,
  stamps: Stamps,
  replayed: boolean,
  fresh = false,
): Answer {
  const own = stamped({ ...parts, values: parts.values.map((each) => stamped(each, stamps)) }, stamps)
  const location = fresh ? { location: iri.productOption(own.id) } : {}
  return {
    kind: 'item',
    document: optionDocument(own, context.locale),
    version: own.version,
    replayed,
    ...location,
  }
}

/** Adds an option to a product; its existing variants stay as they are. */
export async function createOption(context: Context, { params, bodies }: Input): Promise<Answer> {
  const productId = params.productId!
  const id = uuidv7()
  const [body = {}] = bodies
  const { result, stamps, replayed } = await write<Json>(context, 'createOption', async (read) => {
    const { product, taken } = await aggregate(context, read, idOf(productId), body, id)
    if (!product) throw productProblems.not_found({ id: productId })
    const touched = touch(product)
    if (product.options.length >= maximumOptions)
      refuse([productOptionProblems.limit.at('', { maximum: maximumOptions })])
    const state = created(shape, body, context.locale)
    const end = product.options.length
    const position = finalPosition(body.position, end)
    const parts = optionParts(context, { id, productId, position, values: [] }, state)
    refuseTaken(product, parts, taken)
    return {
      guard: [touched.guard],
      statements: [
        ...insertRows(productOptions, [{ ...optionRow(parts), position: end }]),
        ...(position < end ? [place(productOptions, siblings(productId), [id], position)] : []),
      ],
      changed: [changed(context, parts, 'created', null, state), touched.changed],
      totals: {},
      result: parts as unknown as Json,
      refusals: races,
    }
  })
  return answer(context, result as unknown as OptionParts, stamps, replayed, true)
}

/** Merges a patch into an option. */
export async function patchOption(context: Context, { params, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const [body = {}] = bodies
  const { result, stamps, replayed } = await write<Json>(context, 'patchOption', (read) =>
    change(context, read, id, body, patching(shape, body, context.locale)),
  )
  return answer(context, result as unknown as OptionParts, stamps, replayed)
}

/** Rewrites an option's texts. */
export async function translateOption(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<OptionParts>> {
  const { result, stamps, replayed } = await write<Json>(context, 'putProductOptionTranslations', (read) =>
    change(context, read, id, {}, rewrite),
  )
  return { ...stamped(result as unknown as OptionParts, stamps), replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
  rewrite: Rewrite,
): Promise<Plan<Json>> {
  const { product, taken } = await aggregate(context, read, owner(id), body, id)
  const own = product?.options.find((each) => each.id === id)
  if (!product || !own) throw productOptionProblems.not_found({ id })
  demandVersion(context, own.version)
  const before = stateOf(shape, own)
  const { state, violations } = rewrite.apply(before)
  refuse(violations)
  const position =
    body.position === undefined ? own.position : finalPosition(body.position, product.options.length - 1)
  const after = optionParts(context, { ...own, position }, state)
  if (sameJson(before as unknown as Json, state as unknown as Json) && position === own.position) {
    return { unchanged: own as unknown as Json }
  }
  refuseTaken(product, after, taken, rewrite.path('title'))
  const touched = touch(product)
  return {
    guard: [touched.guard, { kind: 'product_options', id, version: own.version }],
    statements: [
      ...updateRows(productOptions, [{ ...optionRow(after), position: own.position }]),
      ...(position !== own.position ? [place(productOptions, siblings(product.id), [id], position)] : []),
    ],
    changed: [
      changed(context, after, 'updated', { state: before, position: own.position }, state, rewrite),
      touched.changed,
    ],
    totals: {},
    result: after as unknown as Json,
    refusals: races,
  }
}

/** Deletes an option and its values, unless an active variant uses one of them. */
export async function deleteOption(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteOption', async (read) => {
    const { product } = await aggregate(context, read, owner(id), {}, id)
    const own = product?.options.find((each) => each.id === id)
    if (!product || !own) throw productOptionProblems.not_found({ id })
    demandVersion(context, own.version)
    const touched = touch(product)
    const state = stateOf(shape, own)
    return {
      guard: [touched.guard, { kind: 'product_options', id, version: own.version }],
      statements: [...deleteRows(productOptions, [id]), place(productOptions, siblings(product.id))],
      changed: [
        changed(context, own, 'deleted', { state, position: own.position }, null),
        ...own.values.map(
          (value): Changed => ({
            kind: 'option_values',
            id: value.id,
            version: value.version + 1,
            action: 'deleted',
            topic: 'option_value/deleted',
            ownerId: product.id,
            document: JSON.stringify(value),
            changes: [],
          }),
        ),
        touched.changed,
      ],
      totals: { option_values: -own.values.length },
      result: null,
      refusals: { variant_option_values_in_use: productOptionProblems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}

async function aggregate(
  context: Context,
  read: Session['read'],
  productId: ReturnType<typeof idOf>,
  body: Body,
  id: string,
) {
  const { product, more } = await readProduct(
    read,
    productId,
    { locale: context.locale, expand: 0, variants: 0, translations: true },
    takenStatement(body, id),
  )
  return { product, taken: (more[0]?.length ?? 0) > 0 }
}

function takenStatement(body: Body, id: string): Statement {
  const wanted = typeof body.externalId === 'string' ? [body.externalId] : []
  return statement(sql`select id from product_options
    where tenant_id = current_tenant() and not product_archived and external_id = any(${texts(wanted)}) and id <> ${id}::uuid`)
}

function refuseTaken(
  product: ProductParts,
  own: OptionParts,
  externalIdTaken: boolean,
  titlePath = 'title',
): void {
  const { externalId } = JSON.parse(own.document) as { externalId: string }
  const namesake =
    own.title !== null && product.options.some((each) => each.id !== own.id && each.title === own.title)
  refuse([
    ...(namesake ? [productOptionProblems.title_taken.at(titlePath, { title: own.title! })] : []),
    ...(externalIdTaken ? [productOptionProblems.external_id_taken.at('externalId', { externalId })] : []),
  ])
}

function changed(
  context: Context,
  parts: OptionParts,
  what: Changed['action'],
  before: { state: State; position: number } | null,
  after: State | null,
  { shown }: Pick<Rewrite, 'shown'> = patching(shape, {}, context.locale),
): Changed {
  const view = (state: State, position: number) => ({ ...shown(state), position }) as Json
  return {
    kind: 'product_options',
    id: parts.id,
    version: parts.version + 1,
    action: what,
    topic: `product_option/${what}`,
    ownerId: parts.productId,
    document: JSON.stringify({ ...parts, values: [] }),
    changes: changesBetween(
      before ? view(before.state, before.position) : {},
      after ? view(after, parts.position) : {},
    ),
  }
}
