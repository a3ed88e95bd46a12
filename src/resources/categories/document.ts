import {
  bytesOf,
  documentInLocale,
  fitsIn,
  type Members,
  type SizedJson,
  sized,
  textOf,
  type Value,
} from '../../core/document.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { translatableOf } from '../../core/schema.ts'
import type { Translations } from '../../db/columns.ts'
import { withMetaobjects } from '../fields/custom-fields.ts'
import type { EmbeddedMetaobject } from '../metaobjects/document.ts'
import { category, categoryIri } from './schema.ts'

/** What a category's document is made of. Plain JSON. */
export type CategoryParts = {
  readonly id: string
  /** Null where it was not read, since too much was asked for at once: its IRI stands for it. */
  readonly document: string | null
  readonly translations?: Translations | null
  /** What its custom fields refer to. */
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly parentId: string | null
  readonly position: number
  readonly level: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Ids, root first. */
  readonly ancestors: readonly string[]
  /** In their order: ids, or what is embedded; null where there are too many to be shown. */
  readonly children: readonly (string | CategoryParts)[] | null
  readonly childrenTotal: number
}

const translatable = translatableOf(category)

/**
 * A category's document in a locale, of at most `room` bytes: children that were read stand in it as far as they fit, then
 * their IRIs, and where not even these fit their number and a link.
 */
export function categoryDocument(
  parts: CategoryParts,
  locale: Locale,
  maxBytes: number = byteLimits.item,
): Value {
  if (parts.document === null) return categoryIri(parts.id)
  const { document, children } = parts
  if (children === null) return renderCategory(parts, document, null, locale)
  const isAllIds = children.every((child) => typeof child === 'string')
  if (isAllIds && byteLimits.rowDocument + children.length * iriBytes <= maxBytes) {
    return renderCategory(parts, document, children.map(iriOf), locale)
  }
  const childBytes = maxBytes - bytesOf(textOf(renderCategory(parts, document, [], locale)))
  return renderCategory(parts, document, renderChildren(childBytes, children, locale), locale)
}

/** Bytes of a category's IRI as an element of an array. */
const iriBytes = bytesOf(`"${categoryIri('00000000-0000-0000-0000-000000000000')}",`)

const iriOf = (child: string | CategoryParts) => categoryIri(typeof child === 'string' ? child : child.id)

/** The children of a category in so many bytes: objects first; null where not even their IRIs fit. */
function renderChildren(
  maxBytes: number,
  children: readonly (string | CategoryParts)[],
  locale: Locale,
): Value[] | null {
  let remainingBytes = maxBytes - children.length * iriBytes
  if (remainingBytes < 0) return null
  return children.map((child) => {
    if (typeof child === 'string') return iriOf(child)
    const { fragment, bytes } = sized(categoryDocument(child, locale, remainingBytes))
    if (bytes > remainingBytes) return iriOf(child)
    remainingBytes -= bytes
    return fragment
  })
}

function renderCategory(
  parts: CategoryParts,
  document: string,
  children: readonly Value[] | null,
  locale: Locale,
): Value {
  const { id, translations, parentId, childrenTotal, position, ancestors, level, version } = parts
  const members: Members = {
    parent: parentId && categoryIri(parentId),
    children: children ?? undefined,
    childrenTotal: children ? undefined : childrenTotal,
    childrenView: children ? undefined : childrenView(id),
    position,
    ancestors: ancestors.map(categoryIri),
    level,
    version,
    createdAt: parts.createdAt,
    updatedAt: parts.updatedAt,
  }
  const row = { document, translations: translations ?? null }
  return withMetaobjects(documentInLocale(row, translatable, locale, members), parts.metaobjects, locale)
}

/** Where the children of a category are listed. */
function childrenView(id: string): Value {
  const list = `${category.collection}?parent=${id}`
  return { '@id': category.collection, '@type': 'PartialCollectionView', next: list }
}

/** The documents that were made of parts last, with what they were made for: a page embeds few categories many times. */
const documentCache = new WeakMap<
  CategoryParts,
  { readonly cacheKey: string; readonly document: SizedJson }
>()

function sizedDocument(parts: CategoryParts, locale: Locale, maxBytes: number): SizedJson {
  const cacheKey = `${maxBytes} ${locale.stored} ${locale.chain.join(' ')} ${locale.asked}`
  const cached = documentCache.get(parts)
  if (cached?.cacheKey === cacheKey) return cached.document
  const document = sized(categoryDocument(parts, locale, maxBytes))
  documentCache.set(parts, { cacheKey, document })
  return document
}

/** The categories that something embeds: objects where all of them fit, else the IRIs of all. */
export function embeddedCategories(
  categories: readonly CategoryParts[],
  locale: Locale,
  maxBytes: number = byteLimits.embedded,
): Value[] {
  const documents = categories.map((category) => sizedDocument(category, locale, maxBytes))
  return fitsIn(documents, maxBytes) ? documents.map((document) => document.fragment) : categories.map(iriOf)
}

/** A category with its children as ids, whatever was embedded: what events keep of one, the same for every writer. */
function withChildrenById(parts: CategoryParts): CategoryParts {
  const { children } = parts
  return {
    ...parts,
    children: children?.map((child) => (typeof child === 'string' ? child : child.id)) ?? null,
  }
}

/** What a category's event keeps, from which its document can be rendered in any locale. */
export function categoryEventDocument(parts: CategoryParts): string {
  return JSON.stringify(withChildrenById(parts))
}

/** The categories that the event of something embedding them keeps: where they are too large together, no more than their ids. */
export function keptCategories(categories: readonly CategoryParts[]): CategoryParts[] {
  const withIds = categories.map(withChildrenById)
  if (bytesOf(JSON.stringify(withIds)) <= byteLimits.embeddedInEvent) return withIds
  return withIds.map((category) => ({
    ...category,
    document: null,
    translations: null,
    metaobjects: null,
    children: null,
  }))
}

export const categoryKind: Kind = {
  name: 'categories',
  subject: 'category',
  noun: 'A category',
  shape: category,
  document: (eventDocument, context, locale) =>
    categoryDocument(parseEventDocument<CategoryParts>(eventDocument, context), locale, context.most),
}
