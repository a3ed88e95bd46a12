import type { Answer, Context, Input } from '../../../core/operation.ts'
import { deletionOf } from '../../../core/plan.ts'
import type { Rewrite, Translated } from '../../../core/rewrite.ts'
import { idOf, productProblems } from '../index.ts'
import { createOwned, deleteOwned, getOwned, patchOwned, translateOwned } from '../owned/index.ts'
import { optionValueKind } from '../values/index.ts'
import type { OptionParts } from './document.ts'
import { option } from './owned.ts'
import { productOptionProblems } from './problems.ts'
import { maximumOptions, type productOption as shape } from './schema.ts'
import { optionParts } from './store.ts'

/** Reads one option with its values. */
export function getOption(context: Context, { params }: Input<{ params: 'id' }>): Promise<Answer> {
  return getOwned(option, context, params.id)
}

/** Adds an option to a product; its existing variants stay as they are. */
export function createOption(
  context: Context,
  { params: { productId }, bodies }: Input<{ params: 'productId'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  return createOwned(option, context, {
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
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  return patchOwned(option, context, { operation: 'patchOption', id, body })
}

/** Rewrites an option's texts. */
export function translateOption(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<OptionParts>> {
  return translateOwned(option, context, { operation: 'putProductOptionTranslations', id, rewrite })
}

/** Deletes an option and its values, unless an active variant uses one of them. */
export function deleteOption(context: Context, { params: { id } }: Input<{ params: 'id' }>): Promise<Answer> {
  return deleteOwned(option, context, {
    operation: 'deleteOption',
    id,
    gone: ({ productId, values }) => ({
      changed: values.map((each) => deletionOf(optionValueKind, each, JSON.stringify(each), productId)),
      totals: { option_values: -values.length },
    }),
  })
}
