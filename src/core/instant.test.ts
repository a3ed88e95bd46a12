import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantOf, parseInstant, utcInstant } from './instant.ts'

describe('parseInstant', () => {
  test.each([
    ['2026-11-20T20:10:00Z', '2026-11-20T20:10:00.000000Z'],
    ['2026-11-20t20:10:00z', '2026-11-20T20:10:00.000000Z'],
    ['2026-11-20T20:10:00.1Z', '2026-11-20T20:10:00.100000Z'],
    ['2026-11-20T20:10:00.123456Z', '2026-11-20T20:10:00.123456Z'],
    ['2026-11-20T20:10:00.9999999Z', '2026-11-20T20:10:00.999999Z'],
    ['2026-11-20T20:10:00+02:00', '2026-11-20T18:10:00.000000Z'],
    ['2026-11-20T20:10Z', '2026-11-20T20:10:00.000000Z'],
    ['2026-11-20T20:10', '2026-11-20T20:10:00.000000Z'],
    ['2026-11-20T20:10:05', '2026-11-20T20:10:05.000000Z'],
    ['2026-11-20T20:10:05.1234567', '2026-11-20T20:10:05.123456Z'],
    ['2026-11-20T20:10+02:00', '2026-11-20T18:10:00.000000Z'],
    ['2026-11-20T20:10 02:00', '2026-11-20T18:10:00.000000Z'],
    ['2026-11-20T20:10:00 02:00', '2026-11-20T18:10:00.000000Z'],
    ['2026-11-20T20:10:00.5-05:30', '2026-11-21T01:40:00.500000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant)
  })

  test.each([
    '',
    'now',
    'infinity',
    'today',
    '2026',
    '2026-11',
    '20261120',
    '2026-W47-5',
    '2026-324',
    '2026-11-20T20',
    '2026-11-20T20Z',
    '2026-11-20T20:10.5Z',
    '2026-11-20T20:10:',
    '2026-11-20T24:00',
    '2026-11-20T20:60',
    '2026-11-20T',
    '2026-11-20Z',
    '2026-11-20 20:10:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T23:60:00Z',
    '2026-11-20T23:59:60Z',
    '2026-11-20T12:00:60Z',
    '2026-11-20T12:60:00Z',
    '2026-02-30',
    '2026-02-29',
    '2026-04-31T00:00:00Z',
    '2026-00-01',
    '2026-13-01',
    '2026-01-00',
    '0000-01-01',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+002026-11-20',
    '-2026-11-20',
    '2026-11-20T20:10:00.Z',
    '2026-11-20T20:10:00,5Z',
    '2026-11-20T20:10:00+2:00',
    '2026-11-20T20:10:00+0200',
    '2026-11-20T20:10:00+24:00',
    '2026-11-20T20:10:00+02:60',
    '2026-11-20T20:10:00Z ',
    ' 2026-11-20T20:10:00Z',
    '2026-11-20T20:10:00Z\n',
    '2026-11-20T20:10:00Z[Europe/Paris]',
    '٢٠٢٦-11-20',
    '2026-11-20T20:10:00−02:00',
    '1795205400',
  ])('%j is no instant', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  test('any instant written with any offset reads as the same canonical instant', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000)
        fc.pre(local.getUTCFullYear() >= 1 && local.getUTCFullYear() <= 9999)
        const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')
        const minutes = String(Math.abs(offset) % 60).padStart(2, '0')
        const text = `${local.toISOString().slice(0, -1)}${offset < 0 ? '-' : '+'}${hours}:${minutes}`
        expect(parseInstant(text)).toBe(instantOf(date))
      }),
    )
  })

  test('a moment without a zone is the one in UTC, and a whole minute the same without its seconds', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const text = date.toISOString()
        expect(parseInstant(text.slice(0, -1))).toBe(parseInstant(text))
        expect(parseInstant(text.slice(0, 16))).toBe(parseInstant(`${text.slice(0, 16)}:00Z`))
        expect(utcInstant(text.slice(0, 16))).toBe(parseInstant(text.slice(0, 16)))
      }),
    )
  })

  test('canonical instants stay as they are and sort as their moments do', () => {
    fc.assert(
      fc.property(anyDate, anyDate, (a, b) => {
        expect(parseInstant(instantOf(a))).toBe(instantOf(a))
        expect(instantOf(a)).toHaveLength(27)
        expect(instantOf(a) < instantOf(b)).toBe(a.getTime() < b.getTime())
      }),
    )
  })

  test('no text gives anything but a canonical instant or null', () => {
    const pieces = fc.constantFrom(
      '2026',
      '-',
      '02',
      '30',
      'T',
      '24',
      ':',
      '60',
      '.',
      '9',
      'Z',
      '+',
      ' ',
      '0',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(parseInstant(text) ?? instantOf(new Date(0))).toMatch(canonical)
        },
      ),
    )
  })
})

describe('utcInstant', () => {
  test.each([
    '2026-11-20T20:10:00Z',
    '2026-11-20T20:10:00+00:00',
    '2026-11-20T20:10:00 00:00',
    '2026-11-20T20:10:00-00:00',
    '2026-11-20T20:10:00',
    '2026-11-20T20:10',
    '2026-11-20T20:10Z',
    '2026-11-20T20:10+00:00',
  ])('%s is UTC', (text) => {
    expect(utcInstant(text)).toBe('2026-11-20T20:10:00.000000Z')
  })

  test.each([
    '2026-11-20T20:10:00+01:00',
    '2026-11-20T20:10:00-00:01',
    '2026-11-20T20:10+01:00',
    '2026-11-20',
    '2026-02-30T00:00:00Z',
    'now',
  ])('%s is refused', (text) => {
    expect(utcInstant(text)).toBeNull()
  })
})

describe('instantOf', () => {
  test('a date keeps its milliseconds', () => {
    expect(instantOf(new Date(Date.UTC(2026, 10, 20, 20, 10, 0, 7)))).toBe('2026-11-20T20:10:00.007000Z')
  })

  test.each([Number.NaN, 253402300800000, -62135596800001])('%d ms since the epoch throws', (time) => {
    expect(() => instantOf(new Date(time))).toThrow(RangeError)
  })
})

const canonical = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const anyDate = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
