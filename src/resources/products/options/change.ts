import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import type { Rewrite, Translated } from '../../../core/rewrite.ts'
import { stamped } from '../../../core/stamped.ts'
import type { Changed } from '../../../core/write.ts'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { idOf, productProblems } from '../index.ts'
import { createOwned, deleteOwned, getOwned, type Owned, patchOwned, translateOwned } from '../owned/index.ts'
import type { ValueParts } from '../values/index.ts'
import { type OptionParts, optionDocument } from './document.ts'
import { productOptionIri } from './iri.ts'
import { productOptionProblems } from './problems.ts'
import { maximumOptions, productOption as shape } from './schema.ts'
import { optionParts, optionRow } from './store.ts'
import { productOptions } from './table.ts'

const option: Owned<OptionParts> = {
  kind: 'product_options',
  topic: 'product_option',
  shape,
  table: productOptions,
  problems: productOptionProblems,
  iri: productOptionIri,
  find({ options }, id) {
    const own = options.find((each) => each.id === id)
    return own ? { own, siblings: options } : null
  },
  siblings: ({ productId }) => sql`product_id = ${productId}::uuid`,
  parts: optionParts,
  insert: (_, parts) => insertRows(productOptions, [optionRow(parts)]),
  update: (_, parts) => updateRows(productOptions, [optionRow(parts)]),
  shown: () => ({}),
  kept: (parts) => ({ ...parts, values: [] }),
  stamped(parts, stamps) {
    return stamped({ ...parts, values: parts.values.map((each) => stamped(each, stamps)) }, stamps)
  },
  document: optionDocument,
}

/** Reads one option with its values. */
export function getOption(context: Context, { params }: Input): Promise<Answer> {
  return getOwned(option, context, params.id!)
}

/** Adds an option to a product; its existing variants stay as they are. */
export function createOption(context: Context, { params, bodies }: Input): Promise<Answer> {
  const productId = params.productId!
  return createOwned(option, context, {
    operation: 'createOption',
    productId: idOf(productId),
    body: bodies[0] ?? {},
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
export function patchOption(context: Context, { params, bodies }: Input): Promise<Answer> {
  return patchOwned(option, context, { operation: 'patchOption', id: params.id!, body: bodies[0] ?? {} })
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
export function deleteOption(context: Context, { params }: Input): Promise<Answer> {
  return deleteOwned(option, context, {
    operation: 'deleteOption',
    id: params.id!,
    gone: ({ productId, values }) => ({
      changed: values.map((each) => deletedValue(productId, each)),
      totals: { option_values: -values.length },
    }),
  })
}

function deletedValue(productId: string, value: ValueParts): Changed {
  return {
    kind: 'option_values',
    id: value.id,
    version: value.version + 1,
    action: 'deleted',
    topic: 'option_value/deleted',
    ownerId: productId,
    document: JSON.stringify(value),
    changes: [],
  }
}
