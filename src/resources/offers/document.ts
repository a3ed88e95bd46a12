import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { documentInLocale, type Value } from '../../core/document.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { differencesBetween } from '../../core/patch.ts'
import { type Change, creationOf, uncommitted } from '../../core/plan.ts'
import type { Shape } from '../../core/schema.ts'
import { render } from '../../core/state.ts'
import { stampedRow, stamps } from '../../db/columns.ts'
import { columnsOf, type RowOf } from '../../db/query.ts'
import type { ClockStep, WriteStep } from '../../db/write-steps.ts'
import {
  type CategoryParts,
  categoriesForEvent,
  embeddedCategories,
  eventCategory,
} from '../categories/document.ts'
import type { OfferValues, offerStates } from './properties.ts'

/** The condition of the index `variants_archived`. */
const isArchivedVariant = sql`(v.status <> 'ACTIVE' or v.product_archived)`

export type OfferState = (typeof offerStates)[number]

/** The properties that an offer's state depends on. Times are canonical timestamps. */
type OfferValidity = {
  readonly status: string
  readonly validFrom: string | null
  readonly validUntil: string | null
  /** Whether its variant or product is archived. Absent in events, which state only what the offer itself says. */
  readonly ownerArchived?: boolean | undefined
}

/** Computes an offer's state at a canonical timestamp. `validUntil` is exclusive. */
function stateAt(offer: OfferValidity, now: string): OfferState {
  if (offer.status !== 'ACTIVE' || offer.ownerArchived) return 'INACTIVE'
  if (offer.validFrom !== null && offer.validFrom > now) return 'SCHEDULED'
  return offer.validUntil !== null && offer.validUntil <= now ? 'EXPIRED' : 'LIVE'
}

/** Whether the variant or the product of an offer's row is archived. */
export const ownerArchived = sql`exists (select from variants v where v.tenant_id = current_tenant() and v.id = variant_id and ${isArchivedVariant})`

/** The SQL condition for rows that have a state: the same rule as `stateAt`. */
export function stateCondition(state: OfferState, now: string): SQL {
  if (state === 'INACTIVE') {
    // Two indexes find the few rows; `exists` would be evaluated for each row of the list.
    const archivedVariants = sql`select v.id from variants v where v.tenant_id = current_tenant() and ${isArchivedVariant}`
    return sql`(status <> 'ACTIVE' or variant_id = any(array(${archivedVariants})))`
  }
  const startedCondition = sql`(valid_from is null or valid_from <= ${now}::timestamptz)`
  const conditions = {
    SCHEDULED: sql`valid_from > ${now}::timestamptz`,
    EXPIRED: sql`${startedCondition} and valid_until <= ${now}::timestamptz`,
    LIVE: sql`${startedCondition} and (valid_until is null or valid_until > ${now}::timestamptz)`,
  }
  return sql`status = 'ACTIVE' and ${conditions[state]} and not ${ownerArchived}`
}

/** The stored row of an offer. Times are canonical timestamps. */
type OfferRowParts = RowOf<typeof offerRow>
export const offerRow = {
  ...columnsOf(z.string(), 'id', 'productId', 'variantId', 'document', 'status'),
  validFrom: z.string().nullable(),
  validUntil: z.string().nullable(),
  ...stampedRow,
}

/**
 * The data that an offer's document is rendered from: its row and the categories of its product. Plain JSON.
 */
export type OfferParts = OfferRowParts &
  Pick<OfferValidity, 'ownerArchived'> & {
    readonly categories: readonly CategoryParts[]
    /** Warnings about a write of the offer, for its response only: JSON, because stored results do not keep the order of members. */
    readonly warnings?: string | undefined
  }

/** The parts of an offer that its event stores. */
export const eventOffer = z
  .object(offerRow)
  .omit(stamps)
  .extend({ categories: z.array(eventCategory).readonly() })

/** Renders an offer's document; `now` is the canonical timestamp at which its state is computed. */
export function offerDocument(parts: OfferParts, shape: Shape, locale: Locale, now: string): Value {
  const { categories, warnings, version, createdAt, updatedAt } = parts
  return {
    ...documentInLocale(parts, shape, locale),
    state: stateAt(parts, now),
    categories: embeddedCategories(categories, locale, byteLimits.embeddedAgain),
    warnings: warnings === undefined ? undefined : JSON.parse(warnings),
    version,
    createdAt,
    updatedAt,
  }
}

/**
 * The JSON that an offer's event stores.
 * It contains all translations, so the document can be rendered in any locale, whatever the writing request
 * expanded.
 */
export function offerEventDocument(parts: OfferParts): string {
  const { id, productId, variantId, document, status, validFrom, validUntil, categories } = parts
  const row = { id, productId, variantId, document, status, validFrom, validUntil }
  return JSON.stringify({ ...row, categories: categoriesForEvent(categories) })
}

/** The names in an offer's events: the table, and the subject of the topics. */
type EventNames = { readonly name: string; readonly subject: string }

export function creationEvent(names: EventNames, { parts, values }: Offer): Change {
  return creationOf(names, parts.id, {
    document: offerEventDocument(parts),
    changes: differencesBetween({}, values),
    scheduledAt: [parts.validFrom, parts.validUntil],
  })
}

/** A new offer of a variant; `ownerId` is the id of the variant's product. */
type NewOffer = {
  readonly id: string
  readonly variant: { readonly id: string; readonly ownerId: string }
  readonly values: OfferValues
}

/** Builds the parts of a new offer. Its version is 0 until the commit. */
export function newOfferParts(
  shape: Shape,
  locales: readonly [string, ...string[]],
  { id, variant, values }: NewOffer,
  categories: readonly CategoryParts[],
): OfferParts {
  const { status, validFrom, validUntil } = values
  const identity = { iri: `${shape.collection}/${id}`, id }
  return {
    id,
    productId: variant.ownerId,
    variantId: variant.id,
    document: render(shape, identity, { values, translations: {} }, locales),
    status,
    validFrom,
    validUntil,
    ...uncommitted,
    categories,
  }
}

/** An offer to store, and the values that its document was rendered from: those of its kind, too. */
export type Offer = { readonly parts: OfferParts; readonly values: OfferValues }

/** Returns the steps of a write that store the prices of the offers' variants, as the write leaves the offers. */
export type IndexPrices = (written: readonly Offer[]) => {
  readonly beforeClock: readonly WriteStep[]
  readonly underClock: readonly ClockStep[]
}

/** Stores no prices. */
export const noPrices: IndexPrices = () => ({ beforeClock: [], underClock: [] })
