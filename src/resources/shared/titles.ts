import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgTable } from 'drizzle-orm/pg-core'
import type { Context } from '../../core/operation.ts'
import type { OrderKey } from '../../core/paging.ts'

/** Languages whose order differs from the root order of CLDR. The SQL function `title_language()` has the same list. */
export const orderedLanguages = 'cs da es et fi hr hu is ja ko lt lv nb nn pl ro sk sl sv tr uk vi zh'.split(
  ' ',
)

/** The tables with titles, whose triggers keep them (migrations/0003_titles.sql). */
export const titledTables = ['products', 'product_options', 'option_values', 'categories', 'collections']

/**
 * The order of a table by the titles that lists show, in the order of their language. The table `titles` has them for
 * each locale of the tenant. For a locale that is being added or removed, or that the tenant does not have, the order is
 * that of the next locale of its fallbacks.
 */
export function titleOrder(
  table: AnyPgTable,
  { locale, tenant }: Pick<Context, 'locale' | 'tenant'>,
): OrderKey {
  const name = indexedLocale(locale.chain, tenant)
  const [prefix = ''] = name.split('-')
  const language = orderedLanguages.includes(prefix) ? prefix : 'und'
  return {
    column: sql`shown_title collate ${sql.identifier(`${language}-x-icu`)}`,
    type: 'text',
    join: titlesJoin(table, name, language),
    edition: sql`concat(${name}::text, ' ', title_edition(${language}))`,
  }
}

/** The condition on `language` is that of the index of the language, so it is no parameter. */
function titlesJoin(table: AnyPgTable, locale: string, language: string): SQL {
  return sql` join (select id as titled_id, title as shown_title from titles
    where tenant_id = current_tenant() and kind = ${sql.raw(`'${getTableName(table)}'`)} and locale = ${locale}
      and language = ${sql.raw(`'${language}'`)}) as titled on titled.titled_id = ${table}.id`
}

/** The first locale of a chain of fallbacks that search and titles are complete for. */
export function indexedLocale(
  chain: readonly string[],
  { locales, arriving, leaving }: Pick<Context['tenant'], 'locales' | 'arriving' | 'leaving'>,
): string {
  const isIndexed = (locale: string) =>
    locales.includes(locale) && !arriving.includes(locale) && !leaving.includes(locale)
  return chain.find(isIndexed) ?? locales[0]
}
