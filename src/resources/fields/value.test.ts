import { describe, expect, test } from 'vitest'
import { fieldTypes, isRule, possibleReferences, type Rule, readValue, typeIn, typeIri } from './types.ts'

const id = '01900000-0000-7000-8000-000000000001'
const otherId = '01900000-0000-7000-8000-000000000002'
const product = `/api/products/${id}`
const variant = `${product}/variants/${otherId}`

const good: Record<string, string[]> = {
  single_line_text_field: ['a', ' ', 'Œuf 😀', 'x'.repeat(65_535)],
  multi_line_text_field: ['a\nb', 'x'],
  number_integer: ['0', '-7', '9007199254740991', '-9007199254740991'],
  number_decimal: ['0', '-0.5', '19.90', '999999999999999.999999999'],
  boolean: ['true', 'false'],
  date: ['2026-02-28', '2024-02-29', '0001-01-01'],
  date_time: ['2026-10-01T12:00:00Z', '2026-10-01T12:00:00.123456789+02:00', '2026-10-01T12:00'],
  url: ['https://example.com', 'HTTP://example.com/a?b#c'],
  color: ['#33cc99', '#FFFFFF'],
  money: ['{"amount":"19.90","currency":"EUR"}', '{"currency":"JPY","amount":1990}'],
  json: ['null', '{"a":[1,{"b":"c"}]}', '"text"', ' [ ] '],
  product_reference: [product],
  variant_reference: [variant],
  category_reference: [`/api/categories/${id}`],
  collection_reference: [`/api/collections/${id}`],
  metaobject_reference: [`/api/metaobjects/${id}`],
  'list.single_line_text_field': ['[]', '["a","b"]'],
  'list.multi_line_text_field': ['["a\\nb"]'],
  'list.number_integer': ['[1,"2",-3]'],
  'list.number_decimal': ['[1.5,"2.50"]'],
  'list.boolean': ['[true,"false"]'],
  'list.date': ['["2026-02-28"]'],
  'list.date_time': ['["2026-10-01T12:00:00Z"]'],
  'list.url': ['["https://example.com"]'],
  'list.color': ['["#000000","#ffffff"]'],
  'list.money': ['[{"amount":"1.00","currency":"EUR"}]'],
  'list.json': ['[1,null,{"a":"b"}]'],
  'list.product_reference': [`["${product}"]`],
  'list.variant_reference': [`["${variant}"]`],
  'list.category_reference': [`["/api/categories/${id}"]`],
  'list.collection_reference': [`["/api/collections/${id}"]`],
  'list.metaobject_reference': [`["/api/metaobjects/${id}","/api/metaobjects/${otherId}"]`],
}

const bad: Record<string, string[]> = {
  single_line_text_field: ['', 'a\nb', 'a\rb', 'a\u2028b', 'x'.repeat(65_536), 'a\0', '\ud800'],
  multi_line_text_field: ['', '\0'],
  number_integer: ['', '1.0', '01', '+1', '1e3', ' 1', '9007199254740992', '0x1', 'NaN', '1\n'],
  number_decimal: ['', '.5', '1.', '1e3', '00.1', '1,5', '1000000000000000', '0.0000000001', 'Infinity'],
  boolean: ['', 'True', '1', 'yes'],
  date: ['', '2026-02-29', '2026-2-1', '2026-10-01T12:00:00Z', '0000-01-01', 'today'],
  date_time: ['', '2026-10-01', '2026-10-01T12', '2026-10-01T24:00:00Z', 'now'],
  url: [
    '',
    'example.com',
    'javascript:alert(1)',
    'ftp://example.com',
    '//example.com',
    'https://',
    `https://e.com/${'x'.repeat(2048)}`,
  ],
  color: ['', '#fff', '33cc99', '#33cc9g', '#33cc9900', 'red'],
  money: [
    '',
    '19.90 EUR',
    '{"amount":"19.901","currency":"EUR"}',
    '{"amount":"-1","currency":"EUR"}',
    '{"amount":"1","currency":"XXQ"}',
    '{"amount":"1"}',
    '{"amount":"1","currency":"EUR","more":1}',
    '{"amount":null,"currency":"EUR"}',
    '["1","EUR"]',
    'null',
  ],
  json: ['', '{', 'undefined', "{'a':1}", `${'['.repeat(40)}${']'.repeat(40)}`, '"\\u0000"'],
  product_reference: [
    '',
    id,
    variant,
    `${product}/`,
    `https://example.com${product}`,
    product.toUpperCase(),
    ` ${product}`,
  ],
  variant_reference: ['', product, `/api/variants/${id}`],
  category_reference: ['', product, `/api/categories/${id}?a`],
  collection_reference: ['', product],
  metaobject_reference: ['', product, '/api/metaobjects/type/handle'],
  'list.single_line_text_field': [
    '',
    'a',
    '"a"',
    '{}',
    '[1]',
    '[null]',
    '["a\\nb"]',
    '["\\u0000"]',
    '[""]',
    '[["a"]]',
    JSON.stringify(Array(129).fill('a')),
  ],
  'list.number_integer': ['[1.5]', '[true]', '["a"]', '[1e300]'],
  'list.boolean': ['[0]', '["no"]'],
  'list.money': ['["1"]', '["{\\"amount\\":\\"1\\",\\"currency\\":\\"EUR\\"}"]', '[{"amount":"1"}]'],
  'list.product_reference': [product, `["${variant}"]`, `[{"@id":"${product}"}]`],
}

const rows = (table: Record<string, string[]>) =>
  Object.entries(table).flatMap(([slug, values]) => values.map((value) => [slug, value] as const))

test('the table names every type', () => {
  expect(Object.keys(good).sort()).toEqual(fieldTypes.map((type) => type.slug).sort())
  expect(fieldTypes).toHaveLength(32)
})

test.each(rows(good))('%s takes %j', (slug, value) => {
  expect(readValue(typeIn(typeIri(slug))!, value)).not.toBeNull()
})

test.each(rows(bad))('%s refuses %j', (slug, value) => {
  expect(readValue(typeIn(typeIri(slug))!, value)).toBeNull()
})

describe('rules', () => {
  test.each<[string, Rule, string[], string[]]>([
    ['single_line_text_field', { name: 'min', value: '2' }, ['ab', '😀b'], ['a', '😀']],
    ['multi_line_text_field', { name: 'max', value: '2' }, ['ab', 'a\n', '😀😀'], ['abc']],
    ['single_line_text_field', { name: 'choices', value: '["S","M"]' }, ['S', 'M'], ['s', 'L']],
    ['list.single_line_text_field', { name: 'choices', value: '["S"]' }, ['["S"]', '[]'], ['["S","L"]']],
    ['number_integer', { name: 'min', value: '-5' }, ['-5', '10'], ['-6']],
    ['number_decimal', { name: 'max', value: '10.5' }, ['10.50', '9.99'], ['10.500000001', '11']],
    ['number_decimal', { name: 'max_precision', value: '1' }, ['1', '1.5'], ['1.55']],
    ['date', { name: 'min', value: '2026-01-01' }, ['2026-01-01'], ['2025-12-31']],
    [
      'date_time',
      { name: 'max', value: '2026-01-01T00:00:00Z' },
      ['2026-01-01T01:00:00+01:00'],
      ['2026-01-01T00:00:00.000001Z'],
    ],
    [
      'url',
      { name: 'allowed_domains', value: '["Example.com"]' },
      ['https://EXAMPLE.com/a'],
      ['https://a.example.com', 'https://example.com.evil.test'],
    ],
    ['list.date', { name: 'list.min', value: '1' }, ['["2026-01-01"]'], ['[]']],
    ['list.boolean', { name: 'list.max', value: '1' }, ['[]', '[true]'], ['[true,true]']],
  ])('%s with %o', (slug, rule, fitting, rejected) => {
    const type = typeIn(typeIri(slug))!
    expect(isRule(type, rule)).toBe(true)
    expect(fitting.filter((value) => !readValue(type, value, [rule]))).toEqual([])
    expect(rejected.filter((value) => readValue(type, value, [rule]))).toEqual([])
  })

  test.each<[string, string, string]>([
    ['boolean', 'min', '1'],
    ['date', 'list.min', '1'],
    ['list.date', 'list.min', '-1'],
    ['number_integer', 'min', '1.5'],
    ['date', 'max', 'tomorrow'],
    ['single_line_text_field', 'choices', '[]'],
    ['single_line_text_field', 'choices', '[1]'],
    ['single_line_text_field', 'regex', '.*'],
    ['single_line_text_field', 'constructor', '1'],
    ['metaobject_reference', 'metaobject_definition', id],
    ['number_decimal', 'max_precision', 'x'],
  ])('%s has no rule %s of %s', (slug, name, value) => {
    expect(isRule(typeIn(typeIri(slug))!, { name, value })).toBe(false)
  })
})

describe('references', () => {
  test('are reported in their order, with the definition of the rules', () => {
    const rule = { name: 'metaobject_definition', value: `/api/metaobject_definitions/${otherId}` }
    expect(isRule(typeIn(typeIri('list.metaobject_reference'))!, rule)).toBe(true)
    const iris = [`/api/metaobjects/${otherId}`, `/api/metaobjects/${id}`]
    const result = readValue(typeIn(typeIri('list.metaobject_reference'))!, JSON.stringify(iris), [rule])
    expect(result?.references).toEqual([
      { kind: 'metaobjects', id: otherId, iri: iris[0], definitionId: otherId },
      { kind: 'metaobjects', id, iri: iris[1], definitionId: otherId },
    ])
    expect(readValue(typeIn(typeIri('variant_reference'))!, variant)?.references).toEqual([
      { kind: 'variants', id: otherId, iri: variant, definitionId: null },
    ])
  })

  test('text that only looks like one is none', () => {
    expect(readValue(typeIn(typeIri('single_line_text_field'))!, product)?.references).toEqual([])
  })

  test('all that values could refer to is found whatever their types', () => {
    const ids = possibleReferences([variant, `["${product}","/api/metaobjects/${id}"]`, product, 'text'])
    expect(ids).toEqual([id, otherId])
  })
})
