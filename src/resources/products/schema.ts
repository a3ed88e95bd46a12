import * as z from 'zod'
import { upsertedRow } from '../../core/body.ts'
import { irisUnder } from '../../core/iri.ts'
import { isJsonArray, isJsonObject, member } from '../../core/json.ts'
import { createOnly, type RequiredScopes, readOnly, type Shape, writable } from '../../core/schema.ts'
import {
  breadcrumbList,
  breadcrumbsParameter,
  expandParameter,
  expandParameterWith,
  maximumChildren,
} from '../categories/schema.ts'
import { customFields } from '../fields/custom-fields.ts'
import { priceParameters, priorPriceExpansion } from '../prices/request.ts'
import { inlineOption, maximumOptions, upsertedOption } from '../product-options/schema.ts'
import { saleOffersScopes } from '../sale-offers/schema.ts'
import {
  currencyCode,
  descriptionProperty,
  externalIdProperty,
  handleProperty,
  identifier,
  instantInput,
  instantText,
  mediaList,
  moneyInput,
  partialView,
  relation,
  requiredTitle,
  seo,
  shortText,
  stamps,
} from '../shared/properties.ts'
import { inlineVariant, maximumVariants, upsertedVariant } from '../variants/schema.ts'

// Only category operations change the tree. A product's `children` are validated and then ignored.
const category = relation('/api/categories', {
  children: z.array(relation('/api/categories')).max(maximumChildren).optional(),
})

/** The maximum number of channels, of tags and of categories of a product. */
export const maximumLabels = 250

/** The scopes for the prices of new variants. */
const saleOfferScopes = {
  scopes: (variants) =>
    isJsonArray(variants)
      ? variants.flatMap((variant) =>
          isJsonObject(variant) ? saleOffersScopes.scopes(member(variant, 'saleOffers') ?? null) : [],
        )
      : [],
  described: `${saleOffersScopes.described} for their \`saleOffers\``,
} satisfies RequiredScopes

const withoutDuplicates = (values: string[]) => [...new Set(values)]

export const product = {
  type: 'Product',
  description: 'A sellable item: the parent of its variants, with the options that span them.',
  collection: '/api/products',
  readWith: 'products:read',
  properties: {
    externalId: externalIdProperty('product', 'erp-1001'),
    title: requiredTitle('The name of the product.', 'Organic cotton shirt'),
    description: descriptionProperty('<p>Made of organic cotton.</p>'),
    handle: handleProperty('the products that are not archived', 'organic-cotton-shirt'),
    status: writable(
      z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']),
      'Whether the product is a draft, sold or archived.',
      {
        defaultValue: 'DRAFT',
        example: 'ACTIVE',
        writeDescription:
          '`ARCHIVED` empties `channels`. Another status then restores the product, with the channels that it had unless the body has `channels`.',
      },
    ),
    channels: writable(
      z.array(identifier).max(maximumLabels).transform(withoutDuplicates),
      'The channels in which the product is sold.',
      {
        defaultValue: [],
        example: ['web', 'store'],
      },
    ),
    vendor: writable(shortText, 'The maker or supplier.', { example: 'Acme' }),
    productType: writable(shortText, 'The kind of product.', { example: 'Shirts' }),
    tags: writable(z.array(shortText).max(maximumLabels).transform(withoutDuplicates), 'Free labels.', {
      defaultValue: [],
      example: ['organic', 'summer'],
    }),
    media: writable(mediaList, 'Pictures and videos.', {
      defaultValue: [],
      example: [{ url: 'https://www.example.com/shirt.jpg', alt: 'The shirt in red', type: 'IMAGE' }],
    }),
    launchedAt: writable(
      instantInput,
      'The moment since which the product is sold, UTC, if its first price here is another. Prior prices of new goods depend on it.',
      { isInternal: true, example: null },
    ),
    seo: writable(seo, 'Title and description for search engines.', {
      translatable: true,
      example: { title: 'Organic cotton shirt', description: 'Soft and fair.' },
    }),
    fields: customFields,
    archivedAt: readOnly(instantText.nullable(), 'The moment at which the product was archived, UTC.', {
      stored: true,
      example: null,
    }),
    options: createOnly(
      z.array(inlineOption).max(maximumOptions),
      'The options, in their order, with their values.',
      {
        objectType: 'ProductOption',
        stored: false,
        example: [{ title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] }],
      },
    ),
    variants: createOnly(
      z.array(inlineVariant).max(maximumVariants),
      'The active variants, in their order.',
      {
        objectType: 'Variant',
        stored: false,
        neededScopes: saleOfferScopes,
        example: [
          {
            sku: 'SHIRT-RED',
            optionValues: [{ option: 'Colour', value: 'Red' }],
            saleOffers: [{ currency: 'EUR', amount: '19.90' }],
          },
        ],
      },
    ),
    priceRange: readOnly(
      z.object({ from: moneyInput, until: moneyInput, currency: currencyCode }).nullable(),
      'The lowest and the highest price of the active variants for one piece, in the market of the request; null without a price. Absent without `market`, for prices of the past, and while the prices of the market are computed.',
    ),
    categories: writable(
      z.array(category).max(maximumLabels).transform(withoutDuplicates),
      'The categories of the product.',
      {
        objectType: 'Category',
        isLink: true,
        stored: false,
      },
    ),
    breadcrumbs: readOnly(
      z.array(breadcrumbList),
      'A list for each category of the product, in their order: the categories above it and itself with their titles, root first. Absent without `breadcrumbs=true`. A list is empty if it and those before it exceed 64 kB.',
      { visibleWith: 'categories:read' },
    ),
    collections: writable(
      z.array(relation('/api/collections')).max(10_000).transform(withoutDuplicates),
      'The collections of the product.',
      {
        isLink: true,
        targetType: 'ProductCollection',
        stored: false,
        writeDescription:
          'Selects the MANUAL collections, at most 250; changing them requires `collections:write`. Rules select the other collections.',
      },
    ),
    variantsTotal: readOnly(z.int().min(0), 'The number of active variants.', { example: 1 }),
    variantsView: readOnly(partialView, 'The link to the variants that are not embedded.', {
      dependsOnOthers: true,
    }),
    ...stamps(),
  },
} satisfies Shape

/** The maximum number of options, values, variants and sale offers in the body of an upsert. */
export const maximumUpsertedRows = 1000

/** A product in the body of an upsert, with its options and variants. */
export const upsertedProduct = {
  ...product,
  properties: {
    ...product.properties,
    options: writable(
      z.array(upsertedRow(upsertedOption)),
      'The options that are created or changed. They are found by `externalId`, then by `title`.',
      { objectType: 'ProductOption', stored: false, example: product.properties.options.example ?? null },
    ),
    variants: writable(
      z.array(upsertedRow(upsertedVariant)),
      'The variants that are created or changed. They are found by `externalId`, then by `sku`, then by `optionValues`.',
      {
        objectType: 'Variant',
        stored: false,
        neededScopes: saleOfferScopes,
        example: product.properties.variants.example ?? null,
      },
    ),
  },
} satisfies Shape

/** The query parameters of an upsert of a product. */
export const upsertParameters = {
  expand: expandParameter,
  missing: z.enum(['archive']).optional().meta({
    addedIn: 'unstable',
    description:
      '`archive` archives the variants and sale offers, and deletes the options and values, that the body does not name. It applies only to lists that the body has.',
  }),
}

export const productIri = irisUnder('/api/products')

/** The query parameters of writes that return products. */
export const writeParameters = { expand: expandParameter }

/** The query parameters of reads that return products or variants with prices. */
export const readParameters = {
  expand: expandParameterWith(priorPriceExpansion.choice, priorPriceExpansion.description),
  ...priceParameters,
}

/** The query parameters of reads of one product. */
export const itemParameters = { ...readParameters, breadcrumbs: breadcrumbsParameter }
