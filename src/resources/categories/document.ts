import * as z from 'zod'
import { documentInLocale, fitsIn, type RowDocument, sized, textOf, type Value } from '../../core/document.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { bytesOf } from '../../core/sizes.ts'
import { stampedRow, translationsRow } from '../../db/columns.ts'
import { columnsOf, type RowOf } from '../../db/query.ts'
import { withMetaobjects } from '../fields/custom-fields.ts'
import { embeddedMetaobjects } from '../metaobjects/document.ts'
import { viewOf } from '../shared/properties.ts'
import { category, categoryIri } from './schema.ts'

/** The columns of a category's row, before its children are embedded. */
export const categoryRow = {
  id: z.string(),
  /** Null if the query skipped the document because of its byte limit. The renderer shows the IRI instead. */
  document: z.string().nullable(),
  translations: translationsRow.nullable(),
  /** The metaobjects that its custom fields refer to. */
  metaobjects: embeddedMetaobjects,
  parentId: z.string().nullable(),
  ...columnsOf(z.number(), 'position', 'level', 'childrenTotal'),
  ...stampedRow,
  /** Ids, root first. Null for a descendant that is read only to be embedded. Its ancestors follow from its parent. */
  ancestors: z.array(z.string()).readonly().nullable(),
  /** Ids, in order. Null if there are more children than requested. */
  children: z.array(z.string()).readonly().nullable(),
}

/** A category's row, with its document as text or as members. */
export type CategoryRow<Document extends RowDocument = string> = Omit<
  RowOf<typeof categoryRow>,
  'document' | 'translations' | 'metaobjects'
> & { readonly document: Document | null } & Partial<
    Pick<RowOf<typeof categoryRow>, 'translations' | 'metaobjects'>
  >

/** The data that a category's document is rendered from. Plain JSON. */
export type CategoryParts<Document extends RowDocument = string> = Omit<
  CategoryRow<Document>,
  'ancestors' | 'children'
> & {
  readonly ancestors: readonly string[]
  /** Ids or embedded categories, in order. Null if there are too many to show. */
  readonly children: readonly (string | CategoryParts<Document>)[] | null
  /** It and the categories above it, if they were requested. */
  readonly breadcrumbs?: readonly Value[] | undefined
  /** Bytes of its stored texts, if they were measured. */
  readonly storedBytes?: number
}

/** A category as an event stores it. */
export const eventCategory: z.ZodType<CategoryParts> = z.object({
  ...categoryRow,
  translations: categoryRow.translations.optional(),
  metaobjects: categoryRow.metaobjects.optional(),
  ancestors: categoryRow.ancestors.unwrap(),
  get children() {
    return z
      .array(z.union([z.string(), eventCategory]))
      .readonly()
      .nullable()
  },
  storedBytes: z.number().optional(),
})

/**
 * Renders a category in a locale, in at most `maxBytes` bytes.
 * Loaded children are embedded if all of them fit, otherwise they are IRIs. If the IRIs do not fit either, the
 * document contains a total and a link.
 */
export function categoryDocument(
  parts: CategoryParts<RowDocument>,
  locale: Locale,
  maxBytes: number = byteLimits.item,
): Value {
  if (parts.document === null) return categoryIri(parts.id)
  const { document, children } = parts
  if (children === null) return renderCategory(parts, document, null, locale)
  const mostBytes = Math.min(bytesBound(parts), byteLimits.rowDocument + children.length * iriBytes)
  if (mostBytes <= maxBytes && children.every((child) => typeof child === 'string'))
    return renderCategory(parts, document, children.map(iriOf), locale)
  const childBytes = maxBytes - bytesOf(textOf(renderCategory(parts, document, [], locale)))
  return renderCategory(parts, document, renderChildren(childBytes, children, locale), locale)
}

/** Bytes of a category's IRI as an element of an array. */
const iriBytes = bytesOf(`"${categoryIri('00000000-0000-0000-0000-000000000000')}",`)

const iriOf = (child: string | CategoryParts<RowDocument>) =>
  categoryIri(typeof child === 'string' ? child : child.id)

/** Renders children as objects if all of them fit into `maxBytes`, otherwise as IRIs. Returns null if these do not fit. */
function renderChildren(
  maxBytes: number,
  children: readonly (string | CategoryParts<RowDocument>)[],
  locale: Locale,
): Value[] | null {
  if (children.length * iriBytes > maxBytes) return null
  const documents = children.map((child) =>
    typeof child === 'string' ? iriOf(child) : categoryDocument(child, locale, maxBytes),
  )
  return fitsIn(documents.map(sized), maxBytes) ? documents : children.map(iriOf)
}

function renderCategory(
  parts: CategoryParts<RowDocument>,
  stored: RowDocument,
  children: readonly Value[] | null,
  locale: Locale,
): Value {
  const { id, translations, parentId, childrenTotal, position, ancestors, level, version } = parts
  const document = {
    ...documentInLocale({ document: stored, translations: translations ?? null }, category, locale),
    parent: parentId && categoryIri(parentId),
    children: children ?? undefined,
    childrenTotal: children ? undefined : childrenTotal,
    childrenView: children ? undefined : viewOf(category.collection, `${category.collection}?parent=${id}`),
    position,
    ancestors: ancestors.map(categoryIri),
    breadcrumbs: parts.breadcrumbs,
    level,
    version,
    createdAt: parts.createdAt,
    updatedAt: parts.updatedAt,
  }
  return withMetaobjects(document, parts.metaobjects, locale)
}

/** Renders embedded categories: as objects if all of them fit, otherwise all as IRIs. */
export function embeddedCategories(
  categories: readonly CategoryParts<RowDocument>[],
  locale: Locale,
  maxBytes: number = byteLimits.embedded,
): Value[] {
  const documents = categories.map((category) => categoryDocument(category, locale, maxBytes))
  const bound = categories.reduce((sum, category) => sum + bytesBound(category), 0)
  return bound <= maxBytes || fitsIn(documents.map(sized), maxBytes) ? documents : categories.map(iriOf)
}

/** An upper bound of the bytes of a category's document. It is infinite if the category embeds others or the stored bytes are unknown. */
function bytesBound({ storedBytes, ancestors, children, metaobjects }: CategoryParts<RowDocument>): number {
  const embedsNothing = !metaobjects && (children ?? []).every((child) => typeof child === 'string')
  if (storedBytes === undefined || !embedsNothing) return Number.POSITIVE_INFINITY
  return storedBytes + addedBytes + (ancestors.length + (children?.length ?? 0)) * iriBytes
}

/** The most bytes that a document adds to the stored texts, the ancestors and the children of a category. */
const addedBytes = 1_000

/** Replaces embedded children by their ids, so that events store the same document for every writer. */
function withChildrenById(parts: CategoryParts): CategoryParts {
  const { children } = parts
  return {
    ...parts,
    children: children?.map((child) => (typeof child === 'string' ? child : child.id)) ?? null,
  }
}

/** The document that a category's event stores. It can be rendered in any locale. */
export function categoryEventDocument(parts: CategoryParts): string {
  return JSON.stringify(withChildrenById(parts))
}

/**
 * Returns the categories that the event of an embedding resource stores.
 * If they are too large together, only their ids and tree data remain.
 */
export function categoriesForEvent(categories: readonly CategoryParts[]): CategoryParts[] {
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
    categoryDocument(parseEventDocument(eventCategory, eventDocument, context), locale, context.maxBytes),
}
