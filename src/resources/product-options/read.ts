import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Tenant } from '../../core/context.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { uncommitted } from '../../core/plan.ts'
import type { Shape } from '../../core/schema.ts'
import { defaultText, render, type State } from '../../core/state.ts'
import { rowBytes } from '../../db/columns.ts'
import { withoutVariants } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import { productsQuery } from '../products/read.ts'
import { optionValues, productOptions } from '../products/table.ts'
import { listing, listParameters, listRows, newestFirst, source } from '../shared/list.ts'
import { externalId, referenceParameter } from '../shared/properties.ts'
import {
  type OptionParts,
  optionDocument,
  storedValueColumns,
  type ValueParts,
  valueDocument,
} from './document.ts'
import { optionValue, productOption } from './schema.ts'

const optionList = listing(productOptions, {
  orders: ['position', 'createdAt', 'updatedAt', 'title', 'id'],
  equal: ['externalId'],
})

export const optionListParameters = listParameters(optionList, { externalId: externalId.optional() })

/** Lists a product's options in their order, with their values. */
export async function listOptions(
  context: Context,
  { params: { productId: id }, query }: Input<{ params: 'productId'; query: typeof optionListParameters }>,
): Promise<Answer> {
  const { locale, access } = context
  const page = optionList.page(context, query, [['position', 'asc']])
  const filters = [sql`product_id = ${id}::uuid`, ...optionList.conditions(query)]
  const { from: matches } = source(productOptions, filters, { joins: page.joins })
  const options = { locale, expand: 0, limits: withoutVariants, access }
  const { owner, list } = await context.db.read({
    owner: productsQuery([id], options),
    list: listQuery(page, {
      row: { id: z.string(), bytes: z.number() },
      from: matches,
      columns: sql`id, ${rowBytes()} as bytes`,
      bytes: sql`bytes`,
      totalName: null,
    }),
  })
  const [product] = owner.products
  if (!product) throw productProblems.not_found({ id })
  const optionsById = new Map(product.options.map((option) => [option.id, option]))
  return {
    kind: 'collection',
    members: list.rows.flatMap((row) => {
      const option = optionsById.get(row.id)
      return option ? [optionDocument(option, locale)] : []
    }),
    ...list.paging,
    sequence: list.sequence,
  }
}

type Stamp = 'version' | 'createdAt' | 'updatedAt'

/** The data of an option or value that its state does not contain. A new row has version 0 until the commit. */
type Identity<Parts extends Pick<OptionParts, Stamp>> = Omit<
  Parts,
  Stamp | 'document' | 'title' | 'translations'
> &
  Partial<Pick<Parts, Stamp>>

/** The locales in which documents are stored. */
export type LocaleContext = { readonly tenant: Pick<Tenant, 'locales'> }

function partsOf<Part extends Partial<Pick<OptionParts, Stamp>> & { readonly id: string }>(
  shape: Shape,
  { tenant: { locales } }: LocaleContext,
  identity: Part,
  state: State,
) {
  const { id } = identity
  return {
    ...uncommitted,
    ...identity,
    title: defaultText(state, 'title', locales),
    document: render(shape, { iri: `${shape.collection}/${id}`, id }, state, locales),
    translations: state.translations,
  }
}

/** Builds an option's parts from its state. */
export function optionParts(
  context: LocaleContext,
  identity: Identity<OptionParts>,
  state: State,
): OptionParts {
  return partsOf(productOption, context, identity, state)
}

/** Builds a value's parts from its state. */
export function valueParts(context: LocaleContext, identity: Identity<ValueParts>, state: State): ValueParts {
  const parts = partsOf(optionValue, context, identity, state)
  return { ...parts, title: parts.title ?? '' }
}

/** The row of an option, without the columns that the write sets. */
export function optionRow(parts: OptionParts, externalId: string | null) {
  const { id, productId, position, title, document, translations } = parts
  return { id, productId, position, title, externalId, document, translations: translations ?? {} }
}

const valueList = listing(optionValues, {
  orders: ['createdAt', 'updatedAt', 'title', 'position', 'id'],
  equal: ['externalId'],
  references: ['option'],
})

export const valueListParameters = listParameters(valueList, {
  option: referenceParameter('/api/product_options').optional(),
  externalId: externalId.optional(),
})

type Query = { query: typeof valueListParameters }

/** Lists option values: those of one option in their order, all of them newest first. */
export function listValues(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale } = context
  return listRows(context, query, {
    row: storedValueColumns,
    list: valueList,
    order: query.option === undefined ? newestFirst : [['position', 'asc']],
    columns: sql`id, option_id as "optionId", document, title, ${locale.stored ? sql`null::jsonb as translations` : sql`translations`},
      position, version, instant_text(created_at) as "createdAt", instant_text(updated_at) as "updatedAt"`,
    bytes: rowBytes(sql`translations`),
    document: (row) => valueDocument(row, locale),
  })
}

/** The row of a value, without the columns that the write sets. */
export function valueRow(productId: string, parts: ValueParts, externalId: string | null) {
  const { id, optionId, position, title, document, translations } = parts
  return { id, productId, optionId, position, title, externalId, document, translations: translations ?? {} }
}
