import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { sameJson } from '../../../core/patch.ts'
import type { Violation } from '../../../core/problem.ts'
import { formats, validationProblems } from '../../../core/problems/validation.ts'
import { columnsOf } from '../../../db/query.ts'
import { textArray } from '../../../db/sql.ts'
import { type FieldType, isRule, knownType, type Rule, typeIri } from '../../fields/types.ts'
import { metaobjectDefinitionProblems } from '../problems.ts'

/** Rules for a definition, and for changes that would invalidate its metaobjects. */

/** One field of a definition, with its resolved type. */
export type FieldDefinition = {
  readonly key: string
  readonly type: FieldType
  readonly required: boolean
  readonly translatable: boolean
  readonly validations: readonly Rule[]
}

/** The property `fieldDefinitions` as bodies send it and rows store it. */
export type StoredFields = z.infer<typeof storedFields>
export const storedFields = z
  .array(
    z.object({
      ...columnsOf(z.string(), 'key', 'type'),
      ...columnsOf(z.boolean(), 'required', 'translatable'),
      validations: z.array(z.object(columnsOf(z.string(), 'name', 'value'))).readonly(),
    }),
  )
  .readonly()

type Values = {
  readonly fieldDefinitions?: StoredFields | null
  readonly displayNameField?: string | null
}

const nameTypes = ['single_line_text_field', 'multi_line_text_field']

/** Violations for duplicate keys, rules that a type does not support, and a display name that is not a text field. */
export function definitionViolations({ fieldDefinitions, displayNameField }: Values): Violation[] {
  // Without valid fields in the body, the write checks the stored fields instead.
  if (fieldDefinitions === undefined) return []
  const fields = fieldsOf(fieldDefinitions)
  const violations = fields.flatMap((field, index) => {
    const path = `fieldDefinitions[${index}]`
    const isDuplicate = fields.findIndex(({ key }) => key === field.key) < index
    return [
      ...(isDuplicate
        ? [metaobjectDefinitionProblems.field_key_taken.at(`${path}.key`, { key: field.key })]
        : []),
      ...ruleViolations(field, path),
    ]
  })
  const names = fields.filter(({ type }) => nameTypes.includes(type.slug)).map(({ key }) => key)
  if (typeof displayNameField === 'string' && !names.includes(displayNameField)) {
    violations.push(
      metaobjectDefinitionProblems.display_name_field.at(
        'displayNameField',
        {},
        `Fields that can serve as a name: ${names.join(', ') || 'none'}. Send the key of one of them, or null.`,
      ),
    )
  }
  return violations
}

/** Resolves the type of each field. */
export function fieldsOf(fieldDefinitions: StoredFields | null | undefined): FieldDefinition[] {
  return (fieldDefinitions ?? []).map((field) => ({ ...field, type: knownType(field.type) }))
}

function ruleViolations({ type, validations }: FieldDefinition, path: string): Violation[] {
  return validations.flatMap((rule, index) => {
    const at = `${path}.validations[${index}]`
    if (!type.rules.includes(rule.name)) {
      return [validationProblems.choice.at(`${at}.name`, { choices: type.rules.join(', ') || '–' })]
    }
    if (validations.findIndex(({ name }) => name === rule.name) < index) {
      return [validationProblems.duplicate_item.at(`${at}.name`)]
    }
    return isRule(type, rule)
      ? []
      : [
          validationProblems.pattern.at(
            `${at}.value`,
            { format: formats.rule },
            `${typeIri(type.slug)} describes the rule ${rule.name}.`,
          ),
        ]
  })
}

/**
 * A condition on the table `metaobjects` that selects rows whose values a change would invalidate.
 * Null if the change affects none. A new or changed rule counts as broken by every value, because values are not read
 * one by one.
 */
export function incompatibleMetaobjects(before: Values, after: Values): SQL | null {
  const fieldsAfter = new Map(fieldsOf(after.fieldDefinitions).map((field) => [field.key, field]))
  const fieldsBefore = new Map(fieldsOf(before.fieldDefinitions).map((field) => [field.key, field]))
  const narrowedKeys = [...fieldsBefore.values()]
    .filter((field) => isNarrowed(field, fieldsAfter.get(field.key)))
    .map(({ key }) => key)
  const newlyRequired = [...fieldsAfter.values()].filter(
    ({ key, required }) => required && !fieldsBefore.get(key)?.required,
  )
  const has = (keys: readonly string[]) =>
    sql`(fields ?| ${textArray(keys)} or exists (select from jsonb_each(translations) t where t.value ?| ${textArray(keys)}))`
  const conditions = [
    ...(narrowedKeys.length > 0 ? [has(narrowedKeys)] : []),
    ...newlyRequired.map(({ key }) => sql`(status = 'ACTIVE' and not ${has([key])})`),
  ]
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` or `)})` : null
}

function isNarrowed(before: FieldDefinition, after: FieldDefinition | undefined): boolean {
  if (!after || after.type !== before.type || after.translatable !== before.translatable) return true
  return after.validations.some((rule) => !before.validations.some((old) => sameJson(old, rule)))
}
