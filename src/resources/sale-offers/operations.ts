import { bytesOf } from '../../core/document.ts'
import type { EventedResource } from '../../core/operation.ts'
import { offerOperations } from '../offers/operations.ts'
import { saleOfferProblems } from './problems.ts'
import { saleOffer, saleOffering, saleOfferKind } from './terms.ts'

export const resource: EventedResource = {
  shape: saleOffer,
  kind: saleOfferKind,
  problems: Object.values(saleOfferProblems),
  operations: offerOperations(saleOffering),
}

/** What is recorded at once, the clock being held: within 3 ms (.github/measurements.md). A document is taken whatever it has. */
const recordedAtOnce = 25
const bytesAtOnce = 100_000

/** What is recorded at once: boundaries in their order, as many as keep the clock for a short time. */
export function* inParts<Each extends { readonly document: string }>(
  boundaries: Iterable<Each>,
): Iterable<readonly Each[]> {
  let part: Each[] = []
  let bytes = 0
  for (const boundary of boundaries) {
    const size = bytesOf(boundary.document)
    if (part.length === recordedAtOnce || (part.length > 0 && bytes + size > bytesAtOnce)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(boundary)
    bytes += size
  }
  if (part.length > 0) yield part
}
