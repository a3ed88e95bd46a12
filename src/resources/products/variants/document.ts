import { localized, type Members, type Value } from '../../../core/document.ts'
import type { Locale } from '../../../core/locale.ts'
import { type EmbeddedMetaobject, withMetaobjects } from '../../content/custom-fields/index.ts'
import { productIri } from '../iri.ts'
import type { OptionParts } from '../options/index.ts'
import { productOptionIri } from '../options/iri.ts'
import { valueTitle } from '../values/index.ts'
import { optionValueIri } from '../values/iri.ts'

/** What a variant's document is made of: its stored row. Its title and its values' come from its product's options. */
export type VariantParts = {
  readonly id: string
  readonly productId: string
  readonly document: string
  readonly status: string
  readonly optionValueIds: readonly string[]
  readonly position: number | null
  /** What its custom fields refer to. */
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** The values of a product's options by id, with what a variant shows of each. Made once for all variants of a product. */
export type ShownValues = ReadonlyMap<
  string,
  { readonly title: string; readonly fellBack: string | null; readonly shown: Members }
>

/** The values of a product's options by id, as variants show them. */
export function shownValues(options: readonly OptionParts[], locale: Locale): ShownValues {
  return new Map(
    options.flatMap((option) =>
      option.values.map((value) => {
        const { title, fellBack } = valueTitle(value, locale)
        const shown = {
          '@id': optionValueIri(value.id),
          '@type': 'OptionValue',
          option: productOptionIri(option.id),
          title,
          fallbacks: fellBack === null ? undefined : { title: fellBack },
        }
        return [value.id, { title, fellBack, shown }] as const
      }),
    ),
  )
}

/** `more` are members that belong to other rows: categories, the resolved price. */
export function variantDocument(
  parts: VariantParts,
  values: ShownValues,
  locale: Locale,
  more: Members = {},
): Value {
  const own = parts.optionValueIds.flatMap((id) => values.get(id) ?? [])
  const fellBack = own.find((each) => each.fellBack !== null)?.fellBack
  const { position, version, createdAt, updatedAt } = parts
  const document = localized(parts, [], locale, {
    product: productIri(parts.productId),
    title: own.length > 0 ? own.map((each) => each.title).join(' / ') : null,
    optionValues: own.map((each) => each.shown),
    position,
    fallbacks: fellBack ? { title: fellBack } : undefined,
    ...more,
    version,
    createdAt,
    updatedAt,
  })
  return withMetaobjects(document, parts.metaobjects, locale)
}
