/** The two types of children of a product: options and option values. */

import type { AnyPgTable } from 'drizzle-orm/pg-core'
import type { Value } from '../../core/document.ts'
import type { JsonObject } from '../../core/json.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import type { BodyOf, Context } from '../../core/operation.ts'
import { differencesBetween } from '../../core/patch.ts'
import { type Change, creationOf, deletionOf, type Stamps, updateOf, withStamps } from '../../core/plan.ts'
import type { CataloguedProblem, Violation } from '../../core/problem.ts'
import type { Shape } from '../../core/schema.ts'
import { patchTexts, type State, type TextUpdate } from '../../core/state.ts'
import type { Translations } from '../../db/columns.ts'
import { type ClockStep, save } from '../../db/write-steps.ts'
import type { ProductEventContext, ProductParts } from '../products/document.ts'
import { optionValueProblems, productOptionProblems } from '../products/problems.ts'
import { optionValues, productOptions } from '../products/table.ts'
import {
  eventOption,
  eventValue,
  type OptionParts,
  optionDocument,
  optionDocumentWithin,
  type ValueParts,
  valueDocument,
} from './document.ts'
import { type LocaleContext, optionParts, optionRow, valueParts, valueRow } from './read.ts'
import { maximumOptions, maximumValues, optionValue, productOption, productOptionIri } from './schema.ts'

export const optionValueKind: Kind = {
  name: 'option_values',
  subject: 'option_value',
  noun: 'A value of an option',
  shape: optionValue,
  document: (eventDocument, context, locale) =>
    valueDocument(parseEventDocument(eventValue, eventDocument, context), locale),
}

const productOptionKind: Kind<ProductEventContext> = {
  name: 'product_options',
  subject: 'product_option',
  noun: 'An option of a product',
  shape: productOption,
  document(eventDocument, context, locale) {
    const { embedding, maxBytes } = context
    const parts = parseEventDocument(eventOption, eventDocument, context)
    return optionDocumentWithin({ ...parts, ...embedding.valuesOf(parts.id) }, locale, maxBytes)
  },
}

/** The row of an option or value. Plain JSON. */
export type ChildParts = {
  readonly id: string
  readonly document: string
  readonly translations: Translations | null
  /** In the tenant's default locale. */
  readonly title: string | null
  readonly position: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** A body of an option or value. */
export type ChildBody = BodyOf<Shape>

type NameProblem<Name extends string> = {
  at(path: string, values: Readonly<Record<Name, string>>): Violation
}

type ProblemName = 'not_found' | 'limit' | 'in_use' | 'title_taken' | 'external_id_taken'

/**
 * A type of children of a product: options or option values.
 * A child has a title that no sibling has, and a position among its siblings.
 */
export type ChildType<Parts extends ChildParts> = {
  readonly kind: Kind<ProductEventContext>
  readonly table: AnyPgTable
  readonly problems: Record<ProblemName, CataloguedProblem> & {
    readonly not_found: (values: { id: string }) => Error
    readonly limit: { at(path: string, values: { maximum: number }): Violation }
    readonly in_use: () => Error
    readonly title_taken: NameProblem<'title'>
    readonly external_id_taken: NameProblem<'externalId'>
  }
  /** The maximum number of siblings. */
  readonly maximum: number
  /** Finds a child in its product, with its siblings including itself. */
  readonly find: (product: ProductParts, id: string) => ChildWithSiblings<Parts> | null
  /** All children of this type in a product. */
  readonly all: (product: ProductParts) => readonly Parts[]
  /** The option values that are deleted with a child. */
  readonly valuesOf: (parts: Parts) => readonly ValueParts[]
  /** The id of the row within which it has its position. */
  readonly parentId: (parts: Parts) => string
  /** Builds the parts with another state, and possibly another position. */
  readonly parts: (context: LocaleContext, identity: Parts, state: State) => Parts
  readonly save: (productId: string, parts: Parts, externalId: string | null) => ClockStep[]
  /** Properties that the audit trail compares, in addition to the state and the position. */
  readonly comparedProperties: (parts: Parts) => JsonObject
  /** The parts that an event stores. */
  readonly eventParts: (parts: Parts) => Parts
  readonly addStamps: (parts: Parts, stamps: Stamps) => Parts
  readonly document: (parts: Parts, locale: Locale) => Value
}

/** A child and its siblings, which include the child. */
type ChildWithSiblings<Parts> = { readonly child: Parts; readonly siblings: readonly Parts[] }

export const optionChildType: ChildType<OptionParts> = {
  kind: productOptionKind,
  table: productOptions,
  problems: productOptionProblems,
  maximum: maximumOptions,
  find({ options }, id) {
    const child = options.find((option) => option.id === id)
    return child ? { child, siblings: options } : null
  },
  all: ({ options }) => options,
  valuesOf: ({ values }) => values,
  parentId: ({ productId }) => productId,
  parts: optionParts,
  save: (_, parts, externalId) => save(productOptions, [optionRow(parts, externalId)]),
  comparedProperties: () => ({}),
  eventParts: (parts) => ({ ...parts, values: [] }),
  addStamps(parts, stamps) {
    return withStamps({ ...parts, values: parts.values.map((value) => withStamps(value, stamps)) }, stamps)
  },
  document: optionDocument,
}

export const valueChildType: ChildType<ValueParts> = {
  kind: optionValueKind,
  table: optionValues,
  problems: optionValueProblems,
  maximum: maximumValues,
  find({ options }, id) {
    for (const { values } of options) {
      const child = values.find((value) => value.id === id)
      if (child) return { child, siblings: values }
    }
    return null
  },
  all: ({ options }) => options.flatMap(({ values }) => values),
  valuesOf: (value) => [value],
  parentId: ({ optionId }) => optionId,
  parts: valueParts,
  save: (productId, parts, externalId) => save(optionValues, [valueRow(productId, parts, externalId)]),
  comparedProperties: ({ optionId }) => ({ option: productOptionIri(optionId) }),
  eventParts: (parts) => parts,
  addStamps: withStamps,
  document: valueDocument,
}

type Side<Parts> = { readonly parts: Parts; readonly state: State }

/** The change of an option or value, as the write records it. */
export function childChange<Parts extends ChildParts>(
  childType: ChildType<Parts>,
  context: Pick<Context, 'locale'>,
  ownerId: string,
  [before, after]: readonly [Side<Parts> | null, Side<Parts>] | readonly [Side<Parts>, null],
  textUpdate: Pick<TextUpdate, 'shown'> = patchTexts(childType.kind.shape, {}, context.locale),
): Change {
  const { kind, comparedProperties, eventParts } = childType
  const { parts } = after ?? before
  const comparedValues = (side: Side<Parts> | null) =>
    side
      ? { ...textUpdate.shown(side.state), ...comparedProperties(parts), position: side.parts.position }
      : {}
  const document = JSON.stringify(eventParts(parts))
  const changes = differencesBetween(comparedValues(before), comparedValues(after))
  const content = { ownerId, document, changes }
  if (!before) return creationOf(kind, parts.id, content)
  if (!after) return { ...deletionOf(kind, parts, document, ownerId), changes }
  return updateOf(kind, parts, content)
}
