/** What the rules of a collection can ask of a product: fields, the comparisons that each takes, and values. */
import * as z from 'zod'
import { idIn, relativeIri } from '../../../core/iri.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { violation, violationsOf } from '../../../core/violations.ts'
import { categoryIri } from '../../categories/iri.ts'
import { identifier, instantInput, shortText } from '../../property-schemas.ts'
import { collectionProblems } from './problems.ts'

const equality = ['EQUALS', 'NOT_EQUALS'] as const
const textual = [...equality, 'CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'ENDS_WITH'] as const
const temporal = ['BEFORE', 'AFTER'] as const

export type Operator = (typeof textual)[number] | (typeof temporal)[number]

const writtenCategory = z
  .string()
  .refine(
    (text) => idIn(text, '/api/categories') !== null,
    violation(validationProblems.invalid_iri.at('', { expected: categoryIri('{id}') })),
  )
  .transform(relativeIri)

/** By field: its comparisons, and what its values are. An archived product is in no collection by rules, so none asks for it. */
export const conditionFields = {
  title: { operators: textual, value: shortText },
  tag: { operators: equality, value: shortText },
  vendor: { operators: textual, value: shortText },
  productType: { operators: textual, value: shortText },
  category: { operators: equality, value: writtenCategory },
  status: { operators: equality, value: z.enum(['DRAFT', 'ACTIVE']) },
  channel: { operators: equality, value: identifier },
  createdAt: { operators: temporal, value: instantInput },
} as const satisfies Record<string, { operators: readonly Operator[]; value: z.ZodType<string> }>

export type ConditionField = keyof typeof conditionFields

/** One demand on a product. */
export type Condition = {
  readonly field: ConditionField
  readonly operator: Operator
  /** A text; of a category its IRI, of `createdAt` a canonical instant. */
  readonly value: string
}

/** What a product must be to be in a collection. */
export type Rules = { readonly match: 'ALL' | 'ANY'; readonly conditions: readonly Condition[] }

// Object.keys forgets which names an object has.
const fieldNames = Object.keys(conditionFields) as [ConditionField, ...ConditionField[]]
const operatorNames = [...textual, ...temporal] as const

const condition = z
  .object({ field: z.enum(fieldNames), operator: z.enum(operatorNames), value: z.string() })
  .transform(({ field, operator, value }, check): Condition => {
    const { value: schema } = conditionFields[field]
    const operators: readonly Operator[] = conditionFields[field].operators
    const add = (found: Violation, path: readonly (string | number)[]) =>
      check.addIssue({ code: 'custom', path: [...path], ...violation(found) })
    if (!operators.includes(operator)) {
      add(collectionProblems.rule.at('', { allowed: operators.join(', ') }), ['operator'])
    }
    const parsed = schema.safeParse(value)
    if (!parsed.success) for (const each of violationsOf(parsed.error)) add(each, ['value'])
    return { field, operator, value: parsed.data ?? value }
  })

/** How many conditions the rules of one collection have at most. */
export const mostConditions = 60

export const rulesSchema = z.object({
  match: z.enum(['ALL', 'ANY']).default('ALL'),
  conditions: z.array(condition).min(1).max(mostConditions),
})

/** The categories that rules name, each with the place of its condition. */
function namedCategories(rules: Rules | null): { readonly id: string; readonly index: number }[] {
  return (rules?.conditions ?? []).flatMap(({ field, value }, index) => {
    const id = field === 'category' ? idIn(value, '/api/categories') : null
    return id === null ? [] : [{ id, index }]
  })
}

/** The violations of conditions on categories that are not there. */
export function unknownCategories(rules: Rules | null, known: ReadonlySet<string>): Violation[] {
  return namedCategories(rules).flatMap(({ id, index }) =>
    known.has(id)
      ? []
      : [
          validationProblems.unknown_reference.at(`rules.conditions[${index}].value`, {
            iri: categoryIri(id),
          }),
        ],
  )
}
