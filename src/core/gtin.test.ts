import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isGtin } from './gtin.ts'

test.each(['96385074', '036000291452', '4006381333931', '10012345678902'])('%s is a GTIN', (text) => {
  expect(isGtin(text)).toBe(true)
})

test.each([
  '4006381333932',
  '400638133393',
  '40063813339310',
  '9638507',
  '096385074',
  '0096385074',
  '00096385074',
  '004006381333931',
  '123456789',
  '4006381333931 ',
  '4006381333931\n',
  '400-6381333931',
  '٤٠٠٦٣٨١٣٣٣٩٣١',
  '',
])('%j is no GTIN', (text) => {
  expect(isGtin(text)).toBe(false)
})

test('exactly one check digit fits, and no single wrong digit passes', () => {
  const body = fc
    .constantFrom(7, 11, 12, 13)
    .chain((length) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`)))
  fc.assert(
    fc.property(body, fc.nat(12), fc.integer({ min: 1, max: 9 }), (digits, place, shift) => {
      const valid = Array.from({ length: 10 }, (_, check) => `${digits}${check}`).filter(isGtin)
      expect(valid).toHaveLength(1)
      const [gtin = ''] = valid
      const at = place % gtin.length
      const wrong = (Number(gtin[at]) + shift) % 10
      expect(isGtin(`${gtin.slice(0, at)}${wrong}${gtin.slice(at + 1)}`)).toBe(false)
    }),
  )
})
