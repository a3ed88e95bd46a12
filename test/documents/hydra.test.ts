/** The Hydra documentation: every class, property and operation, and nothing that leads nowhere. */
import { beforeAll, describe, expect, test } from 'vitest'
import { anyType } from '../../src/core/schema.ts'
import { problemShapes } from '../../src/docs/problem-shapes.ts'
import { resources } from '../../src/resources/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { documentedVersions, operationsOf } from './published.ts'

type Node = ReturnType<typeof JSON.parse>

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

describe.each(documentedVersions)('in version %s', (version) => {
  let classes: Node[]
  let documentation: Node
  let entrypoint: Node
  beforeAll(async () => {
    const asked = { token: null, status: 200, version }
    documentation = (await shop.get('/api/docs.jsonld', asked)).body
    classes = documentation.supportedClass
    entrypoint = (await shop.get('/api', asked)).body
  })
  const supported = () => classes.flatMap((each) => each.supportedProperty)
  const operations = (): Node[] => [
    ...classes.flatMap((each) => each.supportedOperation),
    ...supported().flatMap(({ property }: Node) => property.supportedOperation ?? []),
  ]

  test('names the entrypoint, whose class it describes', () => {
    expect(documentation.entrypoint).toBe(entrypoint['@id'])
    const own = classes.find((each) => each['@id'] === `#${entrypoint['@type']}`)
    const members = Object.keys(entrypoint).filter((name) => !name.startsWith('@'))
    expect(own.supportedProperty.map(({ title }: Node) => title)).toEqual(members)
    for (const { property } of own.supportedProperty) {
      expect(property['@type']).toBe('Link')
      const [collection, { equivalentClass }] = property.range
      expect(collection).toBe('hydra:Collection')
      expect(equivalentClass.onProperty).toBe('hydra:member')
      expect(classes.map((each) => each['@id'])).toContain(equivalentClass.allValuesFrom)
    }
  })

  test('every member of the entrypoint is a list', async () => {
    for (const [name, path] of Object.entries(entrypoint).filter(([name]) => !name.startsWith('@'))) {
      const body = await shop.read(`${path}?itemsPerPage=0`, { version })
      expect(body['@type'], name).toBe('Collection')
    }
  })

  test('describes every type once', () => {
    const types = [...resources.map(({ shape }) => shape.type), 'Entrypoint', 'Error', 'ConstraintViolation']
    const described = classes.map((each) => each['@id'])
    expect(new Set(described).size).toBe(described.length)
    expect(described).toEqual(expect.arrayContaining(types.map((type) => `#${type}`)))
    expect(classes.filter(({ title, description }) => !title || !description)).toEqual([])
  })

  test('every property has a description', () => {
    for (const each of supported()) {
      expect(each).toMatchObject({
        '@type': 'SupportedProperty',
        title: expect.any(String),
        description: expect.any(String),
        required: expect.any(Boolean),
        readable: expect.any(Boolean),
        writeable: expect.any(Boolean),
      })
      expect(['Link', 'rdf:Property']).toContain(each.property['@type'])
      expect(each.property.range.length).toBeGreaterThan(0)
    }
    const ids = supported().map(({ property }: Node) => property['@id'])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('links lead to described classes', () => {
    const described = classes.map((each) => each['@id'])
    const targets = [
      ...supported().flatMap(({ property }: Node) => property.range),
      ...operations().flatMap(({ expects, returns }) => [expects ?? [], returns].flat()),
    ].filter((each) => typeof each === 'string' && each.startsWith('#'))
    expect(targets.filter((each) => !described.includes(each))).toEqual([])
    const links = supported().filter(({ property }: Node) => property['@type'] === 'Link')
    const vague = links.filter(({ property }: Node) => property.range[0] === 'hydra:Resource')
    const shapes = [...resources.map(({ shape }) => shape), ...problemShapes]
    const anywhere = shapes.flatMap((shape) =>
      Object.entries(shape.properties).flatMap(([name, { targetType }]) =>
        targetType === anyType ? [`#${shape.type}/${name}`] : [],
      ),
    )
    expect(vague.map(({ property }: Node) => property['@id'])).toEqual(anywhere)
  })

  test('every operation is described with its method, its title and what it returns', () => {
    const described = operations().map(({ method, title }) => `${method} ${title}`)
    const known = operationsOf(version).map(({ method, summary }) => `${method} ${summary}`)
    expect(described.toSorted()).toEqual([...known, 'GET Read the entrypoint'].sort())
    const documented = new Set(operations().map(({ description }) => description))
    const more = operationsOf(version).flatMap(({ summary, description }) =>
      description ? [`${summary}. ${description}`] : [],
    )
    expect(more.length).toBeGreaterThan(0)
    expect(more.filter((each) => !documented.has(each))).toEqual([])
    for (const { method, returns } of operations()) {
      if (method === 'DELETE') expect(returns).toBe('owl:Nothing')
      else expect(returns).not.toBe('owl:Nothing')
    }
    const writes = operations().filter(({ method }) => method === 'PATCH' || method === 'PUT')
    expect(writes.filter(({ expects }) => !expects)).toEqual([])
  })
})
