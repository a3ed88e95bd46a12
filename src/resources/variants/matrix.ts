import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import type { Locale } from '../../core/locale.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { pageParameters } from '../../core/paging.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { queryWith } from '../../core/view.ts'
import { statement } from '../../db/query.ts'
import { type OptionParts, titlesOf } from '../product-options/document.ts'
import { optionValueIri, productOptionIri } from '../product-options/schema.ts'
import { withoutVariants } from '../products/document.ts'
import { productProblems } from '../products/problems.ts'
import { idOf, productsQuery } from '../products/read.ts'
import { productIri } from '../products/schema.ts'
import { iriText } from '../shared/properties.ts'
import { combinationOf } from './combination.ts'
import { type VariantValues, variantValues } from './document.ts'
import { variantIri } from './schema.ts'

/** The variant matrix: the combinations of a product's option values, with and without a variant. */

/** The default number of combinations on a page. */
const defaultPageSize = 100
/** The maximum number of combinations on a page. */
export const maxPageSize = 250

const combination = z.object({ optionValues: z.array(iriText), title: z.string().nullable() })

const page = z.object({
  '@id': iriText,
  '@type': z.literal('PartialCollectionView'),
  first: iriText,
  last: iriText.optional(),
  previous: iriText.optional(),
  next: iriText.optional(),
})

const path = '/api/products/{id}/variant_matrix'

const variantMatrix = {
  type: 'VariantMatrix',
  description:
    "The combinations of the values of a product's options: which have a variant, and which could get one.",
  collection: path,
  readWith: 'products:read',
  properties: {
    product: readOnly(iriText, 'The product whose option values are combined.', {
      link: true,
      to: 'Product',
    }),
    options: readOnly(z.array(z.unknown()), 'Its options with their values, both in their order.', {
      of: 'ProductOption',
    }),
    total: readOnly(
      z.int().nullable(),
      'How many combinations there are: the values of each option multiplied, 1 without options; null beyond 2^53 − 1.',
    ),
    existingTotal: readOnly(z.int(), 'How many of them have an active variant, on all pages.'),
    missingTotal: readOnly(z.int().nullable(), 'How many have none, on all pages; null where `total` is.'),
    incompleteTotal: readOnly(
      z.int(),
      'How many active variants are no combination, since options were added after them.',
    ),
    existing: readOnly(
      z.array(combination.extend({ variant: iriText })),
      "This page's combinations that have an active variant.",
    ),
    missing: readOnly(z.array(combination), "This page's combinations that have none."),
    view: readOnly(page, 'Where the other pages are; absent when one holds all combinations.'),
  },
} satisfies Shape

const parameters = { page: pageParameters.page, itemsPerPage: pageParameters.itemsPerPage }

type VariantRow = { id: string; optionValueIds: string[] }

/** Reads a page of a product's combinations in the order of its options: the last option varies fastest. */
async function getVariantMatrix(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof parameters }>,
): Promise<Answer> {
  const { locale } = context
  const { owner, variants } = await context.db.read({
    owner: productsQuery(sql`array[${idOf(id)}]`, { locale, expand: 0, room: withoutVariants }),
    variants: statement<VariantRow>(sql`select id, to_json(option_value_ids) as "optionValueIds" from variants
      where tenant_id = current_tenant() and product_id = ${id}::uuid and status = 'ACTIVE'`),
  })
  const {
    products: [product],
    sequence,
  } = owner
  if (!product) throw productProblems.not_found({ id })
  const { options } = product
  const complete = variants.filter((variant) => isComplete(variant, options))
  const variantsByCombination = new Map(
    complete.map((variant) => [combinationOf(variant.optionValueIds), variant.id]),
  )
  const total = options.reduce((product, { values }) => product * values.length, 1)
  const isExact = Number.isSafeInteger(total)
  const size = Math.min(query.itemsPerPage ?? defaultPageSize, maxPageSize)
  const page = query.page ?? 1
  const valuesById = variantValues(options, locale)
  const combinations = combinationsOf(options, (page - 1) * size, size, total)
  const variantOf = (ids: readonly string[]) => variantsByCombination.get(combinationOf(ids))
  return {
    kind: 'item',
    document: {
      '@id': `${productIri(id)}/variant_matrix`,
      '@type': variantMatrix.type,
      product: productIri(id),
      options: options.map((option) => optionOf(option, valuesById, locale)),
      total: isExact ? total : null,
      existingTotal: complete.length,
      missingTotal: isExact ? total - complete.length : null,
      incompleteTotal: variants.length - complete.length,
      existing: combinations.flatMap((ids) => {
        const variant = variantOf(ids)
        return variant ? [{ ...combinationDocument(ids, valuesById), variant: variantIri(id, variant) }] : []
      }),
      missing: combinations.flatMap((ids) => (variantOf(ids) ? [] : [combinationDocument(ids, valuesById)])),
      view: viewOf(context.url, page, size, total),
    },
    version: product.version,
    sequence,
  }
}

/**
 * Whether a variant has one value of each option. Values in use are never deleted, so comparing the counts is
 * enough.
 */
function isComplete({ optionValueIds }: VariantRow, options: readonly OptionParts[]): boolean {
  return optionValueIds.length === options.length
}

/**
 * Computes the combinations from an offset without iterating over the earlier ones: an offset is a mixed-radix
 * number.
 */
function combinationsOf(
  options: readonly OptionParts[],
  from: number,
  size: number,
  total: number,
): string[][] {
  return Array.from({ length: Math.max(0, Math.min(size, total - from)) }, (_, offset) => {
    let index = from + offset
    const ids: string[] = []
    for (const { values } of options.toReversed()) {
      const value = values[index % values.length]
      if (value) ids.unshift(value.id)
      index = Math.floor(index / values.length)
    }
    return ids
  })
}

function combinationDocument(ids: readonly string[], valuesById: VariantValues) {
  const titles = ids.flatMap((id) => valuesById.get(id)?.title ?? [])
  return { optionValues: ids.map(optionValueIri), title: titles.length > 0 ? titles.join(' / ') : null }
}

function optionOf(option: OptionParts, valuesById: VariantValues, locale: Locale): Value {
  return {
    '@id': productOptionIri(option.id),
    '@type': 'ProductOption',
    title: titlesOf(option, locale)[0] ?? null,
    values: option.values.map(({ id }) => ({
      '@id': optionValueIri(id),
      '@type': 'OptionValue',
      title: valuesById.get(id)?.title ?? null,
    })),
  }
}

function viewOf(url: URL, page: number, size: number, total: number): Value | undefined {
  if (size === 0 || total <= size) return undefined
  const last = Math.ceil(total / size)
  const link = (pageNumber: number) => `${url.pathname}?${queryWith(url, { page: String(pageNumber) })}`
  return {
    '@id': link(page),
    '@type': 'PartialCollectionView',
    first: link(1),
    // Page numbers with more than nine digits cannot be requested.
    last: last < 1e9 ? link(last) : undefined,
    previous: page > 1 ? link(Math.min(page - 1, last)) : undefined,
    next: page < last && page < 1e9 - 1 ? link(page + 1) : undefined,
  }
}

export const resource: Resource = {
  shape: variantMatrix,
  problems: [],
  operations: [
    operation({
      name: 'getVariantMatrix',
      summary: 'List the existing and missing combinations of option values of a product',
      description:
        'Combinations are paged. Variants made before an option was added are counted in `incompleteTotal`, and are neither existing nor missing.',
      method: 'GET',
      path,
      scope: 'products:read',
      shape: variantMatrix,
      answers: 'item',
      notFound: productProblems.not_found,
      query: parameters,
      run: getVariantMatrix,
    }),
  ],
}
