/** What a form sends: only what was changed, so that nothing else is lost. */
import { describe, expect, test } from 'vitest'
import { changed, filledIn } from '../../src/admin/core/changed.ts'
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

test('a new document leaves out what was left open', () => {
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
