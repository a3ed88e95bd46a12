import { expect, test } from 'vitest'
import { countries, isCountry } from './locale.ts'

test('there are 249 countries, each of which the platform can name', () => {
  expect(countries.size).toBe(249)
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  expect([...countries].filter((code) => names.of(code) === undefined)).toEqual([])
})

test.each(['FR', 'DE', 'US', 'GB', 'AX', 'BQ', 'SS'])('%s is a country', (code) => {
  expect(isCountry(code)).toBe(true)
})

test.each(['fr', 'UK', 'EU', 'XK', 'AN', 'SU', 'ZZ', 'FRA', '', 'constructor'])(
  '%j is no country',
  (code) => {
    expect(isCountry(code)).toBe(false)
  },
)
