/** Documents and bodies between versions: each direction undoes the other, whatever is in them. Pure. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { BreakingChange } from './breaking-change.ts'
import { textOf } from './document.ts'
import type { Json, JsonObject } from './json.ts'
import { shapeIn } from './ladder.ts'
import { type Shape, writable } from './property.ts'
import { reachOf } from './reach.ts'
import { rendererOf } from './render.ts'
import { Sight } from './sight.ts'
import { type Dialect, dialectsOf } from './version.ts'
import { differencesIn } from './version-differences.ts'
import { translatePath } from './version-path.ts'
import { downgrade, membersIn, upgrade } from './versioned.ts'

const text = (schema: z.ZodType) => writable(schema, 'A property.')
const colours = ['RED', 'GREEN', 'BLUE'] as const

const thing: Shape = {
  type: 'Thing',
  description: 'A thing.',
  collection: '/api/things',
  readWith: null,
  properties: {
    title: text(z.string()),
    colour: text(z.enum(colours)),
    colours: text(z.array(z.object({ name: z.enum(colours) }))),
    seo: text(
      z.object({ title: z.string().nullable().optional(), description: z.string().nullable().optional() }),
    ),
    width: text(z.int()),
    height: text(z.int()),
    labels: text(z.array(z.string())),
    minimum: text(z.int()),
    maximum: text(z.int()),
    parts: writable(z.array(z.unknown()), 'Things within.', { of: 'Thing' }),
  },
}
const shapes = new Map([['Thing', thing]])

const breakingChanges: BreakingChange[][] = [
  [
    {
      description: '',
      type: 'Thing',
      renames: { name: 'label', pieces: 'bits', shout: 'cry' },
      values: { color: { CYAN: 'AZURE' } },
      removals: {
        area: {
          schema: z.int(),
          taken: false,
          from: ['size'],
          value: ({ size }) => areaOf(size),
        },
      },
    },
  ],
  [
    {
      description: '',
      type: 'Thing',
      renames: { title: 'name', colour: 'color', parts: 'pieces' },
      // RED and GREEN have changed places.
      values: { colour: { BLUE: 'CYAN', RED: 'GREEN', GREEN: 'RED' }, 'colours.name': { RED: 'ROUGE' } },
      moves: { 'seo.title': 'seoTitle', width: 'size.width', height: 'size.height' },
      rewrites: [
        {
          after: ['labels'],
          before: { labels: z.string() },
          down: ({ labels }) => ({ labels: JSON.stringify(labels) }),
          up: ({ labels }) => ({ labels: JSON.parse(String(labels)) }),
        },
        {
          after: ['minimum', 'maximum'],
          before: { range: z.array(z.int().nullable()) },
          down: ({ minimum = null, maximum = null }) => ({ range: [minimum, maximum] }),
          up: ({ range }) => {
            const [minimum = null, maximum = null] = range as readonly (number | null)[]
            return { minimum, maximum }
          },
        },
      ],
      removals: {
        shout: {
          schema: z.string(),
          taken: true,
          from: ['title'],
          value: ({ title }) => String(title).toUpperCase(),
        },
        span: {
          schema: z.int(),
          taken: false,
          from: ['minimum', 'maximum'],
          value: ({ minimum, maximum }) => Number(maximum) - Number(minimum),
        },
        origin: { schema: z.string(), taken: true, value: 'here' },
      },
    },
  ],
]

function areaOf(size: Json | undefined): number {
  const { width, height } = z.object({ width: z.int().nullish(), height: z.int().nullish() }).parse(size)
  return (width ?? 0) * (height ?? 0)
}

const version = (name: string, each: readonly BreakingChange[] = []) => ({
  name,
  released: null,
  sunset: null,
  breakingChanges: each,
})
const dialects = dialectsOf(
  [version('1'), version('2', breakingChanges[0]), version('3', breakingChanges[1])],
  '3',
)

const nullable = <Value>(each: fc.Arbitrary<Value>) => fc.option(each, { nil: null })
const both = <Key extends string>(arbitrary: Record<Key, fc.Arbitrary<Json>>) => fc.record(arbitrary)
const colour = fc.constantFrom(...colours)

const { things } = fc.letrec<{ things: JsonObject }>((tie) => ({
  things: fc
    .tuple(
      fc.record(
        {
          title: nullable(fc.string()),
          colour: nullable(colour),
          colours: fc.array(fc.record({ name: colour }), { maxLength: 3 }),
          seo: nullable(fc.record({ title: nullable(fc.string()), description: nullable(fc.string()) })),
          width: nullable(fc.integer()),
          height: nullable(fc.integer()),
          labels: nullable(fc.array(fc.string(), { maxLength: 3 })),
          other: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
        },
        { requiredKeys: [] },
      ),
      fc.option(both({ minimum: nullable(fc.integer()), maximum: nullable(fc.integer()) }), { nil: {} }),
      fc.option(fc.record({ parts: fc.array(tie('things'), { maxLength: 2 }) }), { nil: {}, maxDepth: 2 }),
    )
    .map(([own, range, parts]) => ({ '@type': 'Thing', ...own, ...range, ...parts }) as JsonObject),
}))

test.each([...dialects])('in version %s a document that is sent back is what it was', (_, dialect) => {
  fc.assert(
    fc.property(things, (document) => {
      const shown = downgrade(document, dialect, shapes)
      const { body, violations } = upgrade(shown, thing, shapes, dialect, 'patch')
      expect(violations).toEqual([])
      expect(body).toEqual(document)
    }),
    { numRuns: 300 },
  )
})

test.each([...dialects])('in version %s a document has the properties of the version alone', (_, dialect) => {
  const known = new Set([...Object.keys(shapeIn(thing, dialect).properties), '@type', 'other'])
  fc.assert(
    fc.property(things, (document) => {
      const unknown = Object.keys(membersIn(document, dialect, shapes)).filter((each) => !known.has(each))
      expect(unknown).toEqual([])
    }),
  )
})

test.each([...dialects])('in version %s every path goes there and back', (_, dialect) => {
  const within = ['title', 'colour', 'seo.title', 'seo.description', 'width', 'height'].map((each) =>
    each.split('.'),
  )
  const path = fc
    .tuple(fc.array(fc.nat(9), { maxLength: 3 }), fc.constantFrom(...within))
    .map(([places, names]) => [...places.flatMap((place) => ['parts', place]), ...names])
  fc.assert(
    fc.property(path, (today) => {
      const spoken = translatePath(today, thing, shapes, dialect, 'version')
      expect(translatePath(spoken, thing, shapes, dialect, 'today')).toEqual(today)
    }),
  )
})

test('what names and places were in the oldest version', () => {
  const oldest = dialects.get('1')!
  const document = {
    '@type': 'Thing',
    title: 'T',
    colour: 'BLUE',
    seo: { title: 'S', description: 'D' },
    width: 1,
    parts: [{ '@type': 'Thing', title: 'P' }],
  }
  expect(downgrade(document, oldest, shapes)).toEqual({
    '@type': 'Thing',
    label: 'T',
    color: 'AZURE',
    seo: { description: 'D' },
    seoTitle: 'S',
    size: { width: 1 },
    bits: [{ '@type': 'Thing', label: 'P', cry: 'P', origin: 'here' }],
    cry: 'T',
    origin: 'here',
    area: 0,
  })
  expect(translatePath(['parts', 0, 'seo', 'title'], thing, shapes, oldest, 'version')).toEqual([
    'bits',
    0,
    'seoTitle',
  ])
  expect(Object.keys(shapeIn(thing, oldest).properties).sort()).toEqual(
    [
      ...['bits', 'color', 'colours', 'label', 'labels', 'range', 'seo', 'seoTitle', 'size'],
      ...['area', 'cry', 'origin', 'span'],
    ].sort(),
  )
})

test('what there is no more follows from all that it is made of, and is said of nothing that shows no property', () => {
  const newer = dialects.get('2')!
  const shown = (members: JsonObject) => downgrade({ '@type': 'Thing', ...members }, newer, shapes)
  expect(shown({ minimum: 2, maximum: 5 })).toMatchObject({ span: 3, origin: 'here' })
  expect(shown({ minimum: null, maximum: 5 })).toMatchObject({ span: 5 })
  expect(shown({ minimum: null, maximum: null, title: null })).toMatchObject({ span: null, shout: null })
  expect(shown({ maximum: 5 })).not.toHaveProperty('span')
  expect(shown({ '@id': '/api/things/1', id: '1' })).toEqual({
    '@type': 'Thing',
    '@id': '/api/things/1',
    id: '1',
  })
})

test('what there is no more is taken or passed over, wherever it was sent', () => {
  const oldest = dialects.get('1')!
  const body = { label: 'T', cry: 7, origin: 'x', area: 4, span: 0, bits: [{ cry: 'p', area: 1 }] }
  const { body: today, violations, passedOver } = upgrade(body, thing, shapes, oldest, 'create')
  expect(today).toEqual({ title: 'T', parts: [{}] })
  expect(violations.map(({ propertyPath, problem }) => [propertyPath, problem.slug])).toEqual([
    ['cry', 'validation.type'],
  ])
  const told = { readOnly: true, removed: true }
  expect(passedOver).toEqual([
    { ...told, path: ['area'], value: 4 },
    { ...told, path: ['span'], value: 0 },
    { ...told, path: ['bits', 0, 'area'], value: 1 },
  ])
})

test('a difference of a property is one of what followed from it, a difference of a part is not', () => {
  const oldest = dialects.get('1')!
  const told = (path: string, before: Json, after: Json) =>
    differencesIn({ path, before, after }, thing, shapes, oldest)
  expect(told('title', 'a', 'b')).toEqual([
    { path: 'label', before: 'a', after: 'b' },
    { path: 'cry', before: 'A', after: 'B' },
  ])
  expect(told('width', 1, 2)).toEqual([{ path: 'size.width', before: 1, after: 2 }])
  expect(told('minimum', 1, 2).map(({ path }) => path)).not.toContain('span')
  expect(told('seo.description', 'a', 'b')).toEqual([{ path: 'seo.description', before: 'a', after: 'b' }])
})

test('a version knows what it removed under none of its names', () => {
  const places = (name: string) => dialects.get(name)!.wrongPlaces.get('Thing')!
  const wrong = (name: string) => places(name).map((each) => [each.wrong.join('.'), each.right.join('.')])
  expect(wrong('3').flat()).not.toContain('cry')
  expect(wrong('2')).toContainEqual(['cry', 'shout'])
  expect(wrong('1')).toContainEqual(['shout', 'cry'])
})

test('a form that a rewrite’s schema does not take is told, in the place that it was sent to', () => {
  const body = { parts: [], labels: 7, range: ['x'] }
  const { violations } = upgrade([body], thing, shapes, dialects.get('2')!, 'create')
  expect(violations.map(({ propertyPath, problem }) => [propertyPath, problem.slug])).toEqual([
    ['[0].parts', 'version.renamed_property'],
    ['[0].labels', 'validation.type'],
    ['[0].range[0]', 'validation.type'],
  ])
})

test('a document that a version does not show otherwise stays text', () => {
  const removed = [
    {
      description: '',
      type: 'Thing',
      removals: { old: { schema: z.string(), taken: false, value: '' } },
    },
  ]
  const standard = [{ description: '', type: 'Thing', defaults: { width: 1 } }]
  const dialect = dialectsOf([version('1'), version('2', standard)], '2').get('1')!
  const reach = reachOf({ shape: thing }, shapes)
  const rendered = (each: Dialect) =>
    rendererOf({ dialect: each, sight: Sight.from([]), selection: null }, reach)
  expect(rendered(dialects.get('3')!)).toBe(textOf)
  expect(rendered(dialect)).toBe(textOf)
  expect(rendered(dialects.get('2')!)).not.toBe(textOf)
  expect(rendered(dialectsOf([version('1'), version('2', removed)], '2').get('1')!)).not.toBe(textOf)
})

test('what does not fit the type fails when it is first asked for', () => {
  const broken = (breakingChange: Partial<BreakingChange>) => {
    const each = dialectsOf(
      [version('1'), version('2', [{ description: '', type: 'Thing', ...breakingChange }])],
      '2',
    )
    return () => shapeIn(thing, each.get('1')!)
  }
  expect(broken({ values: { nothing: {} } })).toThrow('nothing')
  expect(broken({ moves: { 'title.part': 'part' } })).toThrow('part')
  expect(broken({ defaults: { nothing: 1 } })).toThrow('nothing')
  const removal = { schema: z.string(), taken: true, value: '' } as const
  expect(broken({ removals: { title: removal } })).toThrow('title')
  expect(broken({ renames: { title: 'name' }, removals: { name: removal } })).toThrow('name')
  const derived = { ...removal, from: ['nothing'], value: () => '' } as const
  expect(broken({ removals: { other: derived } })).toThrow('nothing')
})
