import { bytesOf } from '../../core/document.ts'
import { offerResource } from '../offers/operations.ts'
import { saleOfferDefinition } from './terms.ts'

export const resource = offerResource(saleOfferDefinition)

/**
 * Limits of a batch of boundaries, which holds the lock of the tenant's clock for at most 3 ms
 * (.github/docs/performance.md).
 * A single document is accepted at any size.
 */
const maxBoundariesPerBatch = 25
const maxBytesPerBatch = 100_000

/** Splits boundaries, in their order, into batches that hold the clock's lock for a short time. */
export function* splitIntoBatches<Item extends { readonly document: string }>(
  boundaries: Iterable<Item>,
): Iterable<readonly Item[]> {
  let batch: Item[] = []
  let bytes = 0
  for (const boundary of boundaries) {
    const size = bytesOf(boundary.document)
    if (batch.length === maxBoundariesPerBatch || (batch.length > 0 && bytes + size > maxBytesPerBatch)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(boundary)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
