import { bytesOf } from '../../core/document.ts'
import type { EventedResource } from '../../core/operation.ts'
import { offerOperations } from '../offers/operations.ts'
import { saleOfferProblems } from './problems.ts'
import { saleOffer, saleOfferDefinition, saleOfferKind } from './terms.ts'

export const resource: EventedResource = {
  shape: saleOffer,
  kind: saleOfferKind,
  problems: Object.values(saleOfferProblems),
  operations: offerOperations(saleOfferDefinition),
}

/** What is recorded at once, the clock being held: within 3 ms (.github/measurements.md). A document is taken whatever it has. */
const maxBoundariesPerBatch = 25
const maxBytesPerBatch = 100_000

/** What is recorded at once: boundaries in their order, as many as keep the clock for a short time. */
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
