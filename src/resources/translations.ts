/** The translations of products, options, values, categories and collections: one document each, written by their own patch path. */

import { sql } from 'drizzle-orm'
import { type Context, type Operation, operation, type Resource } from '../core/operation.ts'
import type { Shape } from '../core/property.ts'
import { type Rewrite, replacingTranslations, type WrittenTranslations } from '../core/rewrite.ts'
import { anyTranslations, translationsDocument, translationsShape } from '../core/translations.ts'
import { type Statement, statement } from '../db/client.ts'
import type { Translations } from '../db/columns.ts'
import { sequenceStatement } from '../db/sequence.ts'
import { translateCategory } from './categories/change.ts'
import { category } from './categories/index.ts'
import { categoryIri } from './categories/iri.ts'
import { categoryProblems } from './categories/problems.ts'
import { translateProduct } from './products/change.ts'
import { translateCollection } from './products/collections/change.ts'
import { collection } from './products/collections/index.ts'
import { collectionIri } from './products/collections/iri.ts'
import { collectionProblems } from './products/collections/problems.ts'
import { product, productProblems } from './products/index.ts'
import { productIri } from './products/iri.ts'
import { translateOption } from './products/options/change.ts'
import { productOption } from './products/options/index.ts'
import { productOptionIri } from './products/options/iri.ts'
import { productOptionProblems } from './products/options/problems.ts'
import { translateValue } from './products/values/change.ts'
import { optionValue } from './products/values/index.ts'
import { optionValueIri } from './products/values/iri.ts'
import { optionValueProblems } from './products/values/problems.ts'

type Row = { readonly translations?: Translations | null; readonly version: number }

/** A resource that has translations. */
type Translatable<Of extends Shape> = {
  readonly shape: Of
  readonly table: string
  readonly iri: (id: string) => string
  readonly noun: string
  readonly scopes: 'products' | 'categories' | 'collections'
  readonly emits: readonly string[]
  readonly notFound: Operation['notFound']
  readonly translate: (context: Context, id: string, rewrite: Rewrite<Of>) => Promise<Replaced>
}

type Replaced = Row & { readonly replayed: boolean }

/** The same, whatever its shape is. */
type Translated = Omit<Translatable<Shape>, 'translate'> & {
  readonly replace: (context: Context, id: string, written: WrittenTranslations) => Promise<Replaced>
}

function translated<Of extends Shape>({ translate, ...rest }: Translatable<Of>): Translated {
  return {
    ...rest,
    replace: (context, id, written) =>
      translate(context, id, replacingTranslations(rest.shape, written, context.tenant.locales)),
  }
}

const translatedResources = [
  translated({
    shape: product,
    table: 'products',
    iri: productIri,
    noun: 'a product',
    scopes: 'products',
    emits: ['product/updated'],
    notFound: productProblems.not_found,
    translate: translateProduct,
  }),
  translated<Shape>({
    shape: productOption,
    table: 'product_options',
    iri: productOptionIri,
    noun: 'an option',
    scopes: 'products',
    emits: ['product_option/updated', 'product/updated'],
    notFound: productOptionProblems.not_found,
    translate: translateOption,
  }),
  translated<Shape>({
    shape: optionValue,
    table: 'option_values',
    iri: optionValueIri,
    noun: 'an option value',
    scopes: 'products',
    emits: ['option_value/updated', 'product/updated'],
    notFound: optionValueProblems.not_found,
    translate: translateValue,
  }),
  translated({
    shape: category,
    table: 'categories',
    iri: categoryIri,
    noun: 'a category',
    scopes: 'categories',
    emits: ['category/updated'],
    notFound: categoryProblems.not_found,
    translate: translateCategory,
  }),
  translated({
    shape: collection,
    table: 'collections',
    iri: collectionIri,
    noun: 'a collection',
    scopes: 'collections',
    emits: ['collection/updated'],
    notFound: collectionProblems.not_found,
    translate: translateCollection,
  }),
]

function operationsOf({ shape: of, noun, scopes, emits, notFound, ...each }: Translated): Operation[] {
  const shape = translationsShape(of)
  const common = { shape, path: shape.collection, answers: 'item', query: {}, notFound } as const
  const answer = (context: Context, id: string, row: Row) => {
    const document = translationsDocument(each.iri(id), row, of, context.tenant.locales)
    return { kind: 'item', document, version: row.version } as const
  }
  return [
    operation({
      ...common,
      name: `get${of.type}Translations`,
      summary: `Read the texts of ${noun} in every locale`,
      method: 'GET',
      scope: `${scopes}:read`,
      async run(context, { params: { id } }) {
        const { clock, found } = await context.db.read({
          clock: sequenceStatement,
          found: rowStatement(each.table, id),
        })
        const [row] = found
        if (!row) throw notFound({ id })
        return { ...answer(context, id, row), sequence: clock[0]?.sequence ?? 0 }
      },
    }),
    operation({
      ...common,
      name: `put${of.type}Translations`,
      summary: `Replace the texts of ${noun} in every locale`,
      method: 'PUT',
      scope: `${scopes}:write`,
      body: { mode: 'create' },
      emits,
      async run(context, { params: { id }, bodies }) {
        const [body] = bodies
        const row = await each.replace(context, id, body?.translations ?? {})
        return { ...answer(context, id, row), replayed: row.replayed }
      },
    }),
  ]
}

function rowStatement(table: string, id: string): Statement<Row> {
  return statement<Row>(sql`select translations, version from ${sql.identifier(table)}
    where tenant_id = current_tenant() and id = ${id}::uuid`)
}

export const resource: Resource = {
  shape: anyTranslations,
  problems: [],
  operations: translatedResources.flatMap(operationsOf),
}
