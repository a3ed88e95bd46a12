import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Condition, conditionFields, matches, type Subject } from './rules.ts'

const shirt: Subject = {
  status: 'ACTIVE',
  title: 'Crème Shirt',
  vendor: 'Acme',
  productType: null,
  tags: ['Summer', 'sale'],
  channels: ['web'],
  categoryIds: ['01900000-0000-7000-8000-000000000001'],
  createdAt: '2026-01-02T00:00:00.000000Z',
}
const holds = (field: Condition['field'], operator: Condition['operator'], value: string, subject = shirt) =>
  matches({ match: 'ALL', conditions: [{ field, operator, value }] }, subject)

describe('a condition', () => {
  test.each<[Condition['field'], Condition['operator'], string, boolean]>([
    ['title', 'EQUALS', 'crème shirt', true],
    ['title', 'EQUALS', 'shirt', false],
    ['title', 'EQUALS', 'Cre\u0300me Shirt', true],
    ['title', 'NOT_EQUALS', 'CRÈME SHIRT', false],
    ['title', 'CONTAINS', 'ME SH', true],
    ['title', 'NOT_CONTAINS', 'hat', true],
    ['title', 'STARTS_WITH', 'crème', true],
    ['title', 'STARTS_WITH', 'shirt', false],
    ['title', 'ENDS_WITH', 'SHIRT', true],
    ['vendor', 'EQUALS', 'acme', true],
    ['productType', 'EQUALS', 'x', false],
    ['productType', 'CONTAINS', 'x', false],
    ['productType', 'NOT_EQUALS', 'x', true],
    ['productType', 'NOT_CONTAINS', 'x', true],
    ['tag', 'EQUALS', 'SALE', true],
    ['tag', 'NOT_EQUALS', 'summer', false],
    ['tag', 'NOT_EQUALS', 'winter', true],
    ['channel', 'EQUALS', 'web', true],
    ['channel', 'EQUALS', 'WEB', false],
    ['channel', 'NOT_EQUALS', 'WEB', true],
    ['status', 'EQUALS', 'ACTIVE', true],
    ['status', 'NOT_EQUALS', 'DRAFT', true],
    ['category', 'EQUALS', '/api/categories/01900000-0000-7000-8000-000000000001', true],
    ['category', 'NOT_EQUALS', '/api/categories/01900000-0000-7000-8000-000000000002', true],
    ['createdAt', 'BEFORE', '2026-01-02T00:00:00.000001Z', true],
    ['createdAt', 'BEFORE', '2026-01-02T00:00:00.000000Z', false],
    ['createdAt', 'AFTER', '2026-01-02T00:00:00.000000Z', false],
    ['createdAt', 'AFTER', '2026-01-01T23:59:59.999999Z', true],
  ])('%s %s %s is %s', (field, operator, value, expected) => {
    expect(holds(field, operator, value)).toBe(expected)
  })
})

const text = fc.stringMatching(/^[abAB é-]{1,4}$/)
const subjects: fc.Arbitrary<Subject> = fc.record({
  status: fc.constantFrom('DRAFT', 'ACTIVE'),
  title: text,
  vendor: fc.option(text),
  productType: fc.option(text),
  tags: fc.array(text, { maxLength: 3 }),
  channels: fc.array(text, { maxLength: 3 }),
  categoryIds: fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 2 }),
  createdAt: fc.constantFrom('2026-01-01T00:00:00.000000Z', '2026-01-02T00:00:00.000000Z'),
})
const condition: fc.Arbitrary<Condition> = fc
  .constantFrom(...(Object.keys(conditionFields) as Condition['field'][]))
  .chain((field) =>
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom(...conditionFields[field].operators),
      value: field === 'createdAt' ? fc.constant('2026-01-01T12:00:00.000000Z') : text,
    }),
  )
const conditions = fc.array(condition, { minLength: 1, maxLength: 5 })

describe('rules', () => {
  const one = (single: Condition, subject: Subject) =>
    matches({ match: 'ALL', conditions: [single] }, subject)

  test('ALL is every one of its conditions, ANY is some, in any order', () => {
    fc.assert(
      fc.property(conditions, subjects, (list, subject) => {
        const results = list.map((condition) => one(condition, subject))
        for (const order of [list, list.toReversed()]) {
          expect(matches({ match: 'ALL', conditions: order }, subject)).toBe(!results.includes(false))
          expect(matches({ match: 'ANY', conditions: order }, subject)).toBe(results.includes(true))
        }
      }),
    )
  })

  test('what is not asked for is what the opposite finds', () => {
    const opposite = { NOT_EQUALS: 'EQUALS', NOT_CONTAINS: 'CONTAINS' } as const
    fc.assert(
      fc.property(condition, subjects, (generated, subject) => {
        const { operator } = generated
        if (operator === 'NOT_EQUALS' || operator === 'NOT_CONTAINS') {
          expect(one(generated, subject)).toBe(!one({ ...generated, operator: opposite[operator] }, subject))
        }
      }),
    )
  })

  test('of a text that equals, the same text begins it, ends it and is in it', () => {
    fc.assert(
      fc.property(condition, subjects, (generated, subject) => {
        if (!['title', 'vendor', 'productType'].includes(generated.field)) return
        if (!one({ ...generated, operator: 'EQUALS' }, subject)) return
        for (const operator of ['STARTS_WITH', 'ENDS_WITH', 'CONTAINS'] as const) {
          expect(one({ ...generated, operator }, subject)).toBe(true)
        }
      }),
    )
  })

  test('never mean an archived product', () => {
    fc.assert(
      fc.property(
        conditions,
        subjects,
        fc.constantFrom('ALL' as const, 'ANY' as const),
        (list, subject, match) => {
          expect(matches({ match, conditions: list }, { ...subject, status: 'ARCHIVED' })).toBe(false)
        },
      ),
    )
  })
})
