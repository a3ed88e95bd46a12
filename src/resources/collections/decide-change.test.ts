import { describe, expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import type { BodyOf } from '../../core/operation.ts'
import { created, patchTexts } from '../../core/state.ts'
import { categoryIri } from '../categories/schema.ts'
import { rulesSchema } from './rules.ts'
import { collection as shape } from './schema.ts'
import { decideChange } from './write.ts'

const locale = localeOf(['en-US'], null)
const id = '01900000-0000-7000-8000-000000000001'
const inCategory = rulesSchema.parse({
  conditions: [{ field: 'category', operator: 'EQUALS', value: categoryIri(id) }],
})

type Body = BodyOf<typeof shape>

function decided(stored: Body, body: Body, existingIds: readonly string[] = []) {
  const before = created(shape, { title: 'Summer', handle: 'summer', ...stored }, locale)
  return decideChange(
    { before, taken: [], existingCategories: new Set(existingIds) },
    body,
    patchTexts(shape, body, locale),
  )
}

describe('a change of a collection', () => {
  test('sorts products again if its rules change, and only then', () => {
    const byRules = { type: 'RULE_BASED', rules: { ...inCategory, match: 'ANY' } } as const
    expect(decided(byRules, { rules: inCategory }, [id])?.isRecheckNeeded).toBe(true)
    expect(decided(byRules, { title: 'Winter' })?.isRecheckNeeded).toBe(false)
    expect(decided(byRules, { title: 'Summer' })).toBe(null)
  })

  test('refuses an unknown category in new conditions, and leaves one that was named before', () => {
    const byRules = { type: 'RULE_BASED', rules: inCategory } as const
    const other = { ...inCategory, conditions: [...inCategory.conditions, ...inCategory.conditions] }
    expect(() => decided(byRules, { rules: other })).toThrow('validation.unknown_reference')
    expect(decided(byRules, { rules: { ...inCategory, match: 'ANY' } })?.isRecheckNeeded).toBe(true)
  })

  test('gives rules to none that is MANUAL', () => {
    expect(() => decided({}, { rules: inCategory }, [id])).toThrow('collection.manual_rules')
  })
})
