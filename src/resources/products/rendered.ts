/**
 * Products as texts that were rendered before. Of a product that was read row by row the reader keeps what it made of it, with gaps
 * for what belongs to others: the prices of its variants, its categories, its collections. The database tells the text in place of
 * the rows for as long as its edition is the product's (migrations/functions/60_product_cache.sql).
 */
import { sql } from 'drizzle-orm'
import { budgets } from '../../core/budgets.ts'
import { bytesOf, Fragment, textOf, WrittenDocument } from '../../core/document.ts'
import { lazily } from '../../core/lazily.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { Utf8Writer } from '../../core/utf8.ts'
import { type Session, statement } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import { type CategoryParts, embeddedCategories } from '../categories/index.ts'
import type { Price } from '../prices/index.ts'
import { collectionIri } from './collections/iri.ts'
import { type ProductParts, productDocumentWith } from './document.ts'
import type { Unkept } from './lines.ts'
import { type Filling, gaps, packed, unpackInto, wordsSpoken } from './rendered-words.ts'
import { inList } from './room.ts'

/** A product that was rendered before. */
export type RenderedProduct = {
  readonly id: string
  readonly version: number
  readonly categories: readonly CategoryParts[]
  /** Ids, in their order. */
  readonly collections: readonly string[]
  /** The price of each of its variants, in their order; null where none is asked for. */
  readonly prices: readonly (Price | null)[] | null
  readonly text: string
}

/** The document of a product that was rendered before. */
export class RenderedDocument extends WrittenDocument implements Filling {
  readonly #product: RenderedProduct
  readonly #locale: Locale
  #variant = 0

  constructor(product: RenderedProduct, locale: Locale) {
    super()
    this.#product = product
    this.#locale = locale
  }

  writeTo(writer: Utf8Writer): void {
    this.#variant = 0
    unpackInto(writer, this.#product.text, this)
  }

  price(writer: Utf8Writer): void {
    const { prices } = this.#product
    if (!prices) return
    writer.copy(beforePrice)
    // Plain JSON, which has no documents in it to be spliced.
    writer.write(JSON.stringify(prices[this.#variant++] ?? null))
    writer.copy(behindPrice)
  }

  categories(writer: Utf8Writer): void {
    writer.write(textOf(embeddedCategories(this.#product.categories, this.#locale)))
  }

  collections(writer: Utf8Writer): void {
    writer.write(textOf(this.#product.collections.map(collectionIri)))
  }
}

const priceLabel = '"resolvedPrice":'
const encoder = new TextEncoder()
const beforePrice = encoder.encode(priceLabel)
const behindPrice = encoder.encode(',')
const gapOf = {
  price: new Fragment(gaps.price, {}),
  categories: new Fragment(gaps.categories, {}),
  collections: new Fragment(gaps.collections, {}),
}

/** A product's text is kept where it has at most so many bytes: each of them is in any list's room, with its prices as well. */
const mostBytes = 24_000
const mostVariants = inList.embedded

/** The text of a product with its gaps; null where it shows more than its own rows, or less. */
function renderedText(parts: ProductParts, locale: Locale): string | null {
  const { variants, variantsTotal, options } = parts
  const refers = [parts, ...variants].some(({ metaobjects }) => metaobjects !== null)
  const isWhole =
    variantsTotal === variants.length &&
    options.every(({ values, valuesTotal = values.length }) => valuesTotal === values.length)
  if (refers || !isWhole || variants.length > mostVariants) return null
  const text = textOf(
    productDocumentWith(parts, locale, {
      categories: gapOf.categories,
      collections: gapOf.collections,
      ofVariant: () => ({ resolvedPrice: gapOf.price }),
    }),
  ).replaceAll(`${priceLabel}${gaps.price},`, gaps.price)
  return bytesOf(text) > mostBytes ? null : text
}

/**
 * Whether texts are kept in the language that is asked: in one that the tenant does not declare, of which callers make up any, none
 * is, and none in any while one is on its way out, since each has all of them to fall back on.
 */
export function keepsTexts({ tenant, locale }: Pick<Context, 'tenant' | 'locale'>): boolean {
  return tenant.leaving.length === 0 && tenant.locales.includes(locale.asked)
}

/** Products with editions that are looked at in one step. */
const forgottenAtOnce = 500

/**
 * Lets go of the texts of the next products after one that were made when a locale was declared; gives the last of these products and
 * how many they were, null where there were none.
 */
export async function forgetTexts(
  db: Session,
  locale: string,
  after: string,
): Promise<{ last: string; rows: number } | null> {
  const { forgotten } = await db.write({
    forgotten: statement<{ last: string | null; rows: number }>(sql`
      with next as (
        select product_id from product_editions where tenant_id = current_tenant() and product_id > ${after}::uuid
         order by product_id limit ${forgottenAtOnce}
      ), gone as (
        delete from rendered_products r using next
         where r.tenant_id = current_tenant() and r.product_id = next.product_id
           and string_to_array(split_part(translate(r.form, '=', ' '), ' ', 2), ',') @> array[${locale}::text]
      )
      select max(product_id::text) as last, count(*)::int as rows from next`),
  })
  const [{ last, rows } = { last: null, rows: 0 }] = forgotten
  return last === null ? null : { last, rows }
}

/** The form of the texts that these readers make: those that another deployment makes otherwise are not read as its own. */
export function renderedForm({ chain, stored }: Locale): string {
  return `${rendering().digest}${stored ? '=' : ' '}${chain.join(',')}`
}

type Read = {
  readonly products: readonly (ProductParts & { readonly edition: string })[]
  readonly unkept: Unkept
}

/**
 * Keeps what was read row by row, when the answer is sent, for whoever reads it next in this locale: the texts of products, what these
 * belong to and their offers beside them, the lines of categories.
 */
export function keepRead({ later }: Context, { products, unkept }: Read, locale: Locale): void {
  const read = products.filter(({ edition }) => edition !== '')
  if (read.length + unkept.products.length + unkept.categories.length === 0) return
  later(async (db) => {
    // The answer is rendered first.
    await new Promise((done) => setTimeout(done))
    await keep(db, renderedOf(read, locale), unkept, locale)
  })
}

/** A product as it is kept, with the ids of the variants that its text has gaps for. */
type Kept = Pick<ProductParts, 'id' | 'version'> & {
  readonly edition: string
  readonly variants: readonly string[]
  readonly text: string
}

function renderedOf(products: Read['products'], locale: Locale): Kept[] {
  return products.flatMap((each) => {
    const text = renderedText(each, locale)
    const { id, edition, version, variants } = each
    return text === null
      ? []
      : [{ id, edition, version, variants: variants.map((variant) => variant.id), text: packed(text) }]
  })
}

async function keep(db: Session, kept: readonly Kept[], unkept: Unkept, locale: Locale): Promise<void> {
  const { products, categories } = unkept
  if (kept.length + products.length + categories.length === 0) return
  const keeping = sql`select keep_read(${renderedForm(locale)}, ${JSON.stringify(kept)}::jsonb, ${uuids(products)}, ${uuids(categories)},
    ${budgets.children.list}::int, ${!locale.stored})`
  await db.write({ kept: statement(keeping) })
}

/** How products are rendered here, in a few characters: those of made-up ones that have what a product can have. */
const rendering = lazily(() => {
  const locales = [localeOf(['en-US', 'fr-FR'], null), localeOf(['en-US', 'fr-FR'], 'fr-FR')]
  const texts = locales.map((locale) => renderedText(sample, locale))
  return { digest: digest([wordsSpoken, ...texts.map((text) => packed(text ?? ''))].join('\n')) }
})

/** A digest that nobody has to be unable to forge (FNV-1a, 64 bits of it in two halves). */
function digest(text: string): string {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4]
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit ^ (low >>> 13), 0x01000193)
  }
  return [low, high].map((half) => (half >>> 0).toString(36)).join('')
}

const moments = {
  version: 1,
  createdAt: '2026-01-01T00:00:00.000000Z',
  updatedAt: '2026-01-02T00:00:00.000000Z',
}
const sample: ProductParts = {
  ...moments,
  id: 'p',
  document: '{"@id":"p","title":"t","description":null,"seo":null}',
  translations: { 'fr-FR': { title: 'titre' } },
  status: 'ACTIVE',
  metaobjects: null,
  categories: [],
  collections: [],
  options: [
    {
      ...moments,
      id: 'o',
      productId: 'p',
      document: '{"@id":"o","title":"o"}',
      title: 'o',
      translations: { 'fr-FR': { title: 'option' } },
      position: 0,
      values: [
        {
          ...moments,
          id: 'v',
          optionId: 'o',
          document: '{"@id":"v","title":"v","fallbacks":{"title":"fr-FR"}}',
          title: 'v',
          translations: { 'en-US': { title: 'v' } },
          position: 0,
        },
      ],
    },
  ],
  variants: [
    {
      ...moments,
      id: 's',
      productId: 'p',
      document: '{"@id":"s"}',
      status: 'ACTIVE',
      optionValueIds: ['v'],
      position: 0,
      metaobjects: null,
    },
  ],
  variantsTotal: 1,
}
