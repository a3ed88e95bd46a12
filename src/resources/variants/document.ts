import * as z from 'zod'
import { documentInLocale, type Members, type RowDocument, type Value } from '../../core/document.ts'
import type { Locale } from '../../core/locale.ts'
import type { SelectedMembers } from '../../core/select.ts'
import { stampedRow, stamps } from '../../db/columns.ts'
import { columnsOf, type RowOf } from '../../db/query.ts'
import { withMetaobjects } from '../fields/custom-fields.ts'
import { embeddedMetaobjects } from '../metaobjects/document.ts'
import { type OptionParts, valueTitle } from '../product-options/document.ts'
import { optionValueIri, productOptionIri } from '../product-options/schema.ts'
import { productIri } from '../products/schema.ts'
import { variant } from './schema.ts'

/**
 * The data that a variant's document is rendered from: its stored row. Titles come from the product's options.
 */
export type VariantParts<Document extends RowDocument = string> = Omit<
  RowOf<typeof storedVariantColumns>,
  'document' | 'metaobjects'
> & { readonly document: Document } & Partial<Pick<RowOf<typeof storedVariantColumns>, 'metaobjects'>>

export const storedVariantColumns = {
  ...columnsOf(z.string(), 'id', 'productId', 'document', 'status'),
  optionValueIds: z.array(z.string()).readonly(),
  position: z.number().nullable(),
  /** The metaobjects that its custom fields reference. */
  metaobjects: embeddedMetaobjects,
  ...stampedRow,
}

/** The parts of a variant that its event stores. */
export const eventVariant = z.object(storedVariantColumns).omit(stamps).partial({ metaobjects: true })

/**
 * The values of a product's options by id, with their embedded documents. Built once for all variants of a
 * product.
 */
export type VariantValues = ReadonlyMap<
  string,
  { readonly title: string; readonly fellBack: string | null; readonly document: Members }
>

/** Builds the embedded documents of the values of a product's options, by value id. */
export function variantValues(options: readonly OptionParts<RowDocument>[], locale: Locale): VariantValues {
  return new Map(
    options.flatMap((option) =>
      option.values.map((value) => {
        const { title, fellBack } = valueTitle(value, locale)
        const document = {
          '@id': optionValueIri(value.id),
          '@type': 'OptionValue',
          option: productOptionIri(option.id),
          title,
          fallbacks: fellBack === null ? undefined : { title: fellBack },
        }
        return [value.id, { title, fellBack, document }] as const
      }),
    ),
  )
}

/** Renders a variant's document, or the selected members; `more` contains members from other rows: categories, the resolved price. */
export function variantDocument(
  parts: VariantParts<RowDocument>,
  values: VariantValues,
  locale: Locale,
  more: Members = {},
  selectedMembers: SelectedMembers = null,
): Value {
  const ownValues = parts.optionValueIds.map((id) => values.get(id)).filter((value) => value !== undefined)
  const fellBack = ownValues.find((value) => value.fellBack !== null)?.fellBack
  const { position, version, createdAt, updatedAt } = parts
  const document = {
    ...documentInLocale(parts, variant, locale, selectedMembers),
    product: productIri(parts.productId),
    title: ownValues.length > 0 ? ownValues.map((value) => value.title).join(' / ') : null,
    optionValues: ownValues.map((value) => value.document),
    position,
    ...(fellBack ? { fallbacks: { title: fellBack } } : null),
    ...more,
    version,
    createdAt,
    updatedAt,
  }
  return withMetaobjects(document, parts.metaobjects, locale)
}
