import { iri } from '../../core/iri.ts'
import { render, type State } from '../../core/state.ts'
import { combinationOf } from './combination.ts'
import type { VariantParts } from './document.ts'
import { variant } from './schema.ts'

/** A variant's parts from its state; a new one has no version yet. */
export function variantParts(
  identity: {
    id: string
    productId: string
    optionValueIds: readonly string[]
    position: number | null
    version?: number
    createdAt?: string
    updatedAt?: string
  },
  state: State,
): VariantParts {
  const { id, productId } = identity
  return {
    version: 0,
    createdAt: '',
    updatedAt: '',
    ...identity,
    status: String(state.values.status),
    // A variant has nothing that is translated, so any locales give the same text.
    document: render(variant, { iri: iri.variant(productId, id), id }, state, ['en-US']),
  }
}

/** The row of a variant, but for what commit() stamps. */
export function variantRow(parts: VariantParts) {
  const { id, productId, status, position, optionValueIds, document } = parts
  const { externalId, sku, barcode } = JSON.parse(document) as Record<
    'externalId' | 'sku' | 'barcode',
    string | null
  >
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
    document,
  }
}
