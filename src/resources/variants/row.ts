import { type SQL, sql } from 'drizzle-orm'
import type { Value } from '../../core/document.ts'
import { byteLimits } from '../../core/limits.ts'
import type { BodyOf, Context } from '../../core/operation.ts'
import { type Change, creationOf, uncommitted, updateOf } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import type { Values } from '../../core/schema.ts'
import type { SelectedMembers } from '../../core/select.ts'
import { render, type State } from '../../core/state.ts'
import { documentColumn, instantText } from '../../db/columns.ts'
import { statement } from '../../db/query.ts'
import { embeddedCategories } from '../categories/document.ts'
import { differencesWithCustomFields, metaobjectIdsOf, metaobjectsIn } from '../fields/custom-fields.ts'
import type { EmbeddedMetaobject } from '../metaobjects/document.ts'
import { type Prices, priceMember } from '../prices/read.ts'
import { optionValueIri } from '../product-options/schema.ts'
import { type ProductParts, withoutVariants } from '../products/document.ts'
import { productProblems, variantProblems } from '../products/problems.ts'
import { combinationOf } from './combination.ts'
import { storedVariantColumns, type VariantParts, variantDocument, variantValues } from './document.ts'
import { maximumVariants, type variant as shape, variant, variantIri } from './schema.ts'

/** Builds a variant's parts from its state. A new variant has version 0 until the commit. */
export function variantParts(
  identity: {
    id: string
    productId: string
    optionValueIds: readonly string[]
    position: number | null
    metaobjects?: readonly EmbeddedMetaobject[] | null
    version?: number
    createdAt?: string
    updatedAt?: string
  },
  state: State<typeof variant>,
): VariantParts {
  const { id, productId } = identity
  return {
    ...uncommitted,
    ...identity,
    status: state.values.status,
    // A variant has no translatable properties, so the locales have no effect.
    document: render(variant, { iri: variantIri(productId, id), id }, state, ['en-US']),
  }
}

type RowValues = Pick<Values<typeof variant>, 'externalId' | 'sku' | 'barcode' | 'fields'>

/** The row of a variant, without the columns that the write sets. */
export function variantRow(
  { id, productId, status, position, optionValueIds, document }: VariantParts,
  { externalId, sku, barcode, fields }: RowValues,
) {
  return {
    id,
    productId,
    status,
    position,
    sku,
    barcode,
    externalId,
    optionValueIds: [...optionValueIds],
    combination: combinationOf(optionValueIds),
    metaobjectIds: metaobjectIdsOf(fields),
    document,
  }
}

/** The rows of a variant in the table of its option values. */
export const valueLinks = ({ id, optionValueIds }: Pick<VariantParts, 'id' | 'optionValueIds'>) =>
  optionValueIds.map((optionValueId) => ({ optionValueId, variantId: id }))

/** The result of a write: its product's parts, for titles and categories, and the variants. */
export type Result = { readonly product: ProductParts; readonly variants: readonly VariantParts[] }

/**
 * Returns a function that renders variants of a product. It prepares the options and categories once for all
 * variants.
 */
export function documentsOf(
  product: ProductParts,
  { locale }: Context,
): (parts: VariantParts, prices?: Prices) => Value {
  const values = variantValues(product.options, locale)
  const categories = embeddedCategories(product.categories, locale, byteLimits.embeddedAgain)
  return (parts, prices) =>
    variantDocument(parts, values, locale, {
      ...(prices === undefined ? {} : priceMember(prices)),
      categories,
    })
}

/** A product's parts without the properties that documents of variants do not need. */
export function withoutDocument(product: ProductParts): ProductParts {
  return { ...product, document: '{}', variants: [] }
}

type VariantState = { readonly parts: VariantParts; readonly state: State<typeof variant> }

const changedVariant = { name: 'variants', subject: 'variant' }

/** The event of a variant's change; `before` is null for a new variant. */
export function changeEvent(before: VariantState | null, after: VariantState, archives = false): Change {
  const { parts } = after
  const content = {
    ownerId: parts.productId,
    document: JSON.stringify(parts),
    changes: differencesWithCustomFields(before ? comparedValues(before) : {}, comparedValues(after)),
  }
  return before
    ? updateOf(changedVariant, parts, content, archives)
    : creationOf(changedVariant, parts.id, content)
}

function comparedValues({ parts, state }: VariantState) {
  const { position, optionValueIds } = parts
  return { ...state.values, position, optionValues: optionValueIds.map(optionValueIri) }
}

export type Body = BodyOf<typeof shape>

/** Options of the product query of a write: all translations, and no other variants. */
export const variantWriteQuery = { limits: withoutVariants, translations: true }

/** The columns of a variant in the shape of its parts, with only the selected members of its document. */
export function variantColumns(selectedMembers: SelectedMembers = null): SQL {
  return sql`id, product_id as "productId", ${documentColumn(sql`document`, selectedMembers)}, status, to_json(option_value_ids) as "optionValueIds", position, ${metaobjectsIn(selectedMembers)}, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** Reads variants that meet a condition. */
export function variantsStatement(condition: SQL) {
  return statement(storedVariantColumns)`select ${variantColumns()} from variants
    where tenant_id = current_tenant() and ${condition}`
}

/** The violations if a product cannot have `addedCount` more variants. */
export function limitViolations(product: ProductParts, addedCount: number): Violation[] {
  const total = product.variantsTotal + addedCount
  if (total > maximumVariants) return [variantProblems.limit.at('', { maximum: maximumVariants })]
  if (product.options.length === 0 && total > 1) return [productProblems.options_required.at('optionValues')]
  return []
}
