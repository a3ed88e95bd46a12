import type { Kind } from '../core/kind.ts'
import type { Resource } from '../core/operation.ts'
import { resource as campaigns } from './campaigns/operations.ts'
import { resource as categories } from './categories/operations.ts'
import { counts as collectionCounts } from './collections/count.ts'
import { resource as collections } from './collections/operations.ts'
import { revertsOf } from './events/revert.ts'
import { resource as fieldTypes } from './fields/operations.ts'
import { resource as issues } from './issues/list.ts'
import { resource as readiness } from './issues/readiness.ts'
import { resource as markets } from './markets/operations.ts'
import { resource as metaobjectDefinitions } from './metaobjects/definitions/operations.ts'
import { resource as metaobjects } from './metaobjects/operations.ts'
import { resource as pictures } from './pictures/operations.ts'
import { resource as priceAnnouncements } from './prices/announcements.ts'
import { announced as announcedPrices, resource as priceChanges } from './prices/changes.ts'
import { resource as pricePolicies } from './prices/policies.ts'
import { resource as resolvedPrices } from './prices/schema.ts'
import { segments as priceSegments, resource as priceTimelines } from './prices/timeline-operations.ts'
import {
  valueResource as optionValues,
  optionResource as productOptions,
} from './product-options/operations.ts'
import type { ProductEventContext } from './products/document.ts'
import { resource as products } from './products/operations.ts'
import { resource as purchaseOffers } from './purchase-offers/operations.ts'
import { resource as marketSuggestions } from './sale-offers/market-suggestions.ts'
import { resource as saleOffers } from './sale-offers/operations.ts'
import { resource as pricePreviews } from './sale-offers/previews.ts'
import { resource as searchSynonyms } from './search-synonyms/operations.ts'
import { translationsOf } from './shared/translations.ts'
import { resource as variants } from './variants/operations.ts'

type CatalogueResource = Resource & { readonly kind?: Kind<ProductEventContext> }

/**
 * The resources of the catalogue, one line each.
 * Operations, documents, scopes, topics, events and error codes are derived from these declarations.
 */
const ownResources: readonly CatalogueResource[] = [
  products,
  productOptions,
  optionValues,
  variants,
  categories,
  collections,
  collectionCounts,
  saleOffers,
  campaigns,
  markets,
  marketSuggestions,
  resolvedPrices,
  pricePolicies,
  priceAnnouncements,
  priceChanges,
  announcedPrices,
  pricePreviews,
  priceTimelines,
  priceSegments,
  readiness,
  issues,
  purchaseOffers,
  fieldTypes,
  metaobjectDefinitions,
  metaobjects,
  pictures,
  searchSynonyms,
]

/** Every resource of the catalogue, the translations of the resources with translatable texts, and the undoing of changes. */
export const catalogue: readonly CatalogueResource[] = [
  ...ownResources,
  translationsOf(ownResources),
  revertsOf(ownResources),
]
