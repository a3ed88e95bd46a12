/** What a locale lacks: the rows that have a text in another locale and not in this one, found by an index of the locales that rows have in full. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { irisUnder } from '../core/iri.ts'
import { listReading } from '../core/listing.ts'
import { localePattern } from '../core/locale.ts'
import { type Operation, operation, type Texts } from '../core/operation.ts'
import { type Orders, pageParameters, planPage } from '../core/page.ts'
import { validationProblems } from '../core/problems/index.ts'
import type { Shape } from '../core/property.ts'
import { translationsDocument, translationsShape } from '../core/translations.ts'
import { violation } from '../core/violations.ts'
import type { Translations } from '../db/columns.ts'

type Row = { readonly id: string; readonly translations: Translations; readonly version: number }

const parameters = {
  ...pageParameters,
  missing: z
    .string()
    .refine(
      (text) => localePattern.test(text),
      violation(validationProblems.pattern.at('', { format: 'fr-FR' })),
    )
    .optional()
    .meta({
      examples: ['fr-FR'],
      pattern: localePattern.source,
      description:
        'Only those that have a text in another locale and not in this one, which need not be declared.',
    }),
}

/** The operation that lists the translations of a kind of resource: all of them, or those that a locale lacks. */
export function untranslatedOperation({
  shape: of,
  table,
  texts: { noun, notFound, archivedBy },
}: {
  readonly shape: Shape
  readonly table: string
  readonly texts: Texts
}): Operation {
  const iriOf = irisUnder(of.collection)
  const name = sql`${sql.identifier(table)}`
  const shown = archivedBy === null ? sql`true` : unarchived[archivedBy](name)
  const orders: Orders = {
    translatedIn: { column: sql`${name}.translated_in`, type: 'text' },
    id: { column: sql`${name}.id`, type: 'uuid' },
  }
  return operation({
    name: `list${of.type}Translations`,
    summary: `List the texts of each ${noun.replace(/^an? /, '')} in every locale, or those that a locale lacks`,
    description: 'Without the archived. With `missing`, `itemsPerPage=0` counts what is untranslated.',
    method: 'GET',
    mayBeKept: true,
    path: `/api/translations/${of.collection.slice('/api/'.length)}`,
    shape: translationsShape(of),
    scope: of.readWith,
    answers: 'collection',
    query: parameters,
    notFound,
    async run({ db, url, tenant }, { query }) {
      const page = planPage(query, url, orders, [['translatedIn', 'asc']])
      const { list } = await db.read({
        list: listReading<Row>(page, {
          from: sql`from ${name} where ${name}.tenant_id = current_tenant() and ${shown}`,
          ...(query.missing === undefined ? {} : lacking(name, shown, query.missing)),
          columns: sql`id, translations, version`,
          bytes: sql`octet_length(translations::text)`,
          keptTotal: null,
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

/** As the indexes of `translated_in` have it, so that they serve. */
const unarchived: Readonly<Record<NonNullable<Texts['archivedBy']>, (table: SQL) => SQL>> = {
  status: (table) => sql`${table}.status <> 'ARCHIVED'`,
  product_archived: (table) => sql`not ${table}.product_archived`,
}

/** The rows whose `translated_in` is without a locale. Each of its values is found behind the one before: there are few, of however many rows. */
function lacking(name: SQL, shown: SQL, locale: string) {
  const column = sql`${name}.translated_in`
  const next = (behind: SQL) => sql`select ${column} from ${name}
    where ${name}.tenant_id = current_tenant() and ${shown} and ${behind} order by ${column} limit 1`
  const known = sql`lacking as materialized (
    with recursive known(value) as (
      (${next(sql`true`)})
      union all
      select (${next(sql`${column} > known.value`)}) from known where known.value is not null
    )
    select value from known where value <> '*' and strpos(value, ${`,${locale},`}) = 0)`
  return { known, apart: { column, values: sql`select value from lacking` } }
}
