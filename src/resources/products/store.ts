/** Reading products with everything that they embed: one statement on one snapshot, however many products, options or variants there are. */

import { SQL, sql } from 'drizzle-orm'
import { budgets } from '../../core/budgets.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import { type Outline, reads } from '../../core/outline.ts'
import { pageRow } from '../../core/page.ts'
import type { Statement } from '../../db/client.ts'
import { documentColumn, identification, instantText } from '../../db/columns.ts'
import { gathered, made, type Reading } from '../../db/reading.ts'
import { uuids } from '../../db/rows.ts'
import type { Alone } from '../../db/statement.ts'
import { categoriesOf } from '../categories/index.ts'
import { metaobjectsIn } from '../content/custom-fields/index.ts'
import {
  type AskedPrice,
  countKnown,
  keptTermsFinder,
  mostPriorTerms,
  priceOf,
  pricesOf,
  termsFinder,
} from '../prices/index.ts'
import type { Prices, ProductOutline, ProductParts } from './document.ts'
import { toldBy, type Unkept } from './lines.ts'
import { type RenderedProduct, renderedForm } from './rendered.ts'
import { type Room, withoutVariants } from './room.ts'

/** The columns of a variant in the shape of its parts. */
export const variantColumns = outlinedVariantColumns(null)

/** The same columns where documents are reduced to an outline. */
export function outlinedVariantColumns(outline: Outline): SQL {
  return sql`id, product_id as "productId", ${documentColumn(sql`document`, outline)}, status, to_json(option_value_ids) as "optionValueIds", position, ${metaobjectsIn(outline)}, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** Bytes that an offer takes where prices are asked for: as it is read, and as an answer may tell of it. */
const offerBytes = 200

/** What is read for a variant of a page, in bytes; `tell_products()` counts likewise. */
export function variantBytes(asked: AskedPrice | null): SQL {
  if (asked === null) return sql`octet_length(document)`
  const offers = asked.knownAt === undefined ? sql`sale_offer_count` : countKnown(sql`${pageRow}.id`, asked)
  return sql`octet_length(document) + ${offers} * ${offerBytes}::int`
}

/** How products are read. */
export type ReadOptions = {
  readonly locale: Locale
  /** Embedded depth of sub-categories, 0 for IRIs. */
  readonly expand: number
  readonly room: Room
  /** All translations, for a write that has to merge them. */
  readonly translations?: boolean
  /** The price that is asked for of the variants that are read. */
  readonly asked?: AskedPrice | null
  /** The members of the products' documents that are read; where there is one, nothing is read of what they own. */
  readonly outline?: Outline
  /** False where what they own is not read. */
  readonly owned?: boolean
  /** Whether texts that were rendered before will do. */
  readonly rendered?: boolean
}

/** Products with the prices of their variants, which are null where none are asked for, and what was told with them. */
export type ReadProducts = {
  readonly products: readonly (ProductParts & { readonly edition: string })[]
  /** Those that were rendered before, where that will do. */
  readonly rendered: readonly RenderedProduct[]
  readonly prices: Prices
  /** The tenant's event sequence. */
  readonly sequence: number
  readonly head: readonly string[]
  /** Where prices as they were known or before a reduction are asked for, how far they reach back: for `demandHistory()`. */
  readonly history: string | undefined
  /** What `keepRead()` may keep beside the products that were read row by row. */
  readonly unkept: Unkept
}

/**
 * Selects products as lines, for `productsOf`. `ids` is an array of their ids, the order of which they keep; `head` are fields to
 * be told with them. Of a list no more products are told than one statement may bring, but always one.
 */
export function productLines(ids: SQL, options: ReadOptions, head = sql`''`): SQL {
  const { teller, form } = tellingOf(options)
  return sql`select ${sql.raw(teller)}(${ids}, ${form}::jsonb, ${head}) as line`
}

/** How the products that a query finds, or those with some ids, are read by themselves; of a list nothing filters, with its kept total. */
export function productsAlone(
  asked: { readonly query: SQL; readonly keptTotal: string | null } | { readonly ids: readonly string[] },
  options: ReadOptions,
): Alone {
  const { teller, form } = tellingOf(options)
  return 'ids' in asked
    ? { function: 'read_products_alone', query: null, given: [`{${asked.ids.join()}}`, null, teller, form] }
    : { function: 'read_products_alone', query: asked.query, given: [null, asked.keptTotal, teller, form] }
}

/** The function that tells products, and in which form. */
function tellingOf(options: ReadOptions): { readonly teller: string; readonly form: string } {
  const { locale, expand, room, asked = null, outline = null, translations = !locale.stored } = options
  const form = {
    translations,
    members: outline && [...identification, ...outline],
    owned: outline === null && (options.owned ?? true),
    belonging: reads(outline, 'categories', 'collections'),
    fields: reads(outline, 'fields'),
    variants: room.embedded,
    variantBytes: room.variants,
    valueBytes: room.inList ? room.values : null,
    priced: asked !== null,
    explain: asked?.explain ?? false,
    channel: asked?.channel ?? null,
    country: asked?.country ?? null,
    at: asked?.at ?? null,
    most: room.inList ? budgets.readProducts : Number.MAX_SAFE_INTEGER,
    levels: expand,
    children: budgets.children.list,
    categoryBytes: budgets.readCategories,
    rendered: options.rendered && outline === null && isOfToday(asked) ? renderedForm(locale) : null,
  }
  const told = asked && restsOnHistory(asked) ? { ...form, ...historyForm(asked, room) } : form
  return { teller: tellerOf(asked, form.rendered !== null), form: JSON.stringify(told) }
}

/** The function that tells products with the prices that are asked for. */
function tellerOf(asked: AskedPrice | null, isRendered: boolean): string {
  if (asked?.prior) return 'read_products_prior'
  if (asked?.knownAt !== undefined) return 'read_products_known'
  return isRendered ? 'tell_kept_products' : 'tell_products'
}

const restsOnHistory = ({ knownAt, prior }: AskedPrice) => knownAt !== undefined || prior !== undefined

/** What of a form only history is read by. */
function historyForm({ knownAt, prior }: AskedPrice, { inList }: Room) {
  return {
    knownAt,
    days: prior?.days ?? null,
    keptTerms: prior !== undefined,
    terms: mostPriorTerms,
    productTermBytes: inList ? budgets.priorTerms.product : budgets.priorTerms.item,
    termBytes: inList ? budgets.priorTerms.list : Number.MAX_SAFE_INTEGER,
  }
}

/** An explained price, and one as it was known, rest on offers that are not told beside a rendered text. */
const isOfToday = (asked: AskedPrice | null) => !asked?.explain && asked?.knownAt === undefined

/** The products that lines tell, and what they tell beside them. */
export function productsOf(
  lines: readonly { readonly line: string }[],
  { expand, asked = null }: Pick<ReadOptions, 'expand' | 'asked'>,
): ReadProducts {
  const told = toldBy(lines)
  const [sequence, ...head] = told.head
  const categories = categoriesOf(told.categories, { expand })
  const history = asked && restsOnHistory(asked) ? head.at(-1) : undefined
  const find = termsFinder(history, told.priorTerms)
  const categoriesIn = (ids: readonly string[]) => ids.flatMap((id) => categories.get(id) ?? [])
  return {
    products: told.products.map(({ categoryIds, ...each }) => ({
      ...each,
      categories: categoriesIn(categoryIds),
    })),
    rendered: told.rendered.map(({ categoryIds, offers, terms, ...each }) => ({
      ...each,
      categories: categoriesIn(categoryIds),
      prices:
        asked &&
        offers.map((each, nth) =>
          priceOf(each, asked, terms ? keptTermsFinder(history, terms[nth] ?? '') : find),
        ),
    })),
    prices: asked && pricesOf(told.offers, asked, find),
    sequence: Number(sequence),
    head,
    history,
    unkept: told.unkept,
  }
}

/** Reads products; `ids` is an array of their ids, as they are or as SQL. */
export function productsReading(ids: SQL | readonly string[], options: ReadOptions): Reading<ReadProducts> {
  const given = ids instanceof SQL ? null : ids
  const lines: Statement<{ line: string }> = {
    get query() {
      return productLines(ids instanceof SQL ? ids : uuids(ids), options)
    },
    line: 'line',
    ...(given && { alone: productsAlone({ ids: given }, options) }),
  }
  return made(gathered({ lines }), (rows) => productsOf(rows.lines, options))
}

// The locale is of no account where all translations are read.
const outlined: ReadOptions = {
  locale: localeOf(['en-US'], null),
  expand: 0,
  room: withoutVariants,
  translations: true,
  owned: false,
}

/** Reads products without what they own, in the order of their ids; `ids` is a subquery. */
export function outlinesReading(ids: SQL): Reading<ProductOutline[]> {
  const reading = productsReading(
    sql`array(select asked.id from (${ids}) as asked(id) order by asked.id)`,
    outlined,
  )
  return made(reading, ({ products }) =>
    products.map(({ options, variants, variantsTotal, ...each }) => each),
  )
}

/**
 * Reads one product with what it embeds; null when there is none. `id` is an expression: a parameter, or a subquery that
 * finds the product of an option, a value or a variant.
 */
export function productReading(id: SQL, options: ReadOptions): Reading<ProductParts | null> {
  return made(productsReading(sql`array[${id}]`, options), ({ products: [product] }) => product ?? null)
}

/** An id as an SQL expression. */
export const idOf = (id: string) => sql`${id}::uuid`
