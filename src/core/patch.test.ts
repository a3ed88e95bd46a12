import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from './json.ts'
import { differencesBetween, mergePatch, sameJson } from './patch.ts'
import { parseJson } from './strict-json.ts'

describe('mergePatch', () => {
  // RFC 7396 appendix A, every row.
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('%s patched with %s is %s', (target, patch, result) => {
    expect(JSON.stringify(mergePatch(json(target), json(patch)))).toBe(result)
  })

  // RFC 7396 §3, the example document.
  test('the example of the specification comes out as printed there', () => {
    const target = {
      title: 'Goodbye!',
      author: { givenName: 'John', familyName: 'Doe' },
      tags: ['example', 'sample'],
      content: 'This will be unchanged',
    }
    const patch = {
      title: 'Hello!',
      phoneNumber: '+01-123-456-7890',
      author: { familyName: null },
      tags: ['example'],
    }
    expect(mergePatch(target, patch)).toEqual({
      title: 'Hello!',
      author: { givenName: 'John' },
      tags: ['example'],
      content: 'This will be unchanged',
      phoneNumber: '+01-123-456-7890',
    })
  })

  test('nothing is patched as an empty object is', () => {
    expect(mergePatch(undefined, { a: { b: null } })).toEqual({ a: {} })
  })

  test('hostile names are ordinary members', () => {
    const patch = json('{"__proto__":{"isAdmin":true},"constructor":{"x":1},"toString":{"y":null}}')
    const result = mergePatch({}, patch) as JsonObject
    expect(JSON.stringify(result)).toBe('{"__proto__":{"isAdmin":true},"constructor":{"x":1},"toString":{}}')
    expect(result.isAdmin).toBeUndefined()
    const again = mergePatch(json('{"__proto__":{"a":1,"b":2}}'), json('{"__proto__":{"a":null}}'))
    expect(JSON.stringify(again)).toBe('{"__proto__":{"b":2}}')
    expect(JSON.stringify(mergePatch(json('{"__proto__":1,"a":2}'), json('{"__proto__":null}')))).toBe(
      '{"a":2}',
    )
  })

  test('does what the pseudocode of the specification does, and touches neither input', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (target, patch) => {
        const [targetBefore, patchBefore] = [JSON.stringify(target), JSON.stringify(patch)]
        const result = mergePatch(target, patch)
        expect(result).toEqual(pseudocode(structuredClone(target), patch))
        expect(JSON.stringify(target)).toBe(targetBefore)
        expect(JSON.stringify(patch)).toBe(patchBefore)
        expect(sameJson(mergePatch(result, patch), result)).toBe(true)
      }),
    )
  })
})

describe('sameJson', () => {
  test.each<[Json, Json, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{ a: null }, {}, false],
    [{ a: null }, { b: null }, false],
    [[], {}, false],
    [null, {}, false],
    [1, '1', false],
    [json('{"__proto__":{}}'), {}, false],
    [json('{"__proto__":{}}'), { a: 1 }, false],
    [json('{"toString":1}'), json('{"valueOf":1}'), false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same)
    expect(sameJson(b, a)).toBe(same)
  })

  test('agrees with texts written in the order of names', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(sameJson(a, b)).toBe(sortedText(a) === sortedText(b))
        expect(sameJson(a, JSON.parse(sortedText(a)))).toBe(true)
      }),
    )
  })
})

describe('differencesBetween', () => {
  test('nested members are named by their path', () => {
    const before = { title: 'A', seo: { title: 'x', description: 'same' }, vendor: null }
    const after = { title: 'A', seo: { title: 'y', description: 'same' }, vendor: 'V' }
    expect(differencesBetween(before, after)).toEqual([
      { path: 'seo.title', before: 'x', after: 'y' },
      { path: 'vendor', before: null, after: 'V' },
    ])
  })

  test('absent members read null, and absent against null is no difference', () => {
    expect(differencesBetween({ a: 1, b: null }, { c: { d: 2 } })).toEqual([
      { path: 'a', before: 1, after: null },
      { path: 'c', before: null, after: { d: 2 } },
    ])
  })

  test('an array of scalars is one difference', () => {
    expect(differencesBetween({ tags: ['a', 'b'] }, { tags: ['a', 'c'] })).toEqual([
      { path: 'tags', before: ['a', 'b'], after: ['a', 'c'] },
    ])
  })

  test('an array of the same resources is compared by index', () => {
    const before = [
      { '@id': '/1', sku: 'a' },
      { '@id': '/2', sku: 'b' },
    ]
    const after = [
      { '@id': '/1', sku: 'a' },
      { '@id': '/2', sku: 'c' },
    ]
    expect(differencesBetween({ variants: before }, { variants: after })).toEqual([
      { path: 'variants[1].sku', before: 'b', after: 'c' },
    ])
  })

  test.each<[string, Json[], Json[]]>([
    ['other order', [{ '@id': '/1' }, { '@id': '/2' }], [{ '@id': '/2' }, { '@id': '/1' }]],
    ['other length', [{ '@id': '/1' }], [{ '@id': '/1' }, { '@id': '/2' }]],
    ['no ids', [{ alt: 'a' }], [{ alt: 'b' }]],
    ['objects against IRIs', [{ '@id': '/1' }], ['/1']],
  ])('an array that differs otherwise is one difference: %s', (_, before, after) => {
    expect(differencesBetween({ x: before }, { x: after })).toEqual([{ path: 'x', before, after }])
  })

  test('a relation to another resource is one difference', () => {
    const before = { '@id': '/api/categories/1', title: 'A' }
    const after = { '@id': '/api/categories/2', title: 'B' }
    expect(differencesBetween({ parent: before }, { parent: after })).toEqual([
      { path: 'parent', before, after },
    ])
  })

  test('names that would read as a path are quoted', () => {
    expect(differencesBetween({ fields: { 'a.b': 1, '': 2 } }, { fields: { 'a.b': 3, '': 4 } })).toEqual([
      { path: 'fields["a.b"]', before: 1, after: 3 },
      { path: 'fields[""]', before: 2, after: 4 },
    ])
  })

  test('hostile names are compared as members, not as prototypes', () => {
    expect(differencesBetween(json('{"__proto__":{"a":1},"constructor":1}'), {})).toEqual([
      { path: '__proto__', before: { a: 1 }, after: null },
      { path: 'constructor', before: 1, after: null },
    ])
  })

  test('equal documents have no differences', () => {
    fc.assert(
      fc.property(anyJson, (document) => {
        expect(differencesBetween(document, structuredClone(document))).toEqual([])
      }),
    )
  })

  test('each differs and has its own path, and swapping the documents swaps each difference', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (before, after) => {
        const differences = differencesBetween(before, after)
        for (const difference of differences)
          expect(sameJson(difference.before, difference.after)).toBe(false)
        expect(new Set(differences.map(({ path }) => path)).size).toBe(differences.length)
        const swapped = differencesBetween(after, before).map((difference) => ({
          path: difference.path,
          before: difference.after,
          after: difference.before,
        }))
        const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
        expect(swapped.sort(byPath)).toEqual(differences.toSorted(byPath))
      }),
    )
  })

  test('setting what changed, path by path, gives the document after', () => {
    const flat = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.nat(2), fc.array(fc.nat(1))))
    const document = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.oneof(fc.nat(2), flat))
    fc.assert(
      fc.property(document, document, (before, after) => {
        const rebuilt: Record<string, unknown> = structuredClone(before)
        for (const { path, after: value } of differencesBetween(before, after)) {
          const [name = '', inner] = path.split('.')
          const holder = inner === undefined ? rebuilt : (rebuilt[name] as Record<string, unknown>)
          if (value === null) delete holder[inner ?? name]
          else holder[inner ?? name] = value
        }
        expect(rebuilt).toEqual(after)
      }),
    )
  })
})

const anyJson = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1, 'a'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '@id', 'constructor', '__proto__'), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value

/** RFC 7396 §2, line by line, on maps, which have no reserved names. */
function pseudocode(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const start = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  const result = new Map<string, Json>(Object.entries(start))
  for (const [name, value] of Object.entries<Json>(patch as JsonObject)) {
    if (value === null) result.delete(name)
    else result.set(name, pseudocode(result.get(name), value))
  }
  return Object.fromEntries(result)
}

function sortedText(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function json(text: string): Json {
  return parseJson(text) as Json
}
