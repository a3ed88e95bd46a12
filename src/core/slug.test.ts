import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { slugify, slugPattern } from './slug.ts'

describe('slugify', () => {
  test.each([
    ['Ocean Blue Shirt', 'ocean-blue-shirt'],
    ['Crème brûlée & Œufs', 'creme-brulee-oeufs'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['Ærø Smørrebrød', 'aero-smorrebrod'],
    ['Łódź', 'lodz'],
    ['Đorđe', 'dorde'],
    ['İstanbul ılık', 'istanbul-ilik'],
    ["Women's & Men’s", 'womens-mens'],
    ['ﬁne ①', 'fine-1'],
    ['Widget™ 2.0', 'widget-2-0'],
    ['  --a__b--  ', 'a-b'],
    ['Тест 5', '5'],
    ['a・b', 'a-b'],
    ['Ðað', 'dad'],
    ['Þór', 'thor'],
    ['Ħamrun', 'hamrun'],
    ['Ŋaŋa', 'nana'],
    ['Ŧeŧ', 'tet'],
    ['Əliə', 'elie'],
    ['日本', ''],
    ['!!!', ''],
    ['', ''],
  ])('%j becomes %j', (title, slug) => {
    expect(slugify(title)).toBe(slug)
  })

  test('a long title is cut to 255 characters without a hyphen at the end', () => {
    expect(slugify('a'.repeat(300))).toBe('a'.repeat(255))
    expect(slugify(`${'a'.repeat(254)} b`)).toBe('a'.repeat(254))
  })

  test('any title gives nothing or a slug that stays as it is', () => {
    const title = fc.oneof(fc.string({ maxLength: 40, unit: 'grapheme' }), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(title, (text) => {
        const slug = slugify(text)
        expect(slug.length).toBeLessThanOrEqual(255)
        if (slug !== '') expect(slug).toMatch(slugPattern)
        expect(slugify(slug)).toBe(slug)
      }),
    )
  })
})

test.each(['a', '1', 'ab-cd', 'a-b-c2', 'abc'])('%j is a slug', (text) => {
  expect(slugPattern.test(text)).toBe(true)
})

test.each(['A', 'a--b', '-a', 'a-', 'a_b', 'é', 'a b', 'a\n', ''])('%j is no slug', (text) => {
  expect(slugPattern.test(text)).toBe(false)
})
