import type { Resource } from '../core/operation.ts'
import { resource as categories } from './categories/operations.ts'
import { resource as metaobjectDefinitions } from './content/definitions/operations.ts'
import { resource as metaobjects } from './content/metaobjects/operations.ts'
import { resource as metafieldDefinitionTypes } from './content/types/operations.ts'
import { resource as events } from './events/operations.ts'
import { resource as purchaseOffers } from './offers/purchase/operations.ts'
import { resource as saleOffers } from './offers/sale/operations.ts'
import { resource as resolvedPrices } from './prices/schema.ts'
import { resource as collections } from './products/collections/operations.ts'
import { resource as products } from './products/operations.ts'
import { resource as productOptions } from './products/options/operations.ts'
import { resource as optionValues } from './products/values/operations.ts'
import { resource as variantMatrix } from './products/variants/matrix.ts'
import { resource as variants } from './products/variants/operations.ts'
import { resource as errorCodes } from './service/error-codes/operations.ts'
import { resource as versions } from './service/versions/operations.ts'
import { resource as translations } from './translations.ts'
import {
  resource as webhookDeliveries,
  previews as webhookPreviews,
  replays as webhookReplays,
  tests as webhookTests,
} from './webhooks/deliveries/operations.ts'
import { resource as webhookSubscriptions } from './webhooks/subscriptions/operations.ts'
import { resource as webhookTopics } from './webhooks/topics/operations.ts'

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
