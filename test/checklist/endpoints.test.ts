/** The endpoints of the interface, word for word. `test/contract.test.ts` calls each of them in every version. */
import { beforeAll, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { versions } from './versions.ts'

/** Methods, with the status of a success that is not the usual one, and paths. */
const endpoints = `
  GET,POST           /api/products
  GET,PATCH,DELETE   /api/products/{}
  GET                /api/products/by-handle/{}
  PATCH              /api/products
  PATCH              /api/products/{}/variants
  PATCH              /api/products/by-external-id/{}
  GET,POST           /api/products/{}/product_options
  GET,PATCH,DELETE   /api/product_options/{}
  GET,POST           /api/option_values
  GET,PATCH,DELETE   /api/option_values/{}
  GET,POST           /api/products/{}/variants
  GET,PATCH,DELETE   /api/products/{}/variants/{}
  GET,POST           /api/categories
  GET,PATCH,DELETE   /api/categories/{}
  GET                /api/categories/by-path/{}
  PATCH              /api/categories
  PATCH              /api/categories/by-external-id/{}
  GET,POST           /api/collections
  GET,PATCH,DELETE   /api/collections/{}
  PATCH              /api/collections
  PATCH              /api/collections/by-external-id/{}
  GET,POST           /api/collections/{}/products
  DELETE             /api/collections/{}/products/{}
  POST200            /api/collections/count
  GET,POST           /api/sale_offers
  GET,PATCH,DELETE   /api/sale_offers/{}
  PATCH              /api/sale_offers
  PATCH              /api/sale_offers/by-external-id/{}
  GET,POST           /api/purchase_offers
  GET,PATCH,DELETE   /api/purchase_offers/{}
  PATCH              /api/purchase_offers
  PATCH              /api/purchase_offers/by-external-id/{}
  GET,POST           /api/campaigns
  GET,PATCH,DELETE   /api/campaigns/{}
  POST202            /api/campaigns/{}/end
  GET,POST           /api/markets
  GET,PATCH,DELETE   /api/markets/{}
  GET,POST           /api/search_synonyms
  GET,PATCH,DELETE   /api/search_synonyms/{}
  GET                /api/market_suggestions
  GET                /api/price_policies
  GET                /api/price_announcements
  GET                /api/price_changes
  POST200            /api/price_previews
  GET,PUT,DELETE     /api/price_policies/{}
  GET                /api/products/{}/price_timeline
  GET                /api/products/{}/variants/{}/price_timeline
  GET                /api/products/{}/readiness
  GET                /api/issues
  GET                /api/metafield_definition_types
  GET                /api/metafield_definition_types/{}
  GET,POST           /api/metaobject_definitions
  GET,PATCH,DELETE   /api/metaobject_definitions/{}
  GET,POST           /api/metaobjects
  GET,PATCH,DELETE   /api/metaobjects/{}
  PATCH              /api/metaobjects
  PATCH              /api/metaobjects/by-external-id/{}
  GET                /api/metaobjects/{}/{}
  POST               /api/pictures
  GET,PUT            /api/products/{}/translations
  GET,PUT            /api/product_options/{}/translations
  GET,PUT            /api/option_values/{}/translations
  GET,PUT            /api/categories/{}/translations
  GET,PUT            /api/collections/{}/translations
  GET                /api/translations/products
  GET                /api/translations/product_options
  GET                /api/translations/option_values
  GET                /api/translations/categories
  GET                /api/translations/collections
  POST200            /api/products/{}/revert
  POST200            /api/product_options/{}/revert
  POST200            /api/option_values/{}/revert
  POST200            /api/products/{}/variants/{}/revert
  POST200            /api/categories/{}/revert
  POST200            /api/collections/{}/revert
  POST200            /api/sale_offers/{}/revert
  POST200            /api/campaigns/{}/revert
  POST200            /api/markets/{}/revert
  POST200            /api/purchase_offers/{}/revert
  POST200            /api/metaobject_definitions/{}/revert
  POST200            /api/metaobjects/{}/revert
  POST200            /api/search_synonyms/{}/revert
  GET,POST202        /api/bulk_operations
  GET,DELETE         /api/bulk_operations/{}
  GET                /api/bulk_operations/{}/results
  POST202            /api/bulk_operations/{}/revert
  GET                /api/events
  POST200            /api/sync/differences
  GET                /api/events/{}
  GET                /api/products/{}/audit_trail
  GET                /api/webhook_topics
  GET                /api/webhook_topics/{}
  GET,POST           /api/webhook_subscriptions
  GET,PATCH,DELETE   /api/webhook_subscriptions/{}
  POST200            /api/webhook_subscriptions/{}/rotate_secret
  GET                /api/webhook_subscriptions/{}/deliveries
  GET                /api/webhook_subscriptions/{}/deliveries/{}
  GET                /api/webhook_subscriptions/{}/deliveries/{}/body
  POST202            /api/webhook_subscriptions/{}/deliveries/{}/retry
  POST202            /api/webhook_subscriptions/{}/replay
  POST200            /api/webhook_subscriptions/{}/preview
  POST200            /api/webhook_subscriptions/{}/test
  GET                /api/error-codes
  GET                /api/error-codes/{}
  GET                /api/versions
  GET                /api/versions/{}`

test('the operations are those of the interface', () => {
  const listed = endpoints.matchAll(/^ *(\S+) +(\S+)$/gm)
  const expected = [...listed].flatMap(([, methods = '', path]) =>
    methods.split(',').map((method) => `${method} ${path}`),
  )
  const served = resources
    .flatMap(({ operations }) => operations)
    .map(({ method, status = '', path }) => `${method}${status} ${path.replace(/\{\w+\}/g, '{}')}`)
  expect(served.toSorted()).toEqual(expected.toSorted())
})

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

test.each(versions)('documents need no token in $version', async ({ version }) => {
  for (const [path, type] of Object.entries({
    '/health': 'application/json',
    '/ready': 'application/json',
    '/api': 'application/ld+json',
    '/api/contexts/Product': 'application/ld+json',
    '/api/contexts/ProductCollection': 'application/ld+json',
    '/api/contexts/Error': 'application/ld+json',
    '/api/contexts/Metaobject': 'application/ld+json',
    '/api/docs.jsonld': 'application/ld+json',
    '/.well-known/oauth-protected-resource': 'application/json',
    '/.well-known/oauth-protected-resource/mcp': 'application/json',
    '/.well-known/oauth-protected-resource/mcp/catalogue': 'application/json',
    '/api/openapi.json': 'json',
  })) {
    const { headers } = await shop.get(path, { token: null, version, status: 200 })
    expect(headers.get('content-type'), path).toContain(type)
  }
})
