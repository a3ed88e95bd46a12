import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { decodeUtf8, type JsonFault, parseJson } from './strict-json.ts'
import { type Path, pathText } from './violations.ts'

describe('parseJson', () => {
  test.each([
    ['null', null],
    ['-0.5e+2', -50],
    ['1E300', 1e300],
    ['5e-400', 0],
    ['""', ''],
    [' \t\r\n[ ] ', []],
    ['{"a":{"a":[{"a":1},{"a":2}]},"b":"a:b\\"c:d"}', { a: { a: [{ a: 1 }, { a: 2 }] }, b: 'a:b"c:d' }],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', '"\\/\b\f\n\r\té😀'],
    ['"\u2028\u007f😀"', '\u2028\u007f😀'],
    ['"\\\\u0000"', '\\u0000'],
    ['{"a":1,"b":2,"\\u0061":3}', { a: 3, b: 2 }],
  ])('parses %s', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  test.each([
    ['', '1:1'],
    ['  ', '1:3'],
    ['nul', '1:4'],
    ['\ufeff{}', '"\ufeff"'],
    ['{"a":1,}', '1:8'],
    ['{\n"a":1,\n}', '3:1'],
    ['[1,]', '"]"'],
    ['[NaN]', '"N"'],
    ['[😀]', '"\\ud83d"'],
    ['[01]', '1:3'],
    ['{"a":1', '1:7'],
    ['{}{}', '1:3'],
    ['"a\nb"', '1:3'],
    ['"\\x41"', '1:3'],
    ['"\\', '1:3'],
    ['['.repeat(2 ** 20), `1:${2 ** 20 + 1}`],
  ])('reports the position of the syntax error in %j', (text, position) => {
    expect(faultOf(text)).toMatchObject({ reason: 'syntax', position, path: '' })
  })

  test.each<[text: string, reason: JsonFault, path: string]>([
    ['["\\ud83d"]', 'characters', '[0]'],
    ['["\\ude00"]', 'characters', '[0]'],
    ['["a\ud83d"]', 'characters', '[0]'],
    ['[{"b/c~":"\\ud83d\\ud83d\\ude00"}]', 'characters', '[0].b/c~'],
    ['{"a":{"\\ud83d":1}}', 'characters', 'a'],
    ['{"a":"x\\u0000"}', 'characters', 'a'],
    ['{"\\u0000":1}', 'characters', ''],
    ['{"a":[1,1e999]}', 'number_range', 'a[1]'],
    ['-1e999', 'number_range', ''],
    ['['.repeat(33) + ']'.repeat(33), 'too_deep', '[0]'.repeat(32)],
    [`${'{"a":'.repeat(33)}0${'}'.repeat(33)}`, 'too_deep', Array(32).fill('a').join('.')],
  ])('rejects %j as %s at "%s"', (text, reason, path) => {
    expect(faultOf(text)).toEqual({ reason, path, position: '' })
  })

  test('accepts 32 levels', () => {
    expect(parseJson('['.repeat(32) + ']'.repeat(32))).toHaveLength(1)
    expect(parseJson(`${'{"a":'.repeat(32)}0${'}'.repeat(32)}`)).toHaveProperty('a')
  })

  test('reads names of the prototype as ordinary members', () => {
    const text = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"title":"a"}'
    const value = parseJson(text) as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'title'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(JSON.stringify(value)).toBe(text)
    expect(JSON.stringify({ ...value })).toBe(text)
    const read = z.looseObject({ title: z.string() }).parse(value)
    expect(read.title).toBe('a')
    expect(read.isAdmin).toBeUndefined()
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  })

  test('accepts and rejects what JSON.parse does, except for values that cannot be stored', () => {
    const pieces = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"a"', '"\\u0061"', '"__proto__"', '1', '-0', 'null', ' ', '"', '\\'],
      ...['"\\ud83d"', '"\\ud83d\\ude00"', '"\ud83d\\ude00"', '"\\u0000"', '"\\\\u0000"', '1e999'],
    )
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      fc
        .array(fc.tuple(pieces, pieces), { maxLength: 5 })
        .map((all) => `{${all.map((pair) => pair.join(':')).join()}}`),
      fc.array(pieces, { maxLength: 5 }).map((all) => `[${all.join()}]`),
    )
    fc.assert(
      fc.property(text, (candidate) => {
        const fault = faultOf(candidate)
        if (!isJson(candidate)) expect(fault).toMatchObject({ reason: 'syntax' })
        else if (fault)
          expect(fault).toMatchObject({ reason: expect.stringMatching(/characters|number_range/) })
        else expect(parseJson(candidate)).toEqual(JSON.parse(candidate))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('decodeUtf8', () => {
  test('returns the encoded text', () => {
    expect(decodeUtf8(new TextEncoder().encode('{"é":"😀"}'))).toBe('{"é":"😀"}')
  })

  test.each([
    ['a lone continuation', [0x80]],
    ['a truncated sequence', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['more than U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('rejects %s', (_, bytes) => {
    expect(() => decodeUtf8(new Uint8Array(bytes))).toThrow(TypeError)
  })

  test('keeps a byte order mark, which parseJson rejects', () => {
    const text = decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))
    expect(faultOf(text)).toMatchObject({ reason: 'syntax' })
  })
})

type Fault = { reason: JsonFault; path: string; position: string }

function faultOf(text: string): Fault | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    const { reason, path, position } = error as Omit<Fault, 'path'> & { path: Path }
    return { reason, path: pathText(path), position }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
