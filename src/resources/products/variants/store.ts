import type { Values } from '../../../core/property.ts'
import { render, type State } from '../../../core/state.ts'
import { type EmbeddedMetaobject, metaobjectIdsOf } from '../../content/custom-fields/index.ts'
import { combinationOf } from './combination.ts'
import type { VariantParts } from './document.ts'
import { variantIri } from './iri.ts'
import { variant } from './schema.ts'

/** A variant's parts from its state; a new one has no version yet. */
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
    version: 0,
    createdAt: '',
    updatedAt: '',
    ...identity,
    status: state.values.status,
    // A variant has nothing that is translated, so any locales give the same text.
    document: render(variant, { iri: variantIri(productId, id), id }, state, ['en-US']),
  }
}

type RowValues = Pick<Values<typeof variant>, 'externalId' | 'sku' | 'barcode' | 'fields'>

/** The row of a variant, but for what commit() stamps. */
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
