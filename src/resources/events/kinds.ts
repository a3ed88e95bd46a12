/** The kinds of resources that events are about: their addresses, their shapes, their documents as they were. */
import { budgets } from '../../core/budgets.ts'
import type { Value } from '../../core/document.ts'
import { idIn, iri, variantIn } from '../../core/iri.ts'
import type { Locale } from '../../core/locale.ts'
import type { Shape } from '../../core/property.ts'
import type { Scope } from '../../core/scopes.ts'
import type { Sight } from '../../core/sight.ts'
import { topicsMatching } from '../../core/topics.ts'
import { type CategoryParts, category, categoryDocument, embeddedCategories } from '../categories/index.ts'
import {
  type DefinitionParts,
  definitionDocument,
  metaobjectDefinition,
} from '../content/definitions/index.ts'
import { type MetaobjectParts, metaobject, metaobjectDocument } from '../content/metaobjects/index.ts'
import {
  type OfferParts as PurchaseOfferParts,
  purchaseOffer,
  purchaseOfferDocument,
} from '../offers/purchase/index.ts'
import { type OfferParts, saleOffer, saleOfferDocument } from '../offers/sale/index.ts'
import { type CollectionParts, collection, collectionDocument } from '../products/collections/index.ts'
import { onItem, type ProductParts, product, productDocument } from '../products/index.ts'
import { type OptionParts, optionDocuments, productOption } from '../products/options/index.ts'
import { optionValue, type ValueParts, valueDocument } from '../products/values/index.ts'
import { shownValues, type VariantParts, variant, variantDocument } from '../products/variants/index.ts'
import type { Moment } from './history.ts'

/** What a document shows beside what its own event keeps. */
export type Surroundings = {
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** What the product of the resource, or the product itself, embedded at that moment. */
  readonly moment: Moment
  /** The categories that a variant's product was in. */
  readonly categories: readonly CategoryParts[]
  /** Bytes that the document may have where it embeds what can be left out. */
  readonly most: number
}

/** What a kind of resource tells of itself for its events to be read. */
export type Kind = {
  readonly shape: Shape
  readonly iri: (id: string, ownerId: string | null) => string
  /** The id in an IRI of this kind, or null. */
  readonly idIn: (text: string) => string | null
  /** Renders what an event keeps for somebody who sees such a resource; what it leads to is shown to the same sight. */
  readonly document: (kept: string, surroundings: Surroundings, locale: Locale, sight: Sight) => Value
}

const in_ = (shape: Shape) => (text: string) => idIn(text, shape.collection)

/** By the kind's name in the database. A kind that is not here shows neither changes nor documents. */
export const kinds: Readonly<Record<string, Kind>> = {
  products: {
    shape: product,
    iri: iri.product,
    idIn: in_(product),
    document(kept, { moment, most, ...surroundings }, locale) {
      return productDocument(
        {
          ...(JSON.parse(kept) as ProductParts),
          ...stamps(surroundings),
          options: moment.options(),
          variants: moment.variants(),
          variantsTotal: moment.variantsTotal(),
        },
        locale,
        null,
        { ...onItem, variants: most, document: most },
      )
    },
  },
  product_options: {
    shape: productOption,
    iri: iri.productOption,
    idIn: in_(productOption),
    document(kept, { moment, most, ...surroundings }, locale) {
      const parts = { ...(JSON.parse(kept) as OptionParts), ...stamps(surroundings) }
      const [document] = optionDocuments([{ ...parts, ...moment.valuesOf(parts.id) }], locale, most)
      return document!
    },
  },
  option_values: {
    shape: optionValue,
    iri: iri.optionValue,
    idIn: in_(optionValue),
    document(kept, surroundings, locale) {
      return valueDocument({ ...(JSON.parse(kept) as ValueParts), ...stamps(surroundings) }, locale)
    },
  },
  variants: {
    shape: variant,
    iri: (id, productId) => iri.variant(productId!, id),
    idIn: (text) => variantIn(text)?.id ?? null,
    document(kept, { moment, categories, most, ...surroundings }, locale) {
      const parts = { ...(JSON.parse(kept) as VariantParts), ...stamps(surroundings) }
      const values = shownValues(moment.options(parts.optionValueIds), locale)
      return variantDocument(parts, values, locale, {
        categories: embeddedCategories(categories, locale, budgets.embeddedAgain),
      })
    },
  },
  categories: {
    shape: category,
    iri: iri.category,
    idIn: in_(category),
    document(kept, surroundings, locale) {
      const parts = { ...(JSON.parse(kept) as CategoryParts), ...stamps(surroundings) }
      return categoryDocument(parts, locale, surroundings.most)
    },
  },
  collections: {
    shape: collection,
    iri: iri.collection,
    idIn: in_(collection),
    document(kept, surroundings, locale) {
      return collectionDocument({ ...(JSON.parse(kept) as CollectionParts), ...stamps(surroundings) }, locale)
    },
  },
  purchase_offers: {
    shape: purchaseOffer,
    iri: (id) => `${purchaseOffer.collection}/${id}`,
    idIn: in_(purchaseOffer),
    document(kept, surroundings, locale) {
      const parts = { ...(JSON.parse(kept) as PurchaseOfferParts), ...stamps(surroundings) }
      return purchaseOfferDocument(parts, locale, surroundings.updatedAt)
    },
  },
  sale_offers: {
    shape: saleOffer,
    iri: iri.saleOffer,
    idIn: in_(saleOffer),
    document(kept, surroundings, locale) {
      const parts = { ...(JSON.parse(kept) as OfferParts), ...stamps(surroundings) }
      return saleOfferDocument(parts, locale, surroundings.updatedAt)
    },
  },
  metaobject_definitions: {
    shape: metaobjectDefinition,
    iri: iri.metaobjectDefinition,
    idIn: in_(metaobjectDefinition),
    document(kept, surroundings, locale) {
      const parts = { ...(JSON.parse(kept) as DefinitionParts), ...stamps(surroundings) }
      return definitionDocument(parts, locale)
    },
  },
  metaobjects: {
    shape: metaobject,
    iri: iri.metaobject,
    idIn: in_(metaobject),
    document(kept, surroundings, locale, sight) {
      const parts = { ...(JSON.parse(kept) as MetaobjectParts), ...stamps(surroundings) }
      return metaobjectDocument(parts, locale, sight.seesDrafts(metaobject))
    },
  },
}

function stamps({
  version,
  createdAt,
  updatedAt,
}: Pick<Surroundings, 'version' | 'createdAt' | 'updatedAt'>) {
  return { version, createdAt, updatedAt }
}

/** What the IRIs of resources that have events look like. */
export const resourceForms = Object.values(kinds)
  .map(({ iri: iriOf }) => iriOf('{id}', '{productId}'))
  .join(', ')

/** The kind and the id that an IRI names, or null when it is of no resource that has events. */
export function resourceIn(text: string): { kind: string; id: string } | null {
  for (const [kind, { idIn: find }] of Object.entries(kinds)) {
    const id = find(text)
    if (id !== null) return { kind, id }
  }
  return null
}

/** The kind that a topic is about: `product_option/created` → `product_options`; undefined where it is not known. */
export function kindOf(topic: string): Kind | undefined {
  const [subject = ''] = topic.split('/')
  return kinds[`${subject.replace(/y$/, 'ie')}s`]
}

/** The scopes that read everything that a topic, or all that a wildcard means, tells of; none for what is no topic. */
export function scopesOfTopic(pattern: string): Scope[] {
  return [...new Set(topicsMatching(pattern).flatMap((topic) => kindOf(topic)?.shape.readWith ?? []))]
}

/** The scope that reads the resource with an IRI; none for what is no such IRI. */
export function scopesOfResource(text: string): Scope[] {
  const found = resourceIn(text)
  return found ? [kinds[found.kind]?.shape.readWith ?? []].flat() : []
}
