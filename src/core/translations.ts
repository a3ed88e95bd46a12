/** All translations of a resource as one document, which is read and written as a whole. */
import * as z from 'zod'
import type { Translations } from '../db/columns.ts'
import type { Value } from './document.ts'
import { anyType, readOnly, type Shape, translatableOf, writable } from './schema.ts'
import type { Scope } from './scopes.ts'
import { atMost } from './zod.ts'

/** More than a tenant can declare. Undeclared locales are rejected one by one. */
const maximumLocales = 100

/** The shape of a resource's translations: its translatable properties by locale. */
export function translationsShape(shape: Shape) {
  const collection = `${shape.collection}/{id}/translations` as const
  return shapeOf(collection, shape.readWith, textsByLocale(shape))
}

function textsByLocale({ properties }: Shape) {
  const texts = Object.fromEntries(
    Object.entries(properties).flatMap(([name, { translatable, schema }]) =>
      translatable ? [[name, schema.nullish()]] : [],
    ),
  )
  return z.record(z.string(), z.object(texts).nullable())
}

/** The common shape of the translations of all resources. */
export const anyTranslations = shapeOf(
  '/api/{resource}/{id}/translations',
  null,
  z.record(z.string(), z.unknown()),
)

function shapeOf<Collection extends string, ByLocale extends z.ZodRecord>(
  collection: Collection,
  readWith: Scope | null,
  byLocale: ByLocale,
) {
  const limitedRecord = atMost(maximumLocales, byLocale)
  return {
    type: 'Translations',
    description: 'The texts of a resource in every locale.',
    collection,
    readWith,
    properties: {
      resource: readOnly(z.string(), 'The resource whose texts these are.', {
        isLink: true,
        targetType: anyType,
      }),
      translations: writable(limitedRecord, 'Its texts by locale and property.', {
        writeDescription: 'All of them are replaced.',
        required: true,
        stored: false,
        example: { 'en-US': { title: 'Organic cotton shirt' }, 'fr-FR': { title: 'Chemise en coton bio' } },
      }),
      version: readOnly(z.int(), 'The version of the resource; the first part of the ETag.'),
    },
  } satisfies Shape
}

/** The document of a resource's translations: locales in the tenant's order, properties in the shape's order. */
export function translationsDocument(
  resource: string,
  { translations, version }: { readonly translations?: Translations | null; readonly version: number },
  shape: Shape,
  locales: readonly string[],
): Value {
  const stored = translations ?? {}
  const undeclared = Object.keys(stored).filter((locale) => !locales.includes(locale))
  const texts = (locale: string) =>
    Object.fromEntries(
      translatableOf(shape).flatMap((name) => {
        const value = stored[locale]?.[name]
        return value === undefined || value === null ? [] : [[name, value]]
      }),
    )
  const translatedLocales = [...locales, ...undeclared.sort()].filter((locale) =>
    Object.hasOwn(stored, locale),
  )
  return {
    '@id': `${resource}/translations`,
    '@type': 'Translations',
    resource,
    translations: Object.fromEntries(translatedLocales.map((locale) => [locale, texts(locale)])),
    version,
  }
}
