import { itemIri } from '../../../core/iri.ts'

/** Where variants are, each under its product. */
export const variantCollection = '/api/products/{productId}/variants'

export function variantIri(productId: string, id: string): string {
  return itemIri(variantCollection, id, productId)
}
