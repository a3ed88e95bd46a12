/** Renames of properties over several versions, and the rules for every published rename. */

import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { resources } from '../resources/index.ts'
import { versions } from '../versions/index.ts'
import type { JsonObject } from './json.ts'
import { type Property, type Shape, writable } from './schema.ts'
import {
  buildApiVersions,
  fromVersion,
  pathTranslator,
  propertiesByName,
  toVersion,
  type Version,
} from './versions.ts'

const version = (name: string, breakingChanges: Version['breakingChanges'] = []): Version => ({
  name,
  released: `${name}-01`,
  sunset: null,
  breakingChanges,
})
const rename = (type: string, renames: Record<string, string>) => ({
  description: 'Rename it.',
  type,
  renames,
})

/** `size` was `length` before 2026-03 and `extent` before 2026-02. */
const apiVersions = buildApiVersions(
  [
    version('2026-01'),
    version('2026-02', [rename('Part', { length: 'extent' })]),
    version('2026-03', [rename('Part', { size: 'length' }), rename('Whole', { parts: 'pieces' })]),
    version('2026-04'),
  ],
  '2026-04',
)
const apiVersion = (name: string) => {
  const match = apiVersions.get(name)
  if (!match) throw new Error(`no version ${name}`)
  return match
}

const shapeOf = (type: string, properties: Record<string, Property>): Shape => ({
  type,
  description: '',
  collection: `/api/${type}`,
  readWith: null,
  properties,
})
const part = shapeOf('Part', { size: writable(z.int(), 'Its size.') })
const whole = shapeOf('Whole', {
  parts: writable(z.array(z.unknown()), 'Its parts.', { objectType: 'Part' }),
})
const shapes = new Map([part, whole].map((shape) => [shape.type, shape]))

const document: JsonObject = {
  '@type': 'Whole',
  parts: [
    { '@type': 'Part', size: 1 },
    { '@type': 'Other', size: 2 },
  ],
}

test('returns each name as the version of the caller has it, by the type of the object', () => {
  expect(toVersion(document, apiVersion('2026-04'))).toEqual(document)
  expect(toVersion(document, apiVersion('2026-02'))).toEqual({
    '@type': 'Whole',
    pieces: [
      { '@type': 'Part', length: 1 },
      { '@type': 'Other', size: 2 },
    ],
  })
  expect(toVersion(document, apiVersion('2026-01'))).toMatchObject({ pieces: [{ extent: 1 }, { size: 2 }] })
})

test('reads a body of an older version, and rejects names that only other versions use', () => {
  expect(fromVersion({ pieces: [{ extent: 1 }] }, whole, shapes, apiVersion('2026-01'))).toEqual({
    body: { parts: [{ size: 1 }] },
    violations: [],
  })
  const { body, violations } = fromVersion({ parts: [{ extent: 1 }] }, whole, shapes, apiVersion('2026-04'))
  expect(body).toEqual({ parts: [{ extent: 1 }] })
  expect(violations).toMatchObject([
    { propertyPath: 'parts[0].extent', values: { name: 'extent', rightName: 'size', version: '2026-04' } },
  ])
  expect(fromVersion({ parts: [] }, whole, shapes, apiVersion('2026-02')).violations).toMatchObject([
    { propertyPath: 'parts', values: { rightName: 'pieces' } },
  ])
})

test('keeps __proto__ a member of its own', () => {
  const body = JSON.parse('{"pieces": [{"__proto__": {"extent": 1}}]}')
  expect(JSON.stringify(fromVersion(body, whole, shapes, apiVersion('2026-01')).body)).toBe(
    '{"parts":[{"__proto__":{"extent":1}}]}',
  )
})

test('translates paths of violations through embedded objects, and leaves names of parameters', () => {
  const translate = pathTranslator(apiVersion('2026-01'), whole, shapes)
  expect(translate('parts[3].size')).toBe('pieces[3].extent')
  expect(translate('parts[3].other.size')).toBe('pieces[3].other.size')
  expect(translate('order[size]')).toBe('order[size]')
})

test('lists the properties of a shape by the names of the version', () => {
  expect(Object.keys(propertiesByName(part, apiVersion('2026-01')))).toEqual(['extent'])
  expect(Object.keys(propertiesByName(part, apiVersion('2026-03')))).toEqual(['size'])
})

describe('every published rename', () => {
  const renamed = versions.flatMap(({ name, breakingChanges }) =>
    breakingChanges.flatMap(({ type, renames }) =>
      Object.keys(renames).map((to) => [name, type, to] as const),
    ),
  )
  const properties = resources.flatMap(({ shape }) =>
    Object.entries(shape.properties).map(([name, property]) => ({ type: shape.type, name, property })),
  )

  test.for(renamed)(
    '%s renames %s.%s, which is neither translatable nor a query parameter',
    ([, type, name]) => {
      const property = properties.find((each) => each.type === type && each.name === name)?.property
      expect(property).toMatchObject({ translatable: false })
      const parameters = resources
        .filter(({ shape }) => shape.type === type)
        .flatMap(({ operations }) => operations.flatMap(({ query }) => Object.keys(query)))
      expect(parameters).toEqual(expect.not.arrayContaining([name, `order[${name}]`]))
    },
  )

  // Paths of `expand` and schemas of embedded objects are renamed without looking at their types.
  test.for(renamed)('%s renames %s.%s, a name that no other type has', ([, type, name]) => {
    expect(properties.filter((property) => property.name === name).map((property) => property.type)).toEqual([
      type,
    ])
  })
})
