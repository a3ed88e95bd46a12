import { differencesBetween } from '../../../core/patch.ts'
import type { Changed } from '../../../core/write.ts'
import { offerEventDocument } from './document.ts'
import type { Offer, OfferValues } from './offer.ts'

/** What events of a kind of offer are called: its table, and the subject of its topics. */
type Named = { readonly table: string; readonly subject: string }

/** The event of an offer's creation. */
export function creationOf({ table, subject }: Named, { parts, values }: Offer<OfferValues>): Changed {
  return {
    kind: table,
    id: parts.id,
    version: 1,
    action: 'created',
    topic: `${subject}/created`,
    document: offerEventDocument(parts),
    changes: differencesBetween({}, values),
    moments: [parts.validFrom, parts.validUntil],
  }
}
