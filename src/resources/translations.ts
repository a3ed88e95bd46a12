/** The translations of every resource that says how its texts are rewritten: one document each, written by its own patch path. */

import { sql } from 'drizzle-orm'
import { irisUnder } from '../core/iri.ts'
import type { Kind } from '../core/kind.ts'
import {
  type Context,
  type Operation,
  operation,
  type Replaced,
  type Resource,
  type Texts,
} from '../core/operation.ts'
import type { Shape } from '../core/property.ts'
import { type Rewrite, replacingTranslations, withoutLocale } from '../core/rewrite.ts'
import { anyTranslations, translationsDocument, translationsShape } from '../core/translations.ts'
import { type Statement, statement } from '../db/client.ts'
import type { Translations } from '../db/columns.ts'
import { sequenced } from '../db/sequence.ts'
import { untranslatedOperation } from './untranslated.ts'

type Row = { readonly translations?: Translations | null; readonly version: number }

/** A resource that has translations. */
type Translatable = {
  readonly shape: Shape
  readonly table: string
  readonly texts: Texts
}

type Translating<Of extends Shape> = Omit<Texts, 'replace' | 'forget'> & {
  /** Rewrites the texts of one resource, by a patch or all at once. */
  readonly translate: (context: Context, id: string, rewrite: Rewrite<Of>) => Promise<Replaced>
}

/** What a resource of a shape says of its texts. */
export function textsOf<Of extends Shape>(shape: Of, { translate, ...rest }: Translating<Of>): Texts {
  return {
    ...rest,
    replace: (context, id, written) =>
      translate(context, id, replacingTranslations(shape, written, context.tenant)),
    forget: (context, id, locale) => translate(context, id, withoutLocale(locale, context.tenant.locales)),
  }
}

/** The operations on the translations of those resources that have them. */
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
  const common = { shape, path: shape.collection, answers: 'item', query: {}, notFound } as const
  const iriOf = irisUnder(of.collection)
  const answer = (context: Context, id: string, row: Row) => {
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
        const { found } = await context.db.read({ found: sequenced(rowStatement(table, id)) })
        const {
          rows: [row],
          sequence,
        } = found
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

function rowStatement(table: string, id: string): Statement<Row> {
  return statement<Row>(sql`select translations, version from ${sql.identifier(table)}
    where tenant_id = current_tenant() and id = ${id}::uuid`)
}
