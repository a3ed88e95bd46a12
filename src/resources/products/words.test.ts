import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folded, neighbours, plainText, wordsOf } from './search.ts'

describe('folded', () => {
  test.each([
    ['Crème Brûlée', 'creme brulee'],
    ['STRASSE Straße', 'strasse strasse'],
    ['Łódź, Ørsted, İstanbul', 'lodz, orsted, istanbul'],
    ['हिन्दी', 'हिन्दी'],
    ['한국어', '한국어'],
  ])('%s', (text, expected) => expect(folded(text)).toBe(expected))

  test('twice is as once', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => folded(folded(text)) === folded(text)))
  })
})

test('words are parted by blanks, and their parts by what is no letter, digit or mark', () => {
  expect(wordsOf(" T-Shirt\u00a0№ 5 l'Été – 3.5 ")).toMatchObject([
    { joined: 'tshirt', parts: ['t', 'shirt'] },
    { joined: 'no', parts: ['no'] },
    { joined: '5', parts: ['5'] },
    { joined: 'lete', parts: ['l', 'ete'] },
    { text: '3.5', joined: '35', parts: ['3', '5'] },
  ])
})

test('what Postgres may not take is a blank in the text of a word', () => {
  expect(wordsOf('a\u0007b \u0007')).toEqual([{ text: 'a b', joined: 'ab', parts: ['a', 'b'] }])
})

test('no word has a character that a quoted lexeme would have to escape', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) =>
      wordsOf(text).every(
        ({ text: own, joined, parts }) =>
          [joined, ...parts].every((each) => !/['\\\s\0]/.test(each)) &&
          own.isWellFormed() &&
          !own.includes('\0'),
      ),
    ),
  )
})

describe('neighbours', () => {
  const meet = (a: string, b: string) => neighbours(a).some((each) => neighbours(b).includes(each))

  test.each([
    ['shirt', 'shrit', true],
    ['shirt', 'shirts', true],
    ['shirt', 'shrt', true],
    ['shirt', 'shart', true],
    ['shirt', 'shoes', false],
    ['shirt', 'shawl', false],
    ['red', 'rde', false],
    ['ab12', 'ab21', false],
  ])('%s and %s meet: %s', (a, b, expected) => expect(meet(a, b)).toBe(expected))

  test('any single slip of the pen is a meeting', () => {
    const letters = fc.constantFrom(...'abcdeé')
    const slips: readonly ((word: string[], at: number, letter: string) => string[])[] = [
      (word, at) => word.toSpliced(at, 1),
      (word, at, letter) => word.toSpliced(at, 0, letter),
      (word, at, letter) => word.toSpliced(at, 1, letter),
      (word, at) => word.toSpliced(at, 2, ...word.slice(at, at + 2).reverse()),
    ]
    const word = fc.array(letters, { minLength: 5, maxLength: 12 })
    fc.assert(
      fc.property(word, fc.nat(11), letters, fc.constantFrom(...slips), (given, at, letter, slip) =>
        meet(given.join(''), slip(given, at % given.length, letter).join('')),
      ),
    )
  })
})

test.each(['1shirt', 'shirt1', 'abc', 'a'.repeat(33)])('%s has no neighbours', (word) => {
  expect(neighbours(word)).toEqual([])
})

test('a word is its own first neighbour', () => {
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

test('HTML is left as its text', () => {
  const html = '<p class="x">Caf&eacute;<br/>&amp; th&#233;&#0;</p><!-- not --> 3 < 5 <3'
  expect(plainText(html).replaceAll(/\s+/g, ' ').trim()).toBe('Cafe thé 3 < 5 <3')
})

test('HTML that never closes costs no more than its length', () => {
  for (const piece of ['<a', '<!--', '&', '&#', '<', '</']) plainText(piece.repeat(65_535 / piece.length))
})
