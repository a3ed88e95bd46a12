import * as z from 'zod'
import { referenceUnit } from '../../core/context.ts'
import { expandable } from '../../core/expand.ts'
import { irisUnder } from '../../core/iri.ts'
import { byteLimits } from '../../core/limits.ts'
import type { BodyOf } from '../../core/operation.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { customFields } from '../fields/custom-fields.ts'
import {
  descriptionProperty,
  endPosition,
  externalIdProperty,
  handleProperty,
  iriText,
  partialView,
  position,
  relation,
  requiredTitle,
  stamps,
} from '../shared/properties.ts'

/** Maximum number of levels of a tree; the roots are level one. */
export const maximumLevels = 10
/**
 * Maximum number of children in a request body. Equals the number that an item shows, so that a response can be sent
 * back.
 */
export const maximumChildren = byteLimits.children.item

const collection = '/api/categories'

/** A category and those above it, root first. */
export const breadcrumbList = z.array(
  z.object({
    '@id': iriText,
    '@type': z.literal('Category'),
    title: z.string(),
    handle: z.string(),
    fallbacks: z.record(z.string(), z.string()).optional(),
  }),
)

export const category = {
  type: 'Category',
  description: 'A node of the tree that products are sorted into.',
  collection,
  readWith: 'categories:read',
  properties: {
    externalId: externalIdProperty('category', 'shirts'),
    title: requiredTitle('The name of the category.', 'Shirts'),
    handle: handleProperty('the categories', 'shirts'),
    description: descriptionProperty('Shirts of all kinds.'),
    referenceUnit: writable(
      referenceUnit,
      'The quantity to which unit prices of its products refer, if it measures the same as the content of the variant. A category without one takes that of the nearest ancestor.',
      { example: { value: 100, unit: 'g' } },
    ),
    fields: customFields,
    parent: writable(relation(collection), 'The category that it is in; null for a root.', {
      isLink: true,
      stored: false,
    }),
    children: writable(
      z.array(relation(collection)).max(maximumChildren),
      'The categories in it, in their order.',
      {
        objectType: 'Category',
        isLink: true,
        visibleWith: 'categories:read',
        stored: false,
        dependsOnOthers: true,
        writeDescription: 'Those listed here are moved into it; those left out become roots.',
      },
    ),
    childrenTotal: readOnly(
      z.int().min(0),
      'The number of its children, if they are too many for `children`, which is then absent.',
      { visibleWith: 'categories:read', dependsOnOthers: true, example: 20_000 },
    ),
    childrenView: readOnly(partialView, 'A link to the list of its children, if `children` is absent.', {
      visibleWith: 'categories:read',
      dependsOnOthers: true,
    }),
    position: writable(position, 'Order among the categories of the same parent, from 0.', {
      writeDescription: endPosition,
      stored: false,
      example: -1,
    }),
    ancestors: readOnly(z.array(iriText), 'The categories above it, root first.', {
      isLink: true,
      targetType: 'Category',
    }),
    breadcrumbs: readOnly(
      breadcrumbList,
      'The categories above it and itself with their titles, root first. Absent without `breadcrumbs=true`.',
      { visibleWith: 'categories:read' },
    ),
    level: readOnly(z.int(), 'How many categories are above it; 0 for a root.', { example: 1 }),
    ...stamps(),
  },
} satisfies Shape

export type Body = BodyOf<typeof category>

export const categoryIri = irisUnder('/api/categories')

const levels = ['children', 'children.children', 'children.children.children'] as const

const expandDescription = 'Embeds the children of categories instead of their IRIs, one to three levels deep.'

/** The query parameter `expand` of operations that show categories. */
export const expandParameter = expandable(levels, expandDescription)

/** Adds `breadcrumbs` to one product or category. */
export const breadcrumbsParameter = z.enum(['true', 'false']).optional().meta({
  addedIn: 'unstable',
  description:
    'With `true`, the document has `breadcrumbs`: categories and those above them, with their titles.',
})

/** The query parameters of reads of one category. */
export const readParameters = { expand: expandParameter, breadcrumbs: breadcrumbsParameter }

/** The same parameter for operations that can also expand another property. */
export function expandParameterWith(more: string, description: string) {
  return expandable([...levels, more], `${expandDescription} ${description}`)
}
