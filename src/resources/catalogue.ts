import type { Kind } from '../core/kind.ts'
import type { Resource } from '../core/operation.ts'
import { resource as categories } from './categories/operations.ts'
import { resource as metaobjectDefinitions } from './content/definitions/operations.ts'
import { resource as fieldTypes } from './content/field-types/operations.ts'
import { resource as metaobjects } from './content/metaobjects/operations.ts'
import { resource as pictures } from './content/pictures/operations.ts'
import { resource as purchaseOffers } from './offers/purchase/operations.ts'
import { resource as markets } from './offers/sale/markets.ts'
import { resource as saleOffers } from './offers/sale/operations.ts'
import { resource as resolvedPrices } from './prices/schema.ts'
import { segments as priceSegments } from './prices/timeline-schema.ts'
import { counts as collectionCounts } from './products/collections/count.ts'
import { resource as collections } from './products/collections/operations.ts'
import type { InProduct } from './products/index.ts'
import { resource as products } from './products/operations.ts'
import { resource as productOptions } from './products/options/operations.ts'
import { resource as optionValues } from './products/values/operations.ts'
import { resource as variantMatrix } from './products/variants/matrix.ts'
import { resource as variants } from './products/variants/operations.ts'
import { resource as priceTimelines } from './products/variants/price-timeline.ts'
import { translationsOf } from './translations.ts'

type Catalogued = Resource & { readonly kind?: Kind<InProduct> }

/**
 * What a catalogue consists of, a line for each resource: operations, documents, scopes, topics, events and error codes are
 * derived from what it says of itself.
 */
const listed: readonly Catalogued[] = [
  products,
  productOptions,
  optionValues,
  variants,
  variantMatrix,
  categories,
  collections,
  collectionCounts,
  saleOffers,
  markets,
  resolvedPrices,
  priceTimelines,
  priceSegments,
  purchaseOffers,
  fieldTypes,
  metaobjectDefinitions,
  metaobjects,
  pictures,
]

/** Every resource of the catalogue, and the translations of those that have them. */
export const catalogue: readonly Catalogued[] = [...listed, translationsOf(listed)]
