import type { Resource } from '../core/operation.ts'
import { resource as categories } from './categories/operations.ts'
import { resource as collections } from './collections/operations.ts'
import { resource as errorCodes } from './error-codes/operations.ts'
import { resource as events } from './events/operations.ts'
import { resource as metafieldDefinitionTypes } from './metafield-definition-types/operations.ts'
import { resource as metaobjectDefinitions } from './metaobject-definitions/operations.ts'
import { resource as metaobjects } from './metaobjects/operations.ts'
import { resource as optionValues } from './option-values/operations.ts'
import { resource as productOptions } from './product-options/operations.ts'
import { resource as products } from './products/operations.ts'
import { resource as purchaseOffers } from './purchase-offers/operations.ts'
import { resource as saleOffers } from './sale-offers/operations.ts'
import { resource as resolvedPrices } from './sale-offers/price-shape.ts'
import { resource as translations } from './translations.ts'
import { resource as variantMatrix } from './variants/matrix.ts'
import { resource as variants } from './variants/operations.ts'
import { resource as versions } from './versions/operations.ts'
import {
  resource as webhookDeliveries,
  previews as webhookPreviews,
  replays as webhookReplays,
  tests as webhookTests,
} from './webhook-deliveries/operations.ts'
import { resource as webhookSubscriptions } from './webhook-subscriptions/operations.ts'
import { resource as webhookTopics } from './webhook-topics/operations.ts'

/** Every resource of the service: routes, documents and tests are derived from this list. */
export const resources: readonly Resource[] = [
  products,
  productOptions,
  optionValues,
  variants,
  variantMatrix,
  categories,
  collections,
  translations,
  saleOffers,
  resolvedPrices,
  purchaseOffers,
  metafieldDefinitionTypes,
  metaobjectDefinitions,
  metaobjects,
  events,
  webhookTopics,
  webhookSubscriptions,
  webhookDeliveries,
  webhookReplays,
  webhookPreviews,
  webhookTests,
  errorCodes,
  versions,
]
