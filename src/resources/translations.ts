/** The translations of products, options, values, categories and collections: one document each, written by their own patch path. */

import { sql } from 'drizzle-orm'
import type { Answer, Context, Input, Operation, Resource } from '../core/operation.ts'
import type { Shape } from '../core/property.ts'
import { type Rewrite, replacingTranslations, type WrittenTranslations } from '../core/rewrite.ts'
import { anyTranslations, translationsDocument, translationsShape } from '../core/translations.ts'
import { statement } from '../db/client.ts'
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
type Translated = {
  readonly shape: Shape
  readonly table: string
  readonly iri: (id: string) => string
  readonly noun: string
  readonly scopes: 'products' | 'categories' | 'collections'
  readonly emits: readonly string[]
  readonly notFound: Operation['notFound']
  readonly translate: (
    context: Context,
    id: string,
    rewrite: Rewrite,
  ) => Promise<Row & { readonly replayed: boolean }>
}

const translatedResources: readonly Translated[] = [
  {
    shape: product,
    table: 'products',
    iri: productIri,
    noun: 'a product',
    scopes: 'products',
    emits: ['product/updated'],
    notFound: productProblems.not_found,
    translate: translateProduct,
  },
  {
    shape: productOption,
    table: 'product_options',
    iri: productOptionIri,
    noun: 'an option',
    scopes: 'products',
    emits: ['product_option/updated', 'product/updated'],
    notFound: productOptionProblems.not_found,
    translate: translateOption,
  },
  {
    shape: optionValue,
    table: 'option_values',
    iri: optionValueIri,
    noun: 'an option value',
    scopes: 'products',
    emits: ['option_value/updated', 'product/updated'],
    notFound: optionValueProblems.not_found,
    translate: translateValue,
  },
  {
    shape: category,
    table: 'categories',
    iri: categoryIri,
    noun: 'a category',
    scopes: 'categories',
    emits: ['category/updated'],
    notFound: categoryProblems.not_found,
    translate: translateCategory,
  },
  {
    shape: collection,
    table: 'collections',
    iri: collectionIri,
    noun: 'a collection',
    scopes: 'collections',
    emits: ['collection/updated'],
    notFound: collectionProblems.not_found,
    translate: translateCollection,
  },
]

function operationsOf(each: Translated): Operation[] {
  const shape = translationsShape(each.shape)
  const common = {
    shape,
    path: shape.collection,
    answers: 'item',
    query: {},
    notFound: each.notFound,
  } as const
  return [
    {
      ...common,
      name: `get${each.shape.type}Translations`,
      summary: `Read the texts of ${each.noun} in every locale`,
      method: 'GET',
      scope: `${each.scopes}:read`,
      run: (context, input) => read(each, context, input),
    },
    {
      ...common,
      name: `put${each.shape.type}Translations`,
      summary: `Replace the texts of ${each.noun} in every locale`,
      method: 'PUT',
      scope: `${each.scopes}:write`,
      body: { mode: 'create' },
      emits: each.emits,
      run: (context, input) => replace(each, context, input),
    },
  ]
}

async function read(each: Translated, context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const [clock, [row]] = await context.db.read(
    sequenceStatement,
    statement<Row>(sql`select translations, version from ${sql.identifier(each.table)}
      where tenant_id = current_tenant() and id = ${id}::uuid`),
  )
  if (!row) throw each.notFound({ id })
  return { ...answer(each, context, id, row), sequence: clock[0]?.sequence ?? 0 }
}

async function replace(each: Translated, context: Context, { params, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const written = bodies[0]?.translations as WrittenTranslations
  const rewrite = replacingTranslations(each.shape, written, context.tenant.locales)
  const row = await each.translate(context, id, rewrite)
  return { ...answer(each, context, id, row), replayed: row.replayed }
}

function answer(each: Translated, context: Context, id: string, row: Row): Answer & { kind: 'item' } {
  const document = translationsDocument(each.iri(id), row, each.shape, context.tenant.locales)
  return { kind: 'item', document, version: row.version }
}

export const resource: Resource = {
  shape: anyTranslations,
  problems: [],
  operations: translatedResources.flatMap(operationsOf),
}
