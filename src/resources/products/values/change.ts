import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import type { Rewrite, Translated } from '../../../core/rewrite.ts'
import { refuse } from '../../../core/violations.ts'
import { maximumValues } from '../options/index.ts'
import { productOptionIri } from '../options/iri.ts'
import { createOwned, deleteOwned, getOwned, patchOwned, translateOwned } from '../owned/index.ts'
import type { ValueParts } from './document.ts'
import { optionValue } from './owned.ts'
import { optionValueProblems } from './problems.ts'
import type { optionValue as shape } from './schema.ts'
import { valueParts } from './store.ts'

/** Reads one option value. */
export function getValue(context: Context, { params }: Input<{ params: 'id' }>): Promise<Answer> {
  return getOwned(optionValue, context, params.id)
}

/** Adds a value to an option. */
export function createValue(context: Context, { bodies }: Input<{ body: typeof shape }>): Promise<Answer> {
  const [body = {}] = bodies
  const optionId = body.option ?? ''
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
export function patchValue(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  return patchOwned(optionValue, context, { operation: 'patchOptionValue', id, body })
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
export function deleteValue(context: Context, { params: { id } }: Input<{ params: 'id' }>): Promise<Answer> {
  return deleteOwned(optionValue, context, {
    operation: 'deleteOptionValue',
    id,
    gone: () => ({ changed: [], totals: { option_values: -1 } }),
  })
}
