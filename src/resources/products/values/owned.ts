import { stamped } from '../../../core/stamped.ts'
import { insertRows, updateRows } from '../../../db/rows.ts'
import { productOptionIri } from '../options/iri.ts'
import type { Owned } from '../owned/index.ts'
import { type ValueParts, valueDocument } from './document.ts'
import { optionValueIri } from './iri.ts'
import { optionValueProblems } from './problems.ts'
import { optionValue as shape } from './schema.ts'
import { valueParts, valueRow } from './store.ts'
import { optionValues } from './table.ts'

/** What option values are among the things that a product owns. */
export const optionValue: Owned<ValueParts> = {
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
  all: ({ options }) => options.flatMap(({ values }) => values),
  owner: ({ optionId }) => optionId,
  parts: valueParts,
  insert: (productId, parts, externalId) =>
    insertRows(optionValues, [valueRow(productId, parts, externalId)]),
  update: (productId, parts, externalId) =>
    updateRows(optionValues, [valueRow(productId, parts, externalId)]),
  shown: ({ optionId }) => ({ option: productOptionIri(optionId) }),
  kept: (parts) => parts,
  stamped,
  document: valueDocument,
}
