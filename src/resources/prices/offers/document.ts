import { budgets } from '../../../core/budgets.ts'
import { localized, type Value } from '../../../core/document.ts'
import type { Locale } from '../../../core/locale.ts'
import { type CategoryParts, embeddedCategories, keptCategories } from '../../categories/index.ts'
import { stateAt } from './state.ts'

/** An offer's own row. Moments are canonical instants. */
export type OfferRowParts = {
  readonly id: string
  readonly productId: string
  readonly variantId: string
  readonly document: string
  readonly status: string
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** What an offer's document is made of: its row and the categories of its product. Plain JSON. */
export type OfferParts = OfferRowParts & { readonly categories: readonly CategoryParts[] }

/** `now` is the canonical instant at which the offer's state is told. */
export function offerDocument(parts: OfferParts, locale: Locale, now: string): Value {
  const { categories, version, createdAt, updatedAt } = parts
  return localized(parts, [], locale, {
    state: stateAt(parts, now),
    categories: embeddedCategories(categories, locale, budgets.embeddedAgain),
    version,
    createdAt,
    updatedAt,
  })
}

/** What an offer's event keeps, from which its document can be rendered in any locale, whatever its writer expanded. */
export function offerEventDocument(parts: OfferParts): string {
  const { id, productId, variantId, document, status, validFrom, validUntil, categories } = parts
  const own = { id, productId, variantId, document, status, validFrom, validUntil }
  return JSON.stringify({ ...own, categories: keptCategories(categories) })
}
