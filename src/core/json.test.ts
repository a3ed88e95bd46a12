import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { decodeUtf8, jsonOf, member, parsed, parseJson, setMember } from './json.ts'
import { JsonError, type JsonFault, scanJson } from './strict-json.ts'

vi.mock('./strict-json.ts', async (original) => {
  const real = await original<typeof import('./strict-json.ts')>()
  return { ...real, scanJson: vi.fn(real.scanJson) }
})

/** What is parsed by the quick way alone: the scanner takes several times as long. */
function quick(text: string): unknown {
  vi.mocked(scanJson).mockClear()
  const value = parseJson(text)
  expect(scanJson).not.toHaveBeenCalled()
  return value
}

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
  ])('%s is read', (text, value) => {
    expect(quick(text)).toEqual(value)
    expect(() => scanJson(text)).not.toThrow()
  })

  test.each([
    `${'['.repeat(32)}true${']'.repeat(32)}`,
    `${'{"a":'.repeat(32)}null${'}'.repeat(32)}`,
    '[{"a":[{"b":1},{}],"c":[[],{"d":"x"}]},{"e":null,"\\u00e9":"\\u00e9"},"\\ud83d\\ude00",false,0]',
    '{"a:\\":\\\\":["\\\\\\\\",":","b\\""],":":{}}',
  ])('%s needs no scanner', (text) => {
    expect(quick(text)).toEqual(JSON.parse(text))
  })

  test.each<[text: string, reason: JsonFault, offset: number, pointer: string]>([
    ['', 'syntax', 0, ''],
    ['  ', 'syntax', 2, ''],
    ['\ufeff{}', 'syntax', 0, ''],
    ['\u00a0{}', 'syntax', 0, ''],
    ['{"a":1,}', 'syntax', 7, ''],
    ['[1,]', 'syntax', 3, '/1'],
    ['[1 2]', 'syntax', 3, ''],
    ['{"a" 1}', 'syntax', 5, '/a'],
    ["{'a':1}", 'syntax', 1, ''],
    ['{a:1}', 'syntax', 1, ''],
    ['[01]', 'syntax', 2, ''],
    ['[1.]', 'syntax', 2, ''],
    ['[.5]', 'syntax', 1, '/0'],
    ['[+1]', 'syntax', 1, '/0'],
    ['[NaN]', 'syntax', 1, '/0'],
    ['[-Infinity]', 'syntax', 1, '/0'],
    ['nul', 'syntax', 0, ''],
    ['truee', 'syntax', 4, ''],
    ['{"a":1', 'syntax', 6, ''],
    ['[[1]', 'syntax', 4, ''],
    ['{}{}', 'syntax', 2, ''],
    ['{}//', 'syntax', 2, ''],
    ['"a', 'syntax', 2, ''],
    ['"a\nb"', 'syntax', 2, ''],
    ['"\0"', 'syntax', 1, ''],
    ['"\\x41"', 'syntax', 1, ''],
    ['"\\u12g4"', 'syntax', 1, ''],
    ['"\\', 'syntax', 1, ''],
    ['"\\"', 'syntax', 3, ''],
    ['{"a":1,"a":1}', 'duplicate_member', 7, '/a'],
    ['{"a":1,"\\u0061":2}', 'duplicate_member', 7, '/a'],
    ['[{"x":{"b/c~":0,"d":1,"b/c~":0}}]', 'duplicate_member', 22, '/0/x/b~1c~0'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate_member', 15, '/__proto__'],
    ['{"1":1,"1":{"a":1}}', 'duplicate_member', 7, '/1'],
    ['{"a":1,"a":"\\"","b":2}', 'duplicate_member', 7, '/a'],
    ['{"":0,"":0}', 'duplicate_member', 6, '/'],
    ['["\\ud83d"]', 'lone_surrogate', 2, '/0'],
    ['["\\ude00"]', 'lone_surrogate', 2, '/0'],
    ['["\\ud83dx"]', 'lone_surrogate', 2, '/0'],
    ['["\\ud83d\\ud83d\\ude00"]', 'lone_surrogate', 2, '/0'],
    ['["a\ud83d"]', 'lone_surrogate', 3, '/0'],
    ['["\ude00a"]', 'lone_surrogate', 2, '/0'],
    ['{"\\ud83d":1}', 'lone_surrogate', 2, ''],
    ['{"a":"x\\u0000"}', 'null_character', 7, '/a'],
    ['{"\\u0000":1}', 'null_character', 2, ''],
    ['{"a":[1,1e999]}', 'number_range', 8, '/a/1'],
    ['-1e999', 'number_range', 0, ''],
    [`${'9'.repeat(400)}`, 'number_range', 0, ''],
  ])('%j is refused: %s at %i', (text, reason, offset, pointer) => {
    expect(faultOf(text)).toMatchObject({ reason, offset, pointer })
  })

  test('32 levels are read, 33 are not, whatever they are made of', () => {
    expect(parseJson('['.repeat(32) + ']'.repeat(32))).toHaveLength(1)
    expect(faultOf('['.repeat(33) + ']'.repeat(33))).toMatchObject({ reason: 'too_deep', offset: 32 })
    expect(parseJson(`${'{"a":'.repeat(32)}0${'}'.repeat(32)}`)).toHaveProperty('a')
    expect(faultOf(`${'{"a":'.repeat(33)}0${'}'.repeat(33)}`)).toMatchObject({
      reason: 'too_deep',
      offset: 160,
    })
    expect(faultOf('['.repeat(2 ** 20))).toMatchObject({ reason: 'too_deep', offset: 32 })
    expect(faultOf('{"a":'.repeat(200_000))).toMatchObject({ reason: 'too_deep' })
  })

  test('hostile names are ordinary members that pollute nothing', () => {
    const text = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"title":"a"}'
    const value = parseJson(text) as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'title'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(JSON.stringify(value)).toBe(text)
    expect(JSON.stringify({ ...value })).toBe(text)
    expect(value.isAdmin).toBeUndefined()
    const read = z.looseObject({ title: z.string() }).parse(value)
    expect(read.title).toBe('a')
    expect(read.isAdmin).toBeUndefined()
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  })

  test('a mebibyte of nulls is read, one of equal names refused, without running into the time of a test', () => {
    expect(parseJson(`[${'null,'.repeat(200_000)}null]`)).toHaveLength(200_001)
    expect(faultOf(`{${'"a":1,'.repeat(170_000)}"a":1}`)).toMatchObject({
      reason: 'duplicate_member',
      offset: 7,
    })
    expect(faultOf(`[${'{"a":"\\\\:"},'.repeat(70_000)}`)).toMatchObject({ reason: 'syntax' })
  })

  test('whatever JSON.stringify writes is read back, indented or not', () => {
    const value = fc.jsonValue({ depthSize: 'medium', stringUnit: 'grapheme' })
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), (given, indent) => {
        const text = JSON.stringify(given, null, indent)
        fc.pre(!text.includes('\\u0000'))
        expect(quick(text)).toEqual(JSON.parse(text))
        expect(() => scanJson(text)).not.toThrow()
      }),
    )
  })

  test('what JSON.parse refuses is refused, and the quick way accepts exactly what the scanner accepts', () => {
    const pieces = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"\\u0061"',
        '"b"',
        '"__proto__"',
        '1',
        '-0',
        '1e999',
        'null',
        'true',
      ],
      ...[
        '"\\ud83d"',
        '"\\ud83d\\ude00"',
        '"\ud83d\\ude00"',
        '"\\u0000"',
        '"\\\\u0000"',
        '"\\":"',
        ' ',
        '"',
        '\\',
        '0',
      ],
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
        const quick = faultOf(candidate)
        const scanned = faultOf(candidate, scanJson)
        expect(quick).toEqual(scanned)
        if (faultOf(candidate, JSON.parse) !== undefined) expect(quick).toBeInstanceOf(JsonError)
        else if (quick !== undefined) expect(quick).not.toMatchObject({ reason: 'syntax' })
      }),
      { numRuns: 3000 },
    )
  })
})

describe('decodeUtf8', () => {
  test('text comes out as it was', () => {
    expect(decodeUtf8(new TextEncoder().encode('{"é":"😀"}'))).toBe('{"é":"😀"}')
  })

  test.each([
    ['a lone continuation', [0x80]],
    ['a cut sequence', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['more than U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('%s throws', (_, bytes) => {
    expect(() => decodeUtf8(new Uint8Array(bytes))).toThrow(TypeError)
  })

  test('a byte order mark is kept, so that the parser refuses it', () => {
    const text = decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))
    expect(faultOf(text)).toMatchObject({ reason: 'syntax', offset: 0 })
  })
})

test('setMember makes an own member of any name', () => {
  const object: Record<string, unknown> = {}
  setMember(object, '__proto__', { isAdmin: true })
  setMember(object, '__proto__', { isAdmin: false })
  setMember(object, 'constructor', 1)
  expect(JSON.stringify(object)).toBe('{"__proto__":{"isAdmin":false},"constructor":1}')
  expect(object.isAdmin).toBeUndefined()
  const ordinary = { writable: true, enumerable: true, configurable: true }
  expect(Reflect.getOwnPropertyDescriptor(object, '__proto__')).toEqual({
    ...ordinary,
    value: { isAdmin: false },
  })
})

test('a member is an own one', () => {
  expect(member({ a: 1 }, 'a')).toBe(1)
  expect(member({ a: 1 }, 'b')).toBeUndefined()
  for (const name of ['constructor', '__proto__', 'toString']) expect(member({}, name)).toBeUndefined()
})

test('JSON of ours is taken as it is', () => {
  const plain = { a: [1] }
  expect(jsonOf(plain)).toBe(plain)
  expect(parsed('{"a":[1]}')).toEqual(plain)
})

function faultOf(text: string, parse: (text: string) => unknown = parseJson): unknown {
  try {
    parse(text)
    return undefined
  } catch (error) {
    return error
  }
}
