import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folded, neighbours, plainText, wordsOf } from './words.ts'

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

test('HTML is left as its text', () => {
  const html = '<p class="x">Caf&eacute;<br/>&amp; th&#233;&#0;</p><!-- not --> 3 < 5 <3'
  expect(plainText(html).replaceAll(/\s+/g, ' ').trim()).toBe('Cafe thé 3 < 5 <3')
})

test('HTML that never closes costs no more than its length', () => {
  for (const piece of ['<a', '<!--', '&', '&#', '<', '</']) plainText(piece.repeat(65_535 / piece.length))
})
