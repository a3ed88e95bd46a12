import { localized, type Value } from '../../core/document.ts'
import { iri } from '../../core/iri.ts'
import type { Locale } from '../../core/locale.ts'
import { translatableOf } from '../../core/property.ts'
import type { Translations } from '../../db/columns.ts'
import { type EmbeddedMetaobject, withMetaobjects } from '../custom-fields/index.ts'
import { category } from './schema.ts'

/** What a category's document is made of. Plain JSON. */
export type CategoryParts = {
  readonly id: string
  readonly document: string
  readonly translations?: Translations | null
  /** What its fields refer to. */
  readonly metaobjects?: readonly EmbeddedMetaobject[] | null
  readonly parentId: string | null
  readonly position: number
  readonly level: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Ids, root first. */
  readonly ancestors: readonly string[]
  /** In their order: ids, or what is embedded. */
  readonly children: readonly string[] | readonly CategoryParts[]
}

const translatable = translatableOf(category)

/** A category's document in a locale, with as many levels of children as were read. */
export function categoryDocument(parts: CategoryParts, locale: Locale): Value {
  const { parentId, children, position, ancestors, level, version, createdAt, updatedAt } = parts
  const document = localized(parts, translatable, locale, {
    parent: parentId && iri.category(parentId),
    children: children.map((each) =>
      typeof each === 'string' ? iri.category(each) : categoryDocument(each, locale),
    ),
    position,
    ancestors: ancestors.map(iri.category),
    level,
    version,
    createdAt,
    updatedAt,
  })
  return withMetaobjects(document, parts.metaobjects, locale)
}

/** A category with its children as ids, whatever was embedded: what events keep of one, the same for every writer. */
export function withChildrenById(parts: CategoryParts): CategoryParts {
  return { ...parts, children: parts.children.map((each) => (typeof each === 'string' ? each : each.id)) }
}

/** What a category's event keeps, from which its document can be rendered in any locale. */
export function categoryEventDocument(parts: CategoryParts): string {
  return JSON.stringify(withChildrenById(parts))
}
