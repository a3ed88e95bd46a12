import { stamped } from '../../../core/stamped.ts'
import { insertRows, updateRows } from '../../../db/rows.ts'
import type { Owned } from '../owned/index.ts'
import { type OptionParts, optionDocument } from './document.ts'
import { productOptionIri } from './iri.ts'
import { productOptionProblems } from './problems.ts'
import { productOption as shape } from './schema.ts'
import { optionParts, optionRow } from './store.ts'
import { productOptions } from './table.ts'

/** What options are among the things that a product owns. */
export const option: Owned<OptionParts> = {
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
  all: ({ options }) => options,
  owner: ({ productId }) => productId,
  parts: optionParts,
  insert: (_, parts, externalId) => insertRows(productOptions, [optionRow(parts, externalId)]),
  update: (_, parts, externalId) => updateRows(productOptions, [optionRow(parts, externalId)]),
  shown: () => ({}),
  kept: (parts) => ({ ...parts, values: [] }),
  stamped(parts, stamps) {
    return stamped({ ...parts, values: parts.values.map((each) => stamped(each, stamps)) }, stamps)
  },
  document: optionDocument,
}
