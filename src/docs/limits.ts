/** The limits of the service, published in the OpenAPI document and in `.github/docs/limits.md`. */
import { byteLimits } from '../core/limits.ts'
import { maximumItemsPerPage, standardItemsPerPage } from '../core/paging.ts'
import { maximumPathDepth } from '../core/select.ts'
import { maximumJsonDepth } from '../core/strict-json.ts'
import { writersAtOnce } from '../db/client.ts'
import { maximumLines, maximumUnfinished } from '../resources/bulk-operations/schema.ts'
import { maximumChildren, maximumLevels } from '../resources/categories/schema.ts'
import { maxCountedProducts } from '../resources/collections/count.ts'
import { maxChosenCollections } from '../resources/collections/membership.ts'
import { maxConditions } from '../resources/collections/rules.ts'
import { maximumRanges } from '../resources/events/differences.ts'
import {
  maxValuesLength as longestCustomFields,
  maximumCustomFields,
} from '../resources/fields/custom-fields.ts'
import { maxListLength, maxValueLength } from '../resources/fields/types.ts'
import { maximumMarkets } from '../resources/markets/schema.ts'
import { maximumFields, maximumRules } from '../resources/metaobjects/definitions/schema.ts'
import { maxValuesLength as longestMetaobject } from '../resources/metaobjects/rules.ts'
import { maximumOffers } from '../resources/offers/kind.ts'
import { maxPriorTerms } from '../resources/prices/read.ts'
import { maxSegments } from '../resources/prices/timeline-operations.ts'
import { maximumOptions, maximumValues } from '../resources/product-options/schema.ts'
import { maximumEmbeddedPrices } from '../resources/products/document.ts'
import { maximumLabels } from '../resources/products/schema.ts'
import { maxValues } from '../resources/sale-offers/market-suggestions.ts'
import { maximumCreatedOffers } from '../resources/sale-offers/schema.ts'
import { maximumSets, maximumWords } from '../resources/search-synonyms/operations.ts'
import { maximumMedia } from '../resources/shared/properties.ts'
import { maximumVariants } from '../resources/variants/schema.ts'
import { maximumReplayedEvents } from '../resources/webhooks/deliveries/reopen.ts'
import { recordedBytes } from '../resources/webhooks/dispatch/attempt.ts'
import { maximumAttempts } from '../resources/webhooks/dispatch/schedule.ts'
import { maximumLength } from '../resources/webhooks/subscriptions/callback-url.ts'
import {
  maximumPaths,
  maximumPerHost,
  maximumSubscriptions,
} from '../resources/webhooks/subscriptions/schema.ts'

/** A maximum, and the result of exceeding it. Bytes are those of UTF-8. */
export type Limit = {
  readonly of: string
  readonly most: number
  readonly unit: 'bytes' | 'characters' | 'rows' | 'levels' | 'tries' | 'writes'
  readonly beyond: string
}

const limitIn = (unit: Limit['unit']) => (of: string, most: number, beyond: string) => ({
  of,
  most,
  unit,
  beyond,
})
const bytes = limitIn('bytes')
const rows = limitIn('rows')
const characters = limitIn('characters')
const levels = limitIn('levels')
const tries = limitIn('tries')
const writes = limitIn('writes')

const unprocessable = '422'
const linked = 'their number and a link'
const iris = 'their IRIs, all of them'

/** Every limit of requests, stored rows, responses and deliveries. */
export const limits: readonly Limit[] = [
  bytes('a request body', byteLimits.body, '413'),
  bytes('an uploaded picture', byteLimits.picture, '413'),
  bytes('the file of a bulk operation', byteLimits.bulkOperation, '413'),
  rows('lines of a bulk operation', maximumLines, '413'),
  rows('unfinished bulk operations of a tenant', maximumUnfinished, '409'),
  levels('JSON in a body', maximumJsonDepth, '400'),
  bytes(
    'what one write makes of its body, as it is sent to the database',
    byteLimits.batch,
    '413, in parts it goes',
  ),
  writes('a tenant at the same time', writersAtOnce, 'they wait up to five seconds; then 503'),
  bytes("a resource's own document in one language", byteLimits.rowDocument, unprocessable),
  bytes('the texts of a resource in all languages', byteLimits.rowTranslations, unprocessable),
  bytes('a metaobject definition', byteLimits.definition, unprocessable),
  bytes('the options of a product with their values, in all languages', byteLimits.options, unprocessable),
  bytes("the rules of all of a tenant's collections", byteLimits.rules.bytes, unprocessable),
  rows('collections with rules of a tenant', byteLimits.rules.collections, unprocessable),
  rows('MANUAL collections that a product is in', maxChosenCollections, unprocessable),
  rows('options of a product', maximumOptions, unprocessable),
  rows('values of an option', maximumValues, unprocessable),
  rows('active variants of a product', maximumVariants, unprocessable),
  rows('offers of one kind of a variant', maximumOffers, unprocessable),
  rows('sale offers that one request creates with variants', maximumCreatedOffers, unprocessable),
  rows('custom fields of a resource', maximumCustomFields, unprocessable),
  characters('the values of all custom fields of a resource', longestCustomFields, unprocessable),
  rows('fields of a metaobject definition', maximumFields, unprocessable),
  rows('rules of a field of a definition', maximumRules, unprocessable),
  characters('the value of a field', maxValueLength, unprocessable),
  rows('entries of a field that is a list', maxListLength, unprocessable),
  characters('the values of a metaobject, in all languages', longestMetaobject, unprocessable),
  rows('pictures and videos of a product or a variant', maximumMedia, unprocessable),
  rows('channels, tags and categories of a product, of each', maximumLabels, unprocessable),
  rows('conditions of the rules of a collection', maxConditions, unprocessable),
  rows('children that a category is written with', maximumChildren, unprocessable),
  rows('metaobjects that one resource refers to', byteLimits.references, unprocessable),
  levels('the category tree', maximumLevels, unprocessable),
  rows('webhook subscriptions of a tenant, where it has no other limit', maximumSubscriptions, unprocessable),
  rows('webhook subscriptions of one callback host likewise', maximumPerHost, unprocessable),
  characters('the callback address of a subscription', maximumLength, unprocessable),
  rows('paths of `includeFields`', maximumPaths, unprocessable),
  levels('a path of `properties[]` or `includeFields`', maximumPathDepth, unprocessable),
  rows(
    'products that rules are tried on before they are saved',
    maxCountedProducts,
    '`productsCount` is null, `atLeast` is their number so far',
  ),
  rows(
    'prices in several markets (`markets[]`) that a product has on its own',
    maximumEmbeddedPrices.item,
    'fewer variants are embedded, `variantsView.next` continues',
  ),
  rows('the same in a list', maximumEmbeddedPrices.list, 'likewise'),
  rows('markets of a tenant', maximumMarkets, unprocessable),
  rows('sets of synonyms of a locale', maximumSets, unprocessable),
  rows('words of a set of synonyms', maximumWords, unprocessable),
  rows('ranges of a comparison of a copy', maximumRanges, unprocessable),
  rows('resources that the query of a list names', maximumItemsPerPage, unprocessable),
  rows(
    'channels, or sets of countries, that `/api/market_suggestions` lists',
    maxValues,
    'those that come first',
  ),
  rows(
    'violations that an answer lists',
    byteLimits.violations,
    'the others are counted in `violationsTotal`',
  ),
  rows('a page of a list, by default', standardItemsPerPage, '`itemsPerPage` asks for more'),
  rows('a page of a list', maximumItemsPerPage, 'as many as that'),
  rows('segments of a price timeline', maxSegments.item, 'a link to the rest'),
  rows('segments of a price timeline in a list', maxSegments.list, 'a link to the rest'),
  rows(
    'recorded terms that a prior price is computed from',
    maxPriorTerms,
    '`historyFrom` is since when these are all',
  ),
  bytes(
    'an answer',
    byteLimits.answer,
    'a page ends early and `view.next` continues; with `page`, 413; `properties[]` makes more fit',
  ),
  bytes(
    'an item as it is answered, in one language',
    byteLimits.item,
    'what it embeds is left out, as follows',
  ),
  bytes('the option values of a product on its item', byteLimits.optionValues.item, linked),
  bytes('the option values of a product in a list', byteLimits.optionValues.list, linked),
  bytes('the variants of a product in a list', byteLimits.variantsInList, linked),
  bytes('the categories that a document embeds', byteLimits.embedded, iris),
  bytes('the metaobjects that a document embeds', byteLimits.embedded, 'the IRIs of those that follow'),
  bytes('the categories in a variant or an offer', byteLimits.embeddedAgain, iris),
  rows('the children of a category on its item', byteLimits.children.item, linked),
  rows('the children of a category elsewhere', byteLimits.children.list, linked),
  bytes('the categories, and the metaobjects, that an event keeps', byteLimits.embeddedInEvent, 'their IRIs'),
  bytes(
    'an event, and the body of a webhook',
    byteLimits.event,
    'what it embeds is left out; else FAILED as `too_large`',
  ),
  rows(
    'events that one call replays',
    maximumReplayedEvents,
    '`complete` is false, and the next call continues',
  ),
  tries('sending a delivery', maximumAttempts, 'it is FAILED; `retry` tries again'),
  bytes('the response of a receiver that a subscription records', recordedBytes, 'the rest is not stored'),
  bytes('a response header that repeats input', byteLimits.echoedHeader, 'it ends in `...`'),
]
