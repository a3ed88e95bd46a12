import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Value } from '../../core/document.ts'
import { irisUnder } from '../../core/iri.ts'
import type { Kind } from '../../core/kind.ts'
import { listQuery } from '../../core/list-query.ts'
import { localePattern } from '../../core/locale.ts'
import { isLive } from '../../core/name-holders.ts'
import {
  type Context,
  type Operation,
  operation,
  type Replaced,
  type Resource,
  type Texts,
} from '../../core/operation.ts'
import { type Orders, pageParameters, planPage } from '../../core/paging.ts'
import { formats, validationProblems } from '../../core/problems/validation.ts'
import { anyType, readOnly, type Shape, translatableOf, writable } from '../../core/schema.ts'
import type { Scope } from '../../core/scopes.ts'
import { replaceTranslations, type TextUpdate, withoutLocale } from '../../core/state.ts'
import { violation } from '../../core/violations.ts'
import { atMost } from '../../core/zod.ts'
import { type Translations, translationsRow } from '../../db/columns.ts'
import { type Statement, statement } from '../../db/query.ts'
import { distinctValues, withSequence } from '../../db/sql.ts'

/**
 * The translations of every resource that declares `texts`: one document each, written by the resource's own patch
 * path.
 */

const parameters = {
  ...pageParameters,
  missing: z
    .string()
    .refine(
      (text) => localePattern.test(text),
      violation(validationProblems.pattern.at('', { format: formats.locale })),
    )
    .optional()
    .meta({
      examples: ['fr-FR'],
      pattern: localePattern.source,
      description:
        'Only those that have a text in another locale and not in this one, which need not be declared.',
    }),
}

/**
 * The operation that lists the translations of a kind of resource: all of them, or those that lack a locale. It uses an
 * index on the set of locales in which each row is complete.
 */
function untranslatedOperation({
  shape: of,
  table,
  texts: { noun, notFound },
}: {
  readonly shape: Shape
  readonly table: string
  readonly texts: Texts
}): Operation {
  const iriOf = irisUnder(of.collection)
  const name = sql`${sql.identifier(table)}`
  // The condition of the `translated_in` indexes.
  const isListed = isLive(table)
  const orders: Orders = {
    translatedIn: { column: sql`${name}.translated_in`, type: 'text' },
    id: { column: sql`${name}.id`, type: 'uuid' },
  }
  return operation({
    name: `list${of.type}Translations`,
    summary: `List the texts of each ${noun.replace(/^an? /, '')} in every locale, or those that a locale lacks`,
    description:
      'Without archived resources. With `missing`, `itemsPerPage=0` counts the untranslated resources.',
    method: 'GET',
    isCacheable: true,
    path: `/api/translations/${of.collection.slice('/api/'.length)}`,
    shape: translationsShape(of),
    scope: of.readWith,
    answers: 'collection',
    query: parameters,
    notFound,
    async run({ db, url, tenant }, { query }) {
      const page = planPage(query, url, orders, [['translatedIn', 'asc']])
      const { list } = await db.read({
        list: listQuery(page, {
          row: { id: z.string(), ...translatedRow },
          from: sql`from ${name} where ${name}.tenant_id = current_tenant() and ${isListed}`,
          ...(query.missing === undefined ? {} : rowsWithoutLocale(table, isListed, query.missing)),
          columns: sql`id, translations, version`,
          bytes: sql`octet_length(translations::text)`,
          totalName: null,
        }),
      })
      return {
        kind: 'collection',
        members: list.rows.map((row) => translationsDocument(iriOf(row.id), row, of, tenant.locales)),
        ...list.paging,
        sequence: list.sequence,
      }
    },
  })
}

/** Selects the rows whose `translated_in` does not contain a locale. Its distinct values are few, even for many rows. */
function rowsWithoutLocale(table: string, isListed: SQL, locale: string) {
  const expressions = sql`lacking as materialized (
    select value from (${distinctValues(table, 'translated_in', isListed)}) as each
     where value <> '*' and strpos(value, ${`,${locale},`}) = 0)`
  const column = sql`${sql.identifier(table)}.translated_in`
  return { expressions, separateValues: { column, values: sql`select value from lacking` } }
}

type TranslatedRow = { readonly translations?: Translations | null; readonly version: number }
const translatedRow = { translations: translationsRow, version: z.number() }

/** A resource that has translations. */
type Translatable = {
  readonly shape: Shape
  readonly table: string
  readonly texts: Texts
}

type TextsInput<Of extends Shape> = Omit<Texts, 'replace' | 'forget'> & {
  /** Changes the texts of one resource, by a patch or completely. */
  readonly translate: (context: Context, id: string, textUpdate: TextUpdate<Of>) => Promise<Replaced>
}

/** Declares the texts of a resource. */
export function textsOf<Of extends Shape>(shape: Of, { translate, ...rest }: TextsInput<Of>): Texts {
  return {
    ...rest,
    replace: (context, id, texts) =>
      translate(context, id, replaceTranslations(shape, texts, context.tenant)),
    forget: (context, id, locale) => translate(context, id, withoutLocale(locale, context.tenant.locales)),
  }
}

/** The operations on the translations of all resources that have them. */
export function translationsOf(
  resources: readonly (Resource & { readonly kind?: Pick<Kind, 'name'> })[],
): Resource {
  return {
    shape: anyTranslations,
    problems: [],
    operations: resources.flatMap(({ shape, kind, texts }) =>
      kind && texts ? operationsOf({ shape, table: kind.name, texts }) : [],
    ),
  }
}

function operationsOf(translatable: Translatable): Operation[] {
  const { shape: of, table, texts } = translatable
  const { noun, scope, emits, notFound } = texts
  const shape = translationsShape(of)
  const common = { shape, path: shape.collection, answers: 'item', notFound } as const
  const iriOf = irisUnder(of.collection)
  const answer = (context: Context, id: string, row: TranslatedRow) => {
    const document = translationsDocument(iriOf(id), row, of, context.tenant.locales)
    return { kind: 'item', document, version: row.version } as const
  }
  return [
    operation({
      ...common,
      name: `get${of.type}Translations`,
      summary: `Read the texts of ${noun} in every locale`,
      method: 'GET',
      scope: of.readWith,
      async run(context, { params: { id } }) {
        const { result } = await context.db.read({ result: withSequence(rowStatement(table, id)) })
        const {
          rows: [row],
          sequence,
        } = result
        if (!row) throw notFound({ id })
        return { ...answer(context, id, row), sequence }
      },
    }),
    operation({
      ...common,
      name: `put${of.type}Translations`,
      summary: `Replace the texts of ${noun} in every locale`,
      method: 'PUT',
      scope,
      body: { mode: 'create' },
      emits,
      async run(context, { params: { id }, bodies }) {
        const [body] = bodies
        const row = await texts.replace(context, id, body?.translations ?? {})
        return { ...answer(context, id, row), replayed: row.replayed }
      },
    }),
    untranslatedOperation(translatable),
  ]
}

function rowStatement(table: string, id: string): Statement<TranslatedRow> {
  return statement(translatedRow)`select translations, version from ${sql.identifier(table)}
    where tenant_id = current_tenant() and id = ${id}::uuid`
}

/** More than a tenant can declare. Undeclared locales are rejected one by one. */
const maximumLocales = 100

/** The shape of a resource's translations: its translatable properties by locale. */
function translationsShape(shape: Shape) {
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
const anyTranslations = shapeOf('/api/{resource}/{id}/translations', null, z.record(z.string(), z.unknown()))

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
function translationsDocument(
  resource: string,
  { translations, version }: TranslatedRow,
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
