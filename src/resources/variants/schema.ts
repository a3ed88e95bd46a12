import * as z from 'zod'
import { nested, upsertedRow } from '../../core/body.ts'
import { measure } from '../../core/context.ts'
import { isGtin } from '../../core/gtin.ts'
import { idIn, itemIri, relativeIri } from '../../core/iri.ts'
import type { BodyOf } from '../../core/operation.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { createOnly, readOnly, type Shape, shownAs, writable } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import { customFields } from '../fields/custom-fields.ts'
import { storedPosition } from '../product-options/schema.ts'
import { createdSaleOffers, inlineSaleOffer, saleOffersScopes } from '../sale-offers/schema.ts'
import {
  endPosition,
  externalIdProperty,
  instantText,
  invalidIri,
  iriText,
  mediaList,
  position,
  shortText,
  stamps,
} from '../shared/properties.ts'

/** The path of variants, which are nested under their product. */
export const variantCollection = '/api/products/{productId}/variants'

export function variantIri(productId: string, id: string): string {
  return itemIri(variantCollection, id, productId)
}

/** The maximum number of active variants of a product. */
export const maximumVariants = 2500

const valueReference = z
  .string()
  .meta({ format: 'uri-reference' })
  .transform((text, check) => {
    const id = idIn(text, '/api/option_values')
    if (id === null) check.addIssue({ code: 'custom', ...violation(invalidIri('/api/option_values')) })
    return { id: id ?? '' }
  })

/** An option value in a body: its IRI, an object with `@id`, or the titles of its option and itself. */
const optionValueChoice = z.union([
  valueReference,
  z
    .object({ option: z.string().max(255), value: z.string().max(255) })
    // Each may be a title or an IRI, so both readings are stored.
    .transform(({ option, value }) => ({
      option: [option, relativeIri(option)],
      value: [value, relativeIri(value)],
    })),
  z.looseObject({ '@id': valueReference }).transform((object) => object['@id']),
])
/** An option value that a body names: by IRI, or by option and title. */
export type OptionValueChoice = z.infer<typeof optionValueChoice>

const barcode = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (text) => !/^(\d{8}|\d{12,14})$/.test(text) || isGtin(text),
    violation(validationProblems.gtin.at('')),
  )

const weight = z.object({ value: z.number().min(0).max(1e9), unit: z.enum(['g', 'kg', 'oz', 'lb']) })

const writableProperties = {
  externalId: externalIdProperty('variant', 'erp-1001-red'),
  sku: writable(shortText, 'Stock keeping unit, unique among the live variants of a tenant.', {
    example: 'SHIRT-RED',
  }),
  barcode: writable(barcode, 'Barcode.', {
    writeDescription: 'The check digit of 8, 12, 13 or 14 digits is verified.',
    example: '4006381333931',
  }),
  optionValues: writable(z.array(optionValueChoice).max(10), 'One value for each option of the product.', {
    objectType: 'OptionValue',
    stored: false,
    example: [{ option: 'Colour', value: 'Red' }],
  }),
  position: writable(
    shownAs(position, z.int().min(0).nullable()),
    'Order among the active variants of the product, from 0; null when archived.',
    { writeDescription: endPosition, stored: false, example: -1 },
  ),
  weight: writable(weight, 'The weight of one piece.', { example: { value: 180, unit: 'g' } }),
  measure: writable(
    measure,
    'The content of one package, from which `unitPrice` of its price is computed; of goods with a drained weight, that one. `piece` has no unit price. `m2` and `m3` are square and cubic metres.',
    { example: { value: 750, unit: 'ml' } },
  ),
  media: writable(mediaList, 'Pictures and videos of the variant.', { defaultValue: [], example: [] }),
  fields: customFields,
  saleOffers: createdSaleOffers,
}

export const variant = {
  type: 'Variant',
  description:
    'A sellable form of a product: one combination of the values of its options, with prices by channel, country and time.',
  collection: variantCollection,
  readWith: 'products:read',
  properties: {
    ...writableProperties,
    product: readOnly(iriText, 'The product that owns the variant.', { isLink: true, targetType: 'Product' }),
    title: readOnly(z.string().nullable(), 'The titles of its option values: Red / L.', { example: 'Red' }),
    status: writable(z.enum(['ACTIVE', 'ARCHIVED']), 'Whether the variant is sold.', {
      defaultValue: 'ACTIVE',
      example: 'ACTIVE',
    }),
    categories: readOnly(z.array(z.unknown()), 'The categories of its product.', {
      objectType: 'Category',
      isLink: true,
    }),
    resolvedPrice: readOnly(
      z.unknown().nullable(),
      'The price in the channel, country and moment that the three resolveContext parameters name, or in a market; null where none applies.',
      { objectType: 'ResolvedPrice' },
    ),
    resolvedPrices: readOnly(
      z.array(z.unknown()),
      'The price in each market of the parameter `markets[]`, in its order. Without an amount if no offer applies.',
      { objectType: 'ResolvedPrice' },
    ),
    archivedAt: readOnly(instantText.nullable(), 'When it was archived, UTC.', {
      stored: true,
      example: null,
    }),
    ...stamps(),
  },
} satisfies Shape

/** The shape of a variant in the body of a new product: always active. */
export const inlineShape = {
  ...variant,
  properties: {
    ...variant.properties,
    status: readOnly(z.string(), 'Active.'),
    categories: createOnly(z.array(z.unknown()), 'Ignored: only category operations write the tree.', {
      objectType: 'Category',
      stored: false,
    }),
  },
} satisfies Shape

/** The shape of a variant in the body of an upsert. */
export const upsertedVariant = {
  ...inlineShape,
  properties: {
    ...inlineShape.properties,
    status: variant.properties.status,
    position: storedPosition,
    saleOffers: writable(
      z.array(upsertedRow(inlineSaleOffer)),
      'The sale offers that are created or changed. They are found by `externalId`, then by `channel`, `countries`, `currency`, `minQuantity`, `validFrom` and `validUntil`.',
      {
        objectType: 'SaleOffer',
        stored: false,
        writeOnly: true,
        neededScopes: saleOffersScopes,
        example: [{ channel: 'web', currency: 'EUR', amount: '19.90' }],
      },
    ),
  },
} satisfies Shape

/** The property schema of such a variant. Its violations are merged into those of the product. */
export const inlineVariant = nested(inlineShape)
/** A variant in the body of a product. */
export type InlineVariant = BodyOf<typeof inlineShape>
