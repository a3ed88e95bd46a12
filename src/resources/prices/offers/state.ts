import { type SQL, sql } from 'drizzle-orm'
import type { offerStates } from './schema.ts'

export type OfferState = (typeof offerStates)[number]

/** What an offer's state depends on; its moments are canonical instants. */
type Standing = {
  readonly status: string
  readonly validFrom: string | null
  readonly validUntil: string | null
}

/** Where an offer's validity stands at a canonical instant; the end of its window is no longer part of it. */
export function stateAt(offer: Standing, now: string): OfferState {
  if (offer.status !== 'ACTIVE') return 'INACTIVE'
  if (offer.validFrom !== null && offer.validFrom > now) return 'SCHEDULED'
  return offer.validUntil !== null && offer.validUntil <= now ? 'EXPIRED' : 'LIVE'
}

/** The same as `stateAt` tells of one offer, as a condition on rows. */
export function stateCondition(state: OfferState, now: string): SQL {
  const begun = sql`(valid_from is null or valid_from <= ${now}::timestamptz)`
  const ended = sql`valid_until <= ${now}::timestamptz`
  if (state === 'INACTIVE') return sql`status <> 'ACTIVE'`
  if (state === 'SCHEDULED') return sql`status = 'ACTIVE' and valid_from > ${now}::timestamptz`
  const isAtIt = state === 'EXPIRED' ? ended : sql`(valid_until is null or valid_until > ${now}::timestamptz)`
  return sql`status = 'ACTIVE' and ${begun} and ${isAtIt}`
}
