/** The body that a form sends: only the changes, so that nothing else is lost. */
import { describe, expect, test } from 'vitest'
import { amountBy } from '../../src/admin/bulk/amount.ts'
import { entriesOf, listText } from '../../src/admin/content/list-text.ts'
import { changed, filledIn } from '../../src/admin/core/changed.ts'
import { chosenFor, conflicts, resolved } from '../../src/admin/core/conflict.ts'
import { decimalOf, decimalText } from '../../src/admin/core/decimal-text.ts'
import { inForm, withKeyedFields, withOwnKeys } from '../../src/admin/core/keyed-fields.ts'
import { splitTexts } from '../../src/admin/fields/split-texts.ts'
import { combinations } from '../../src/admin/products/combinations.ts'

const category = { '@id': '/api/categories/1', '@type': 'Category', title: 'Hats' }
const mug = {
  '@id': '/api/products/1',
  '@type': 'Product',
  id: '1',
  title: 'Mug',
  vendor: null,
  tags: ['a', 'b'],
  categories: [category],
  media: [{ url: 'https://a.example/1.jpg', alt: null, type: 'IMAGE' }],
  seo: { title: 'Mugs', description: 'Of stoneware' },
  weight: null,
  fields: [{ key: 'size', value: '1' }],
}

describe('a changed document', () => {
  test.each([
    ['nothing', {}, null],
    ['an identity of another form', { id: '/api/products/1', originId: '1' }, null],
    ['an empty text where nothing was', { vendor: '' }, null],
    ['members that hold nothing where nothing was', { weight: { value: null, unit: '' } }, null],
    ['a document and its link', { categories: ['/api/categories/1'] }, null],
    ['another title', { title: 'Cup' }, { title: 'Cup' }],
    ['a text that was emptied', { title: '' }, { title: null }],
    [
      'one nested member',
      { seo: { title: 'Cups', description: 'Of stoneware' } },
      { seo: { title: 'Cups' } },
    ],
    [
      'a nested member that was emptied',
      { seo: { title: 'Mugs', description: '' } },
      { seo: { description: null } },
    ],
    ['nested members that were all emptied', { seo: { title: '', description: null } }, { seo: null }],
    ['a list, whole', { tags: ['b', 'a'] }, { tags: ['b', 'a'] }],
    [
      'another link',
      { categories: [category, '/api/categories/2'] },
      { categories: ['/api/categories/1', '/api/categories/2'] },
    ],
    ['a picture more', { media: [...mug.media, { url: 'u' }] }, { media: [...mug.media, { url: 'u' }] }],
  ])('with %s', (_, change, patch) => {
    expect(changed(mug, { ...mug, ...change })).toEqual(patch)
  })

  test('of which a form knows a part is not cut to that part', () => {
    expect(changed(mug, { title: 'Cup' })).toEqual({ title: 'Cup' })
  })
})

test('custom data is held by key, and written by the keys that it has', () => {
  const read = { fields: [{ key: 'care.washing', value: 'By hand', type: 'text', metaobject: [] }] }
  const held = withKeyedFields(read)
  expect(held).toEqual({ fields: { [inForm('care.washing')]: { value: 'By hand', type: 'text' } } })
  expect(inForm('care.washing')).not.toContain('.')
  expect(withOwnKeys({ fields: { [inForm('care.washing')]: null } })).toEqual({
    fields: { 'care.washing': null },
  })
})

test('the entries of a list value are edited as single values, and read back as they were', () => {
  for (const [base, text] of [
    ['single_line_text_field', '["Boil","Stir"]'],
    ['money', '[{"amount":"1.50","currency":"EUR"}]'],
    ['json', '["a",null,{"b":1}]'],
  ] as const) {
    expect(listText(entriesOf(text, base), base)).toBe(text)
  }
  expect(entriesOf('[1,2.5]', 'number_decimal')).toEqual(['1', '2.5'])
  expect([entriesOf('', 'date'), entriesOf('no list', 'date'), listText([], 'date')]).toEqual([[], [], ''])
})

test('a new document leaves out empty inputs', () => {
  expect(filledIn({ title: 'Mug', vendor: '', seo: { title: '' }, tags: [], taxIncluded: false })).toEqual({
    title: 'Mug',
    tags: [],
    taxIncluded: false,
  })
})

describe('a new product', () => {
  test('without options has one variant with its key', () => {
    expect(combinations([], 'MUG')).toEqual({ options: [], variants: [{ sku: 'MUG', optionValues: [] }] })
  })

  test('with options has a variant for each combination of their values', () => {
    const { options, variants } = combinations(
      [
        { title: 'Size', values: ['S', 'M'] },
        { title: 'Colour', values: ['Red', 'Blue', 'Green'] },
        { title: 'Empty' },
      ],
      undefined,
    )
    expect(options.map(({ title }) => title)).toEqual(['Size', 'Colour'])
    expect(variants).toHaveLength(6)
    expect(variants[5]).toEqual({
      optionValues: [
        { option: 'Size', value: 'M' },
        { option: 'Colour', value: 'Green' },
      ],
    })
  })
})

test.each([
  ['S, M, L', ['S', 'M', 'L']],
  ['S,M', ['S', 'M']],
  ['39,5, 40, 41', ['39,5', '40', '41']],
  ['1,5 kg', ['1,5 kg']],
  ['DIN 4,A5', ['DIN 4', 'A5']],
  [' , red,, ', ['red']],
])('%s are the texts %j', (text, texts) => {
  expect(splitTexts(text)).toEqual(texts)
})

describe('a number as people write it', () => {
  test.each([
    ['89,90', 'en-US', '89.90'],
    ['89.90', 'fr-FR', '89.90'],
    ['89,90', 'de-DE', '89.90'],
    ['1,234.50', 'en-US', '1234.50'],
    ['1.234,50', 'en-US', '1234.50'],
    ['1 234,50', 'fr-FR', '1234.50'],
    ['1\u202f234,5', 'fr-FR', '1234.5'],
    ["1'234.50", 'de-CH', '1234.50'],
    ['1,234', 'en-US', '1234'],
    ['1,234', 'de-DE', '1.234'],
    ['1.234', 'de-DE', '1234'],
    ['1.234.567', 'de-DE', '1234567'],
    ['1.234', 'en-US', '1.234'],
    ['12', 'en-US', '12'],
    [',5', 'fr-FR', '0.5'],
    ['-3,5', 'fr-FR', '-3.5'],
    ['0,500', 'en-US', '0.500'],
    ['', 'en-US', null],
    ['abc', 'en-US', null],
    ['89,9O', 'en-US', null],
    ['1.2.3', 'en-US', null],
    ['1,23,4.5', 'en-US', null],
    ['12.', 'en-US', null],
    ['€ 5', 'en-US', null],
  ])('%s in %s is %s', (text, locale, decimal) => {
    expect(decimalOf(text, locale)).toBe(decimal)
  })

  test('is read back as it is shown', () => {
    for (const locale of ['en-US', 'fr-FR', 'de-DE', 'es-ES', 'de-CH']) {
      for (const amount of ['0.05', '89.90', '1234.5', '1000000']) {
        expect(decimalOf(decimalText(amount, locale), locale)).toBe(amount)
      }
    }
  })
})

test.each([
  ['19.90', -10, 2, '17.91'],
  ['19.95', 10, 2, '21.95'],
  ['100', 7.5, 2, '107.50'],
  ['1999', -33, 0, '1339'],
  ['0.05', -50, 2, '0.03'],
  ['12.345', 0, 2, '12.35'],
])('%s by %d percent with %d decimals is %s', (amount, percent, decimals, changedTo) => {
  expect(amountBy(amount, percent, decimals)).toBe(changedTo)
})

describe('two changes of one document', () => {
  const mine = { ...mug, vendor: 'Mine', tags: ['a'], seo: { title: 'Mine', description: 'Of stoneware' } }
  const theirs = { ...mug, vendor: 'Theirs', title: 'Cup', seo: { title: 'Theirs', description: 'Of clay' } }
  const found = conflicts(mug, mine, theirs)

  test('are listed property by property, with the user if only one changed it', () => {
    expect(found.map(({ path, changedBy }) => [path, changedBy])).toEqual([
      ['title', 'theirs'],
      ['vendor', null],
      ['tags', 'mine'],
      ['seo.title', null],
      ['seo.description', 'theirs'],
    ])
    expect(found[3]).toMatchObject({ before: 'Mugs', mine: 'Mine', theirs: 'Theirs' })
  })

  test('of new properties conflict only if both users wrote one', () => {
    const found = conflicts({}, { fields: { a: '1', b: '2' } }, { fields: { a: '3', c: '4' } })
    expect(found.map(({ path, changedBy }) => [path, changedBy])).toEqual([
      ['fields.a', null],
      ['fields.b', 'mine'],
      ['fields.c', 'theirs'],
    ])
  })

  test('are one when both wrote the same', () => {
    expect(conflicts(mug, { ...mug, vendor: 'Same' }, { ...mug, vendor: 'Same' })).toEqual([])
  })

  test('keep of mine only what I edited when I keep all of mine', () => {
    const all = chosenFor(found, 'mine')
    expect(changed(theirs, resolved(theirs, found, all))).toEqual({
      vendor: 'Mine',
      tags: ['a'],
      seo: { title: 'Mine' },
    })
    expect(resolved(theirs, found, chosenFor(found, 'theirs'))).toEqual(theirs)
  })

  test('become one document with the chosen values, of which only mine are written', () => {
    const chosen = resolved(theirs, found, { vendor: 'theirs', tags: 'mine', 'seo.title': 'mine' })
    expect(changed(theirs, chosen)).toEqual({ tags: ['a'], seo: { title: 'Mine' } })
  })
})
