import { type Json, type JsonObject, parsed } from '../../core/json.ts'
import type { State } from '../../core/state.ts'
import type { Changed } from '../../core/write.ts'
import { categoryIri } from '../categories/iri.ts'
import { differencesWithCustomFields } from '../content/custom-fields/index.ts'
import { type NewSaleOffer, saleOfferEvent } from '../prices/sale/index.ts'
import { collectionIri } from './collections/iri.ts'
import type { ProductParts } from './document.ts'
import type { OptionParts } from './options/index.ts'
import { productOptionIri } from './options/iri.ts'
import type { product as shape } from './schema.ts'
import { productEventDocument } from './touch.ts'
import type { ValueParts } from './values/index.ts'
import { optionValueIri } from './values/iri.ts'
import type { VariantParts } from './variants/index.ts'

type Embedded = OptionParts | ValueParts | VariantParts

const creation = { version: 1, action: 'created' } as const

/**
 * The events of a product's creation. What is embedded comes before what embeds it, and the prices of a variant before it, as
 * in every later write: an event's document shows what came before it.
 */
export function creationEvents(
  product: ProductParts,
  saleOffers: readonly NewSaleOffer[],
  state: State<typeof shape>,
  locale: string,
): Changed[] {
  const offersOf = Map.groupBy(saleOffers, ({ parts }) => parts.variantId)
  const embedded = (
    kind: string,
    topic: string,
    row: Embedded,
    position: Readonly<Record<string, Json>>,
  ): Changed => ({
    ...creation,
    kind,
    id: row.id,
    topic,
    ownerId: product.id,
    document: JSON.stringify(row),
    changes: differencesWithCustomFields({}, { ...storedValues(row), ...position }),
  })
  return [
    ...product.options.flatMap((option) => [
      ...option.values.map((value) =>
        embedded('option_values', 'option_value/created', value, {
          option: productOptionIri(option.id),
          position: value.position,
        }),
      ),
      embedded(
        'product_options',
        'product_option/created',
        { ...option, values: [] },
        {
          position: option.position,
        },
      ),
    ]),
    ...product.variants.flatMap((variant) => [
      ...(offersOf.get(variant.id) ?? []).map(saleOfferEvent),
      embedded('variants', 'variant/created', variant, {
        position: variant.position,
        optionValues: variant.optionValueIds.map(optionValueIri),
      }),
    ]),
    {
      ...creation,
      kind: 'products',
      id: product.id,
      topic: 'product/created',
      document: productEventDocument(product),
      changes: differencesWithCustomFields(
        {},
        {
          ...state.values,
          ...state.translations[locale],
          categories: product.categories.map((each) => categoryIri(each.id)),
          ...(product.collections.length > 0 ? { collections: product.collections.map(collectionIri) } : {}),
        },
      ),
    },
  ]
}

/** The values in a row's stored document. */
function storedValues({ document }: Embedded): JsonObject {
  const { '@id': _, '@type': __, id: ___, fallbacks: ____, ...values } = parsed<JsonObject>(document)
  return values
}
