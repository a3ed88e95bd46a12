import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { idIn, relativeIri } from '../../core/iri.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { violation, violationsOf } from '../../core/violations.ts'
import { categoryIri } from '../categories/schema.ts'
import { identifier, instantInput, invalidIri, shortText } from '../shared/properties.ts'
import { collectionProblems } from './problems.ts'

/** Rules of collections: conditions on products, which a pure function and a SQL condition compare in the same way. */

const equality = ['EQUALS', 'NOT_EQUALS'] as const
const textual = [...equality, 'CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'ENDS_WITH'] as const
const temporal = ['BEFORE', 'AFTER'] as const

export type Operator = (typeof textual)[number] | (typeof temporal)[number]

const categoryValue = z
  .string()
  .refine((text) => idIn(text, '/api/categories') !== null, violation(invalidIri('/api/categories')))
  .transform(relativeIri)

/**
 * Operators and value schema of each field.
 * No condition selects archived products, because rule-based collections never contain them.
 */
export const conditionFields = {
  title: { operators: textual, value: shortText },
  tag: { operators: equality, value: shortText },
  vendor: { operators: textual, value: shortText },
  productType: { operators: textual, value: shortText },
  category: { operators: equality, value: categoryValue },
  status: { operators: equality, value: z.enum(['DRAFT', 'ACTIVE']) },
  channel: { operators: equality, value: identifier },
  createdAt: { operators: temporal, value: instantInput },
} as const satisfies Record<string, { operators: readonly Operator[]; value: z.ZodType<string> }>

export type ConditionField = keyof typeof conditionFields

export type Condition = {
  readonly field: ConditionField
  readonly operator: Operator
  /** A text. For `category` an IRI, for `createdAt` a canonical instant. */
  readonly value: string
}

/** The conditions that a product must meet to be in a collection. */
export type Rules = { readonly match: 'ALL' | 'ANY'; readonly conditions: readonly Condition[] }

const isField = (name: string): name is ConditionField => Object.hasOwn(conditionFields, name)
const fieldNames = Object.keys(conditionFields).filter(isField)
const operatorNames = [...textual, ...temporal] as const

const condition = z
  .object({ field: z.enum(fieldNames), operator: z.enum(operatorNames), value: z.string() })
  .transform(({ field, operator, value }, check): Condition => {
    const { value: schema } = conditionFields[field]
    const operators: readonly Operator[] = conditionFields[field].operators
    const add = (problem: Violation, path: readonly (string | number)[]) =>
      check.addIssue({ code: 'custom', path: [...path], ...violation(problem) })
    if (!operators.includes(operator)) {
      add(collectionProblems.rule.at('', { allowed: operators.join(', ') }), ['operator'])
    }
    const parsed = schema.safeParse(value)
    if (!parsed.success) for (const problem of violationsOf(parsed.error)) add(problem, ['value'])
    return { field, operator, value: parsed.data ?? value }
  })

/** Maximum number of conditions per collection. */
export const maxConditions = 60

export const rulesSchema = z.object({
  match: z.enum(['ALL', 'ANY']).default('ALL'),
  conditions: z.array(condition).min(1).max(maxConditions),
})

/** The categories that rules name, each with the index of its condition. */
function namedCategories(rules: Rules | null): { readonly id: string; readonly index: number }[] {
  return (rules?.conditions ?? []).flatMap(({ field, value }, index) => {
    const id = field === 'category' ? idIn(value, '/api/categories') : null
    return id === null ? [] : [{ id, index }]
  })
}

/** Violations for conditions that name unknown categories. */
export function unknownCategories(rules: Rules | null, existingIds: ReadonlySet<string>): Violation[] {
  return namedCategories(rules).flatMap(({ id, index }) =>
    existingIds.has(id)
      ? []
      : [
          validationProblems.unknown_reference.at(`rules.conditions[${index}].value`, {
            iri: categoryIri(id),
          }),
        ],
  )
}

/** The properties of a product that rules compare. */
export type Subject = {
  readonly status: string
  /** In the tenant's default locale. */
  readonly title: string
  readonly vendor: string | null
  readonly productType: string | null
  readonly tags: readonly string[]
  readonly channels: readonly string[]
  readonly categoryIds: readonly string[]
  /** A canonical instant. */
  readonly createdAt: string
}

/** True if a product meets the rules. An archived product never does. */
export function matches(rules: Rules, subject: Subject): boolean {
  return matcherOf(subject)(rules)
}

/** Matches one product against any number of rules. Normalizes its values once instead of once per condition. */
export function matcherOf(subject: Subject): (rules: Rules) => boolean {
  const values = new Map<TextField, ReadonlySet<string>>()
  const valuesIn = (field: TextField) => {
    const fieldValues = values.get(field) ?? normalizedValues(field, subject)
    values.set(field, fieldValues)
    return fieldValues
  }
  const isHeld = ({ field, operator, value }: Condition) =>
    field === 'createdAt'
      ? operator === 'BEFORE'
        ? subject.createdAt < value
        : subject.createdAt > value
      : isConditionMet(operator, normalized(field, value), valuesIn(field))
  return ({ match, conditions }) => {
    if (subject.status === 'ARCHIVED') return false
    return match === 'ALL' ? conditions.every(isHeld) : conditions.some(isHeld)
  }
}

type TextField = Exclude<Condition['field'], 'createdAt'>

function isConditionMet(
  operator: Condition['operator'],
  expected: string,
  values: ReadonlySet<string>,
): boolean {
  const isAny = (isHeld: (value: string) => boolean) => [...values].some(isHeld)
  switch (operator) {
    case 'EQUALS':
      return values.has(expected)
    case 'NOT_EQUALS':
      return !values.has(expected)
    case 'CONTAINS':
      return isAny((value) => value.includes(expected))
    case 'NOT_CONTAINS':
      return !isAny((value) => value.includes(expected))
    case 'STARTS_WITH':
      return isAny((value) => value.startsWith(expected))
    case 'ENDS_WITH':
      return isAny((value) => value.endsWith(expected))
    default:
      return false
  }
}

function normalizedValues(field: TextField, subject: Subject): ReadonlySet<string> {
  return new Set(valuesOf(field, subject).map((value) => normalized(field, value)))
}

function valuesOf(field: TextField, subject: Subject): readonly string[] {
  switch (field) {
    case 'tag':
      return subject.tags
    case 'channel':
      return subject.channels
    case 'category':
      return subject.categoryIds.map(categoryIri)
    default:
      return subject[field] === null ? [] : [subject[field]]
  }
}

const exactFields: ReadonlySet<TextField> = new Set(['category', 'status', 'channel'])

/** Normalizes a text for comparison: ignores case and the composition of accents. */
function normalized(field: TextField, text: string): string {
  return exactFields.has(field) ? text : text.normalize('NFC').toLowerCase()
}

/** The condition on the table `products` that selects what `matches()` accepts. The caller excludes archived products. */
export function matching({ match, conditions }: Rules): SQL {
  return sql`(${sql.join(conditions.map(conditionClause), match === 'ALL' ? sql` and ` : sql` or `)})`
}

function conditionClause({ field, operator, value }: Condition): SQL {
  switch (field) {
    case 'title':
      return conditionSql(operator, normalizedSql(sql`products.title`), normalized(field, value))
    case 'vendor':
      return conditionSql(operator, normalizedSql(sql`products.vendor`), normalized(field, value))
    case 'productType':
      return conditionSql(operator, normalizedSql(sql`products.product_type`), normalized(field, value))
    case 'status':
      return conditionSql(operator, sql`products.status`, value)
    case 'createdAt':
      return operator === 'BEFORE'
        ? sql`products.created_at < ${value}::timestamptz`
        : sql`products.created_at > ${value}::timestamptz`
    case 'tag':
      return isAmong(
        operator,
        sql`product_tags`,
        sql`${normalizedSql(sql`t.tag`)} = ${normalized(field, value)}`,
      )
    case 'channel':
      return isAmong(operator, sql`product_channels`, sql`t.channel = ${value}`)
    case 'category':
      return isAmong(
        operator,
        sql`product_categories`,
        sql`t.category_id = ${idIn(value, '/api/categories')}::uuid`,
      )
  }
}

/** A null column equals and contains nothing, so only negated operators match it. */
function conditionSql(operator: Condition['operator'], column: SQL, expected: string): SQL {
  switch (operator) {
    case 'EQUALS':
      return sql`coalesce(${column} = ${expected}, false)`
    case 'NOT_EQUALS':
      return sql`coalesce(${column} <> ${expected}, true)`
    case 'CONTAINS':
      return sql`coalesce(strpos(${column}, ${expected}) > 0, false)`
    case 'NOT_CONTAINS':
      return sql`coalesce(strpos(${column}, ${expected}) = 0, true)`
    case 'STARTS_WITH':
      return sql`coalesce(starts_with(${column}, ${expected}), false)`
    case 'ENDS_WITH':
      return sql`coalesce(right(${column}, length(${expected})) = ${expected}, false)`
    default:
      return sql`false`
  }
}

/** Looks up each product by an index. A join might read all tags of a tenant. */
function isAmong(operator: Condition['operator'], table: SQL, condition: SQL): SQL {
  const match = sql`(select true from ${table} t
    where t.tenant_id = current_tenant() and t.product_id = products.id and ${condition} limit 1)`
  return operator === 'EQUALS' ? sql`${match} is not null` : sql`${match} is null`
}

/** Normalizes a text like `normalized()`. The ICU rules match JavaScript; the database's default collation may not. */
function normalizedSql(text: SQL): SQL {
  return sql`(lower(normalize(${text}, NFC) collate "und-x-icu") collate "C")`
}
