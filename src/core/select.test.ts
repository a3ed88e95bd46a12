import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from './json.ts'
import { parsePropertiesParameters, type Selection, select, selectionOf } from './select.ts'
import { parseJson } from './strict-json.ts'

describe('parsePropertiesParameters', () => {
  test.each<[query: string, paths: string[][]]>([
    ['properties[]=title', [['title']]],
    ['properties[]=title&properties[]=id', [['title'], ['id']]],
    ['properties[seo][]=title', [['seo', 'title']]],
    ['properties[a][b][]=c', [['a', 'b', 'c']]],
    ['properties[variants][*][]=sku', [['variants', '*', 'sku']]],
    ['properties[0]=title&properties[seo][1]=title', [['title'], ['seo', 'title']]],
    ['properties[__proto__][]=constructor', [['__proto__', 'constructor']]],
    ['properties[%40context][]=a%00b', [['@context', 'a\0b']]],
    ['page=1&property[]=a&properties=a&xproperties[]=a', []],
  ])('%s', (query, paths) => {
    expect(parsePropertiesParameters(new URLSearchParams(query))).toEqual({ paths, invalid: [] })
  })

  test.each([
    'properties[',
    'properties[a',
    'properties[a]',
    'properties[a]b[]',
    'properties[a][]x',
    'properties[][a][]',
  ])('malformed brackets are skipped: %s', (key) => {
    expect(parsePropertiesParameters([[key, 'title']])).toEqual({ paths: [], invalid: [] })
  })

  test.each([
    'properties[[a]][]',
    'properties[a]][]',
    'properties[a][]\n',
    'properties[]a[]',
    'properties[][',
  ])('unbalanced brackets are skipped: %j', (key) => {
    expect(parsePropertiesParameters([[key, 'title']])).toEqual({ paths: [], invalid: [] })
  })

  test('an empty name is skipped', () => {
    expect(parsePropertiesParameters([['properties[]', '']])).toEqual({ paths: [], invalid: [] })
  })

  test('eight segments are read, nine are named as invalid', () => {
    const seven = 'properties[a][b][c][d][e][f][g][]'
    const eight = 'properties[a][b][c][d][e][f][g][h][]'
    const { paths, invalid } = parsePropertiesParameters([
      [seven, 'h'],
      [eight, 'i'],
    ])
    expect(paths).toEqual([['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']])
    expect(invalid).toEqual([eight])
  })

  test('every path survives being written as a parameter', () => {
    const name = fc.stringMatching(/^[^[\]]+$/)
    fc.assert(
      fc.property(fc.array(fc.array(name, { minLength: 1, maxLength: 8 })), (paths) => {
        const entries = paths.map((path): [string, string] => [
          `properties${path
            .slice(0, -1)
            .map((segment) => `[${segment}]`)
            .join('')}[]`,
          path.at(-1) ?? '',
        ])
        expect(parsePropertiesParameters(entries)).toEqual({ paths, invalid: [] })
      }),
    )
  })

  test('a very long key is answered at once', () => {
    const long = `properties${'[a]'.repeat(50_000)}`
    const { paths, invalid } = parsePropertiesParameters([
      [long, 'x'],
      [`${long}[]`, 'x'],
    ])
    expect([paths.length, invalid.length]).toEqual([0, 1])
  })
})

describe('select', () => {
  test('names keep their members in the order of the document, with the identification', () => {
    expect(JSON.stringify(pick('seo.title', 'title'))).toBe(
      JSON.stringify({
        '@context': '/api/contexts/Product',
        '@id': '/api/products/1',
        '@type': 'Product',
        title: 'Shirt',
        seo: { title: 'Buy' },
      }),
    )
  })

  test('a name without children keeps its whole value, also with longer paths', () => {
    expect(pick('seo')).toMatchObject({ seo: product.seo })
    expect(pick('seo', 'seo.title')).toEqual(pick('seo'))
    expect(pick('seo.title', 'seo')).toEqual(pick('seo'))
  })

  test('unknown names are ignored', () => {
    expect(pick('nope', 'title.nope.nope', 'toString', 'constructor', '__proto__')).toEqual({
      ...identification,
      title: 'Shirt',
    })
  })

  test('a named object without other members keeps its identification', () => {
    expect(pick('seo.nope', 'variants.nope')).toEqual({
      ...identification,
      seo: {},
      variants: [
        { '@id': '/v/1', '@type': 'Variant' },
        { '@id': '/v/2', '@type': 'Variant' },
      ],
    })
  })

  test('arrays are traversed, named by a star or not', () => {
    const selected = pick('variants.sku')
    expect(selected.variants).toEqual([
      { '@id': '/v/1', '@type': 'Variant', sku: 'S' },
      { '@id': '/v/2', '@type': 'Variant', sku: 'M' },
    ])
    expect(pick('variants.*.sku')).toEqual(selected)
    expect(pick('variants.*')).toEqual(pick('variants'))
  })

  test('a star in an array is its element, not a property of the element', () => {
    expect(pick('variants.*.unit')).toEqual(pick('variants.nope'))
    expect(pick('variants.*.unit', 'variants.sku')).toEqual(pick('variants.sku'))
    expect(pick('variants.*.*.unit').variants).toEqual([
      { '@id': '/v/1', '@type': 'Variant', weight: { unit: 'g' } },
      { '@id': '/v/2', '@type': 'Variant' },
    ])
  })

  test('an IRI in the position of an object stays', () => {
    expect(pick('categories.title').categories).toEqual([
      { '@id': '/c/1', '@type': 'Category', title: 'Shirts' },
      '/c/2',
    ])
    expect(pick('categories.*.title')).toEqual(pick('categories.title'))
  })

  test('what a star leads to stays only where the rest of the path is found', () => {
    expect(pick('*.sku')).toEqual({ ...identification, variants: pick('variants.sku').variants })
    expect(pick('*.nope')).toEqual(identification)
    expect(pick('*.title')).toEqual({
      ...identification,
      seo: { title: 'Buy' },
      categories: [{ '@id': '/c/1', '@type': 'Category', title: 'Shirts' }],
    })
  })

  test('a star alone keeps everything', () => {
    expect(pick('*')).toEqual(product)
  })

  test('a star and a name that meet both count', () => {
    expect(pick('*.title', 'seo.description').seo).toEqual({ title: 'Buy', description: 'Now' })
    expect(pick('*.title', 'variants.sku').variants).toEqual(pick('variants.sku').variants)
  })

  test('keepId keeps the id of the document, not of its members', () => {
    const selected = select(product, selectionOf([['variants', 'sku']]), { keepId: true })
    expect(selected).toEqual({ id: '1', ...pick('variants.sku') })
  })

  test('no paths leave the identification, an empty path everything', () => {
    expect(select(product, selectionOf([]))).toEqual(identification)
    expect(select(product, selectionOf([[]]))).toEqual(product)
  })

  test('hostile names are selected as members and pollute nothing', () => {
    const document = parseJson('{"__proto__":{"isAdmin":true,"x":1},"title":"a"}') as JsonObject
    const selected = select(document, selectionOf([['__proto__', 'isAdmin']]))
    expect(JSON.stringify(selected)).toBe('{"__proto__":{"isAdmin":true}}')
    expect(selected.isAdmin).toBeUndefined()
  })

  test('paths full of stars cost no more than paths times members', () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
    const paths = Array.from({ length: 8 }, (_, level) =>
      names.map((name) => Array.from({ length: 8 }, (_, at) => (at === level ? name : '*'))),
    ).flat()
    let document: Json = 1
    for (let level = 0; level < 8; level++) {
      const inner: Json = document
      const width = level < 4 ? 4 : 3
      document = Object.fromEntries(names.slice(0, width).map((name) => [name, inner]))
    }
    // A selection that tried each combination of its 96 paths would not end.
    expect(select(document as JsonObject, selectionOf(paths))).toEqual(document)
  })

  test('the result is part of the document, in its order, without touching it', () => {
    fc.assert(
      fc.property(anyDocument, anyPaths, fc.boolean(), (document, paths, keepId) => {
        const before = JSON.stringify(document)
        const result = select(document, selectionOf(paths), { keepId })
        expectPart(result, document)
        expect(JSON.stringify(document)).toBe(before)
      }),
    )
  })

  test('selecting twice is selecting once', () => {
    fc.assert(
      fc.property(anyDocument, anyPaths, fc.boolean(), (document, paths, keepId) => {
        const selection: Selection = selectionOf(paths)
        const selected = select(document, selection, { keepId })
        expect(select(selected, selection, { keepId })).toEqual(selected)
      }),
    )
  })

  test('every object in the result has the identification that it has in the document', () => {
    fc.assert(
      fc.property(anyDocument, anyPaths, (document, paths) => {
        const result = select(document, selectionOf(paths))
        for (const name of ['@context', '@id', '@type']) {
          expect(Object.hasOwn(result, name)).toBe(Object.hasOwn(document, name))
          expect(result[name]).toEqual(document[name])
        }
      }),
    )
  })

  test('a scalar is in the result exactly when one of the paths leads to it', () => {
    fc.assert(
      fc.property(anyDocument, anyPaths, (document, paths) => {
        const whole = labelled(document) as JsonObject
        // The identifying members remain for any paths; another property checks them.
        const scalarPaths = (value: Json) =>
          scalarLocations(value).filter((location) => !location.includes('@'))
        const reached = scalarPaths(whole).filter((location) =>
          paths.some((path) => isReached(location.split('/'), path, true)),
        )
        expect(scalarPaths(select(whole, selectionOf(paths)))).toEqual(reached)
      }),
      { numRuns: 1000 },
    )
  })

  test('more paths never select less', () => {
    fc.assert(
      fc.property(anyDocument, anyPaths, anyPaths, (document, some, more) => {
        const [few, many] = [
          select(document, selectionOf(some)),
          select(document, selectionOf([...some, ...more])),
        ]
        expect(scalarCount(many)).toBeGreaterThanOrEqual(scalarCount(few))
      }),
    )
  })
})

const identification = { '@context': '/api/contexts/Product', '@id': '/api/products/1', '@type': 'Product' }
const product: JsonObject = {
  ...identification,
  id: '1',
  title: 'Shirt',
  tags: ['a', 'b'],
  seo: { title: 'Buy', description: 'Now' },
  variants: [
    { '@id': '/v/1', '@type': 'Variant', id: 'v1', sku: 'S', weight: { value: 1, unit: 'g' } },
    { '@id': '/v/2', '@type': 'Variant', id: 'v2', sku: 'M', weight: null },
  ],
  categories: [{ '@id': '/c/1', '@type': 'Category', title: 'Shirts', children: [] }, '/c/2'],
}

function pick(...paths: string[]): JsonObject {
  return select(product, selectionOf(paths.map((path) => path.split('.'))))
}

const names = ['a', 'b', 'c', 'id', '@id', '@context', '__proto__']
const anyValue = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, 1, 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value
const anyDocument = fc.dictionary(fc.constantFrom(...names), anyValue, {
  maxKeys: 5,
}) as fc.Arbitrary<JsonObject>
const anyPaths = fc.array(fc.array(fc.constantFrom('*', ...names), { minLength: 1, maxLength: 5 }), {
  maxLength: 5,
})

function expectPart(part: Json | undefined, whole: Json | undefined): void {
  if (Array.isArray(part)) {
    expect(Array.isArray(whole)).toBe(true)
    let from = 0
    for (const element of part as readonly Json[]) {
      const remaining = (whole as readonly Json[]).slice(from)
      const at = remaining.findIndex((candidate) => isPart(element, candidate))
      expect(at).toBeGreaterThanOrEqual(0)
      from += at + 1
    }
  } else if (typeof part === 'object' && part !== null) {
    const names = Object.keys(part)
    expect(Object.keys(whole as JsonObject).filter((name) => names.includes(name))).toEqual(names)
    for (const name of names) expectPart((part as JsonObject)[name], (whole as JsonObject)[name])
  } else expect(part).toBe(whole)
}

function isPart(part: Json, whole: Json): boolean {
  try {
    expectPart(part, whole)
    return true
  } catch {
    return false
  }
}

/** The document with every scalar replaced by its path; array elements are `[]`. */
function labelled(value: Json, location: readonly string[] = []): Json {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((element) => labelled(element, [...location, '[]']))
  if (typeof value !== 'object' || value === null) return location.join('/')
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, inner]) => [name, labelled(inner, [...location, name])]),
  )
}

function scalarLocations(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(scalarLocations) : []
}

function scalarCount(value: Json): number {
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner: Json) => sum + scalarCount(inner), 0)
    : 1
}

/** The selection rules for one scalar: whether a path ends at or above it, or continues but reached it through a name. */
function isReached(location: readonly string[], path: readonly string[], isNamed: boolean): boolean {
  const [name, ...remaining] = path
  if (name === undefined) return true
  const [step, ...further] = location
  if (step === undefined) return isNamed
  if (step === '[]') {
    return (
      (name === '*' && isReached(further, remaining, isNamed)) ||
      (name !== '*' && isReached(further, path, isNamed))
    )
  }
  if (name === '*') return isReached(further, remaining, false)
  return name === step && isReached(further, remaining, true)
}
