import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folded, neighbours, plainText, spelledIn, wordsOf } from './search.ts'

describe('folded', () => {
  test.each([
    ['Crème Brûlée', 'creme brulee'],
    ['STRASSE Straße', 'strasse strasse'],
    ['Łódź, Ørsted, İstanbul', 'lodz, orsted, istanbul'],
    ['हिन्दी', 'हिन्दी'],
    ['한국어', '한국어'],
  ])('%s', (text, expected) => expect(folded(text)).toBe(expected))

  test('folding twice changes nothing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => folded(folded(text)) === folded(text)))
  })
})

test('blanks separate words, and other characters than letters, digits and marks separate parts', () => {
  expect(wordsOf(" T-Shirt\u00a0№ 5 l'Été – 3.5 ")).toMatchObject([
    { joined: 'tshirt', parts: ['t', 'shirt'] },
    { joined: 'no', parts: ['no'] },
    { joined: '5', parts: ['5'] },
    { joined: 'lete', parts: ['l', 'ete'] },
    { text: '3.5', joined: '35', parts: ['3', '5'] },
  ])
})

test('characters that Postgres rejects become blanks in the text of a word', () => {
  expect(wordsOf('a\u0007b \u0007')).toEqual([{ text: 'a b', joined: 'ab', parts: ['a', 'b'] }])
})

test('words contain no character that a quoted lexeme must escape', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) =>
      wordsOf(text).every(
        ({ text: word, joined, parts }) =>
          [joined, ...parts].every((form) => !/['\\\s\0]/.test(form)) &&
          word.isWellFormed() &&
          !word.includes('\0'),
      ),
    ),
  )
})

test('a text spells each of its words so that it folds to the word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) =>
      wordsOf(text).every(({ joined }) =>
        wordsOf(spelledIn(text, joined)).every((word) => word.joined === joined),
      ),
    ),
  )
})

test.each([
  ['Alte Bücher, neue', 'bucher', 'Bücher'],
  ['«T-Shirt» Straße', 'tshirt', 'T-Shirt'],
  ['T-Shirt Straße', 'shirt', 'Shirt'],
  ['T-Shirt Straße', 'strasse', 'Straße'],
  ['T-Shirt', 'hat', 'hat'],
])('%s spells %s as %s', (text, word, expected) => expect(spelledIn(text, word)).toBe(expected))

describe('neighbours', () => {
  const isNear = (a: string, b: string) =>
    neighbours(a).some((neighbour) => neighbours(b).includes(neighbour))

  test.each([
    ['shirt', 'shrit', true],
    ['shirt', 'shirts', true],
    ['shirt', 'shrt', true],
    ['shirt', 'shart', true],
    ['shirt', 'shoes', false],
    ['shirt', 'shawl', false],
    ['red', 'rde', false],
    ['ab12', 'ab21', false],
  ])('%s and %s share a neighbour: %s', (a, b, expected) => expect(isNear(a, b)).toBe(expected))

  test('a word shares a neighbour with each word that differs by one slip', () => {
    const letterOf = fc.constantFrom(...'abcdeé')
    const slips: readonly ((word: string[], at: number, letter: string) => string[])[] = [
      (word, at) => word.toSpliced(at, 1),
      (word, at, letter) => word.toSpliced(at, 0, letter),
      (word, at, letter) => word.toSpliced(at, 1, letter),
      (word, at) => word.toSpliced(at, 2, ...word.slice(at, at + 2).reverse()),
    ]
    const word = fc.array(letterOf, { minLength: 5, maxLength: 12 })
    fc.assert(
      fc.property(word, fc.nat(11), letterOf, fc.constantFrom(...slips), (letters, at, letter, slip) =>
        isNear(letters.join(''), slip(letters, at % letters.length, letter).join('')),
      ),
    )
  })
})

test.each(['1shirt', 'shirt1', 'abc', 'a'.repeat(33)])('%s has no neighbours', (word) => {
  expect(neighbours(word)).toEqual([])
})

test('the first neighbour of a word is the word itself', () => {
  expect(neighbours('abca')).toEqual(['abca', 'bca', 'aca', 'aba', 'abc'])
  expect(neighbours('b'.repeat(32))).toEqual(['b'.repeat(32), 'b'.repeat(31)])
})

test.each([
  ['<p>a</p><P>b</P>', ' a  b '],
  ['a<!doctype html>b', 'a b'],
  ['&oelig;uf &AElig;', 'oeuf AE'],
  ['&Ccedil;&aring;&oslash;', 'Cao'],
  ['a&nbsp;b', 'a b'],
  ['&#xE9;&#x1f600;&#233;', 'é😀é'],
  ['&#0;|&#x0;', ' | '],
  ['&#55295;|&#55296;|&#57343;|&#57344;', '\ud7ff| | |\ue000'],
  ['&#1114111;|&#1114112;', '\u{10ffff}| '],
])('%s is the text %j', (html, text) => expect(plainText(html)).toBe(text))

test('HTML becomes plain text', () => {
  const html = '<p class="x">Caf&eacute;<br/>&amp; th&#233;&#0;</p><!-- not --> 3 < 5 <3'
  expect(plainText(html).replaceAll(/\s+/g, ' ').trim()).toBe('Cafe thé 3 < 5 <3')
})

test('unclosed HTML is parsed in linear time', () => {
  for (const piece of ['<a', '<!--', '&', '&#', '<', '</']) plainText(piece.repeat(65_535 / piece.length))
})
