/** The limits of the service as they are published: in the OpenAPI document, and in `.github/limits.md`. */
import { budgets } from '../core/budgets.ts'
import { maximumJsonDepth } from '../core/json-fault.ts'
import { maximumItemsPerPage, standardItemsPerPage } from '../core/page.ts'
import { maximumPathDepth } from '../core/select.ts'
import { maximumChildren, maximumLevels } from '../resources/categories/schema.ts'
import { maximumCustomFields } from '../resources/content/custom-fields/entries.ts'
import { longestValues as longestCustomFields } from '../resources/content/custom-fields/violations.ts'
import { maximumFields, maximumRules } from '../resources/content/definitions/schema.ts'
import { longestList } from '../resources/content/field-types/rules.ts'
import { longestValue } from '../resources/content/field-types/value.ts'
import { longestValues as longestMetaobject } from '../resources/content/metaobjects/values.ts'
import { mostValues } from '../resources/offers/sale/markets.ts'
import { maximumOffers } from '../resources/offers/schema.ts'
import { mostPriorTerms, mostSegments } from '../resources/prices/index.ts'
import { maximumWritten } from '../resources/prices/sale/index.ts'
import { mostChosen } from '../resources/products/collections/choosing.ts'
import { mostConditions } from '../resources/products/collections/conditions.ts'
import { mostLookedAt } from '../resources/products/collections/count.ts'
import { maximumOptions, maximumValues } from '../resources/products/options/index.ts'
import { maximumLabels } from '../resources/products/schema.ts'
import { maximumVariants } from '../resources/products/variants/index.ts'
import { largestPage } from '../resources/products/variants/matrix.ts'
import { maximumMedia } from '../resources/property-schemas.ts'
import { mostEvents } from '../resources/webhooks/deliveries/replay.ts'
import { maximumAttempts } from '../resources/webhooks/engine/schedule.ts'
import { maximumLength } from '../resources/webhooks/subscriptions/callback-address.ts'
import {
  maximumPaths,
  maximumPerHost,
  maximumSubscriptions,
} from '../resources/webhooks/subscriptions/schema.ts'

/** What something may be at the most, and what happens beyond it. Bytes are of UTF-8. */
export type Limit = {
  readonly of: string
  readonly most: number
  readonly unit: 'bytes' | 'characters' | 'rows' | 'levels' | 'tries'
  readonly beyond: string
}

const bytes = (of: string, most: number, beyond: string): Limit => ({ of, most, unit: 'bytes', beyond })
const rows = (of: string, most: number, beyond: string): Limit => ({ of, most, unit: 'rows', beyond })
const characters = (of: string, most: number, beyond: string): Limit => ({
  of,
  most,
  unit: 'characters',
  beyond,
})
const levels = (of: string, most: number, beyond: string): Limit => ({ of, most, unit: 'levels', beyond })

const unprocessable = '422'
const linked = 'their number and a link'
const iris = 'their IRIs, all of them'

/** Every limit of what is written, stored, answered and sent. */
export const limits: readonly Limit[] = [
  bytes('a request body', budgets.body, '413'),
  bytes('an uploaded picture', budgets.picture, '413'),
  levels('JSON in a body', maximumJsonDepth, '400'),
  bytes(
    'what one write makes of its body, as it is sent to the database',
    budgets.batch,
    '413, in parts it goes',
  ),
  bytes("a resource's own document in one language", budgets.rowDocument, unprocessable),
  bytes('the texts of a resource in all languages', budgets.rowTranslations, unprocessable),
  bytes('a metaobject definition', budgets.definition, unprocessable),
  bytes('the options of a product with their values, in all languages', budgets.options, unprocessable),
  bytes("the rules of all of a tenant's collections", budgets.rules.bytes, unprocessable),
  rows('collections with rules of a tenant', budgets.rules.collections, unprocessable),
  rows('MANUAL collections that a product is in', mostChosen, unprocessable),
  rows('options of a product', maximumOptions, unprocessable),
  rows('values of an option', maximumValues, unprocessable),
  rows('active variants of a product', maximumVariants, unprocessable),
  rows('offers of one kind of a variant', maximumOffers, '409'),
  rows('sale offers that one request creates with variants', maximumWritten, unprocessable),
  rows('custom fields of a resource', maximumCustomFields, unprocessable),
  characters('the values of all custom fields of a resource', longestCustomFields, unprocessable),
  rows('fields of a metaobject definition', maximumFields, unprocessable),
  rows('rules of a field of a definition', maximumRules, unprocessable),
  characters('the value of a field', longestValue, unprocessable),
  rows('entries of a field that is a list', longestList, unprocessable),
  characters('the values of a metaobject, in all languages', longestMetaobject, unprocessable),
  rows('pictures and films of a product or a variant', maximumMedia, unprocessable),
  rows('channels, tags and categories of a product, of each', maximumLabels, unprocessable),
  rows('conditions of the rules of a collection', mostConditions, unprocessable),
  rows('children that a category is written with', maximumChildren, unprocessable),
  rows('metaobjects that one resource refers to', budgets.references, unprocessable),
  levels('the category tree', maximumLevels, unprocessable),
  rows('webhook subscriptions of a tenant, where it has no other limit', maximumSubscriptions, unprocessable),
  rows('webhook subscriptions of one callback host likewise', maximumPerHost, unprocessable),
  characters('the callback address of a subscription', maximumLength, unprocessable),
  rows('paths of `includeFields`', maximumPaths, unprocessable),
  levels('a path of `properties[]` or `includeFields`', maximumPathDepth, unprocessable),
  rows(
    'products that rules are tried on before they are saved',
    mostLookedAt,
    '`productsCount` is null, `atLeast` what was found',
  ),
  rows('channels, or sets of countries, that `/api/markets` tells', mostValues, 'those that come first'),
  rows('violations that an answer lists', budgets.violations, 'the others are counted in `violationsTotal`'),
  rows('a page of a list, where nothing is said', standardItemsPerPage, '`itemsPerPage` asks for more'),
  rows('a page of a list', maximumItemsPerPage, 'as many as that'),
  rows('segments of a price timeline', mostSegments.item, 'a link to the rest'),
  rows('segments of a price timeline in a list', mostSegments.list, 'a link to the rest'),
  rows(
    'recorded terms that a prior price is told of',
    mostPriorTerms,
    '`historyFrom` is since when these are all',
  ),
  rows('combinations on a page of a variant matrix', largestPage, 'as many as that'),
  bytes(
    'an answer',
    budgets.answer,
    'a page ends early and `view.next` goes on; with `page`, 413; `properties[]` makes more fit',
  ),
  bytes('an item as it is answered, in one language', budgets.item, 'what it embeds is left out, as follows'),
  bytes('the option values of a product on its item', budgets.optionValues.item, linked),
  bytes('the option values of a product in a list', budgets.optionValues.list, linked),
  bytes('the variants of a product in a list', budgets.variantsInList, linked),
  bytes('the categories that a document embeds', budgets.embedded, iris),
  bytes('the metaobjects that a document embeds', budgets.embedded, 'the IRIs of those that follow'),
  bytes('the categories in a variant or an offer', budgets.embeddedAgain, iris),
  rows('the children of a category on its item', budgets.children.item, linked),
  rows('the children of a category elsewhere', budgets.children.list, linked),
  bytes('the categories, and the metaobjects, that an event keeps', budgets.embeddedInEvent, 'their IRIs'),
  bytes(
    'an event, and the body of a webhook',
    budgets.event,
    'what it embeds is left out; else FAILED as `too_large`',
  ),
  rows('events that one call replays', mostEvents, '`complete` is false, and the next call goes on'),
  {
    of: 'sending a delivery',
    most: maximumAttempts,
    unit: 'tries',
    beyond: 'it is FAILED; `retry` tries again',
  },
  bytes('a response header that repeats input', budgets.echoedHeader, 'it ends in `...`'),
]

/** The limits as a table in Markdown. */
export function limitsTable(): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const amount = ({ most, unit }: Limit) => `${most.toLocaleString('en-US')} ${unit}`
  return [
    line(['of', 'at most', 'beyond']),
    line(['---', '---', '---']),
    ...limits.map((each) => line([each.of, amount(each), each.beyond])),
  ].join('\n')
}
