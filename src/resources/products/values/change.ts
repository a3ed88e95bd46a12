import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import type { Rewrite, Translated } from '../../../core/rewrite.ts'
import { stamped } from '../../../core/stamped.ts'
import { refuse } from '../../../core/violations.ts'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { maximumValues } from '../options/index.ts'
import { productOptionIri } from '../options/iri.ts'
import { createOwned, deleteOwned, getOwned, type Owned, patchOwned, translateOwned } from '../owned/index.ts'
import { type ValueParts, valueDocument } from './document.ts'
import { optionValueIri } from './iri.ts'
import { optionValueProblems } from './problems.ts'
import { optionValue as shape } from './schema.ts'
import { valueParts, valueRow } from './store.ts'
import { optionValues } from './table.ts'

const optionValue: Owned<ValueParts> = {
  kind: 'option_values',
  topic: 'option_value',
  shape,
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
  siblings: ({ optionId }) => sql`option_id = ${optionId}::uuid`,
  parts: valueParts,
  insert: (productId, parts) => insertRows(optionValues, [valueRow(productId, parts)]),
  update: (productId, parts) => updateRows(optionValues, [valueRow(productId, parts)]),
  shown: ({ optionId }) => ({ option: productOptionIri(optionId) }),
  kept: (parts) => parts,
  stamped,
  document: valueDocument,
}

/** Reads one option value. */
export function getValue(context: Context, { params }: Input): Promise<Answer> {
  return getOwned(optionValue, context, params.id!)
}

/** Adds a value to an option. */
export function createValue(context: Context, { bodies }: Input): Promise<Answer> {
  const [body = {}] = bodies
  const optionId = body.option as string
  return createOwned(optionValue, context, {
    operation: 'createOptionValue',
    productId: sql`(select product_id from product_options where tenant_id = current_tenant() and id = ${optionId}::uuid)`,
    body,
    home(product) {
      const option = product?.options.find((each) => each.id === optionId)
      if (!product || !option) {
        refuse([validationProblems.unknown_reference.at('option', { iri: productOptionIri(optionId) })])
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
export function patchValue(context: Context, { params, bodies }: Input): Promise<Answer> {
  const body = bodies[0] ?? {}
  return patchOwned(optionValue, context, { operation: 'patchOptionValue', id: params.id!, body })
}

/** Rewrites an option value's texts. */
export function translateValue(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<ValueParts>> {
  return translateOwned(optionValue, context, { operation: 'putOptionValueTranslations', id, rewrite })
}

/** Deletes an option value, unless an active variant uses it. */
export function deleteValue(context: Context, { params }: Input): Promise<Answer> {
  return deleteOwned(optionValue, context, {
    operation: 'deleteOptionValue',
    id: params.id!,
    gone: () => ({ changed: [], totals: { option_values: -1 } }),
  })
}
