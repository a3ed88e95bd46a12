/** The OpenAPI document: complete, its examples taken by the service, and clean in the eyes of Redocly's linter. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shapesOf } from '../../src/core/access.ts'
import { ignoredMembersOfBody, readBody } from '../../src/core/body.ts'
import { fromVersion } from '../../src/core/versions.ts'
import { readExamples } from '../../src/docs/examples.ts'
import { unknownSelections } from '../../src/http/query.ts'
import { resources } from '../../src/resources/index.ts'
import { apiVersions } from '../../src/versions/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { documentedVersions, operationsOf, type Published, published } from './published.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

type Parameter = { $ref?: string; name: string; in: string; description?: string }

describe.each(documentedVersions)('in version %s', (version) => {
  let documents: Published
  beforeAll(async () => {
    documents = await published(shop, version)
  })
  const served = operationsOf(version)

  test('has every operation of the version once, under an id of its own', () => {
    const found = Object.entries<Record<string, { operationId?: string }>>(documents.document.paths).flatMap(
      ([path, item]) =>
        Object.entries(item).map(
          ([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`,
        ),
    )
    expect(found.toSorted()).toEqual(
      served.map(({ name, method, path }) => `${name}: ${method} ${path}`).sort(),
    )
    expect(new Set(served.map(({ name }) => name)).size).toBe(served.length)
  })

  test.each(served.map((each) => [each.name, each] as const))(
    '%s has its parameters and statuses',
    (_, operation) => {
      const { document } = documents
      const described = document.paths[operation.path][operation.method.toLowerCase()]
      const parameters: Parameter[] = described.parameters.map(({ $ref, ...own }: Parameter) =>
        $ref ? document.components.parameters[$ref.split('/').at(-1)!] : own,
      )
      const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
      const reduces = operation.answers === 'empty' ? [] : ['properties[]']
      const names = Object.keys(operation.query).map((name) => name.replace('[*][]', ''))
      expect(named('query')).toEqual([...names, ...reduces])
      expect(named('path')).toEqual([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      expect(named('header')).toEqual(expect.arrayContaining(['Service-Api-Version', 'Service-Locale']))
      expect(parameters.filter(({ description }) => !description)).toEqual([])
      expect(described.description).toContain(operation.summary)
      expect(described.description).toContain(operation.description ?? '')
      const statuses = Object.keys(described.responses)
      expect(statuses).toEqual(
        expect.arrayContaining(['400', '401', '404', '410', '414', '422', '429', '500', '503']),
      )
      expect(statuses.includes('403')).toBe(operation.scope !== null)
      const scopes = operation.scope === null ? [] : [operation.scope, ...(operation.alsoScopes ?? [])]
      expect(described.security).toEqual([{ bearer: scopes }])
    },
  )

  test('has schemas of JSON Schema alone, written ones too', () => {
    for (const name of Object.keys(documents.document.components.schemas)) documents.validator(name)
    for (const { schema } of Object.values<{ schema: object }>(documents.document.components.parameters))
      documents.validatorOf(schema)
  })

  test('explains the effects of writes only in the schemas of bodies', () => {
    const { Category, CategoryPatch, Product, ProductCreate } = documents.document.components.schemas
    const children = version < '2026-07' ? 'childrens' : 'children'
    const descriptionOf = ({ properties }: typeof Category, name: string) => properties[name].description
    expect(descriptionOf(Category, children)).toBe('The categories in it, in their order.')
    expect(descriptionOf(CategoryPatch, children)).toMatch(/order\. Those .+ become roots\.$/)
    expect(descriptionOf(Category, 'position')).not.toContain('-1')
    expect(descriptionOf(CategoryPatch, 'position')).toContain('-1 is the end')
    expect(descriptionOf(Product, 'handle')).not.toContain('absent')
    expect(descriptionOf(ProductCreate, 'handle')).toContain('when absent')
  })

  test('knows no name of another version', () => {
    const text = JSON.stringify(documents.document.components.schemas)
    const [known, unknown] = version < '2026-07' ? ['childrens', 'children'] : ['children', 'childrens']
    expect(text).toContain(`"${known}":`)
    expect(text).not.toContain(`"${unknown}":`)
    const [{ schema }] = documents.document.paths['/api/products'].get.parameters.filter(
      ({ name }: Parameter) => name === 'expand',
    )
    expect(schema.items.enum).toEqual([
      known,
      `${known}.${known}`,
      `${known}.${known}.${known}`,
      'priorPrice',
    ])
  })

  test('is there for every topic of a webhook, with a payload and the headers of a delivery', () => {
    const { webhooks, components } = documents.document
    expect(Object.keys(webhooks)).toEqual(
      expect.arrayContaining(['product/created', 'product/updated', 'product/deleted']),
    )
    for (const { post } of Object.values<{ post: { parameters: { $ref: string }[] } }>(webhooks)) {
      const names = post.parameters.map(({ $ref }) => components.parameters[$ref.split('/').at(-1)!].name)
      expect(names).toEqual(expect.arrayContaining(['webhook-id', 'webhook-timestamp', 'webhook-signature']))
    }
  })

  test('shows bodies that the service takes', () => {
    const apiVersion = apiVersions.get(version)!
    const shapes = new Map(resources.map(({ shape }) => [shape.type, shape]))
    const refused = served.flatMap(({ path, method, body, shape: own }) => {
      if (!body) return []
      const { content } = documents.document.paths[path][method.toLowerCase()].requestBody
      const [name] = Object.keys(Object.values<{ examples: object }>(content)[0]!.examples)
      const shape = body.shape ?? own
      const { value } = documents.document.components.examples[name!]
      // An element of a batch has two members that are no properties.
      const { '@id': _, version: _version, ...patch } = body.isBatch ? value[0] : value
      const upgraded = fromVersion(patch, shape, shapes, apiVersion)
      const { violations } = readBody(upgraded.body, shape, body.mode)
      const unknown = ignoredMembersOfBody(upgraded.body, shape, shapes, body.mode).map((each) =>
        each.path.join('.'),
      )
      const paths = [
        ...violations.map(({ propertyPath, problem }) => `${propertyPath} ${problem.slug}`),
        ...unknown,
      ]
      return [...paths, ...upgraded.violations].map((each) => `${method} ${path}: ${JSON.stringify(each)}`)
    })
    expect(refused).toEqual([])
  })
})

describe('Redocly', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'catalogue-openapi-'))
    for (const version of documentedVersions) {
      const { text } = await shop.get(`/api/openapi.json?version=${version}`, { token: null })
      await writeFile(join(directory, `${version}.json`), text)
    }
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test('finds nothing, not even under its strictest rules', async () => {
    const bin = join(import.meta.dirname, '../../node_modules/.bin/redocly')
    const files = documentedVersions.map((version) => `${version}.json`)
    const linted = await promisify(execFile)(
      bin,
      // An id is a UUID, so `/api/products/{id}/variants` and `/api/products/by-handle/{handle}` are different paths.
      [
        'lint',
        ...files,
        '--extends=recommended-strict',
        '--skip-rule=no-ambiguous-paths',
        '--format=stylish',
      ],
      {
        cwd: directory,
        env: {
          ...process.env,
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
          NO_COLOR: '1',
        },
      },
    ).catch((failed) => failed)
    expect(linted.code ?? 0, `${linted.stdout}${linted.stderr}`).toBe(0)
    expect(linted.stderr).toContain('Your API descriptions are valid')
  }, 60_000)
})

test('the body of a new resource names the default of each property', async () => {
  const { SaleOfferCreate, ProductCreate, ProductPatch } = (await published(shop, '2026-10')).document
    .components.schemas
  const offer = { priority: 0, minQuantity: 1, taxIncluded: true, status: '"ACTIVE"', countries: '[]' }
  for (const [name, value] of Object.entries(offer))
    expect(SaleOfferCreate.properties[name].description).toContain(`By default \`${value}\`.`)
  expect(ProductCreate.properties.status.description).toContain('By default `"DRAFT"`.')
  expect(ProductPatch.properties.status.description).not.toContain('By default')
})

test('every problem document has a message, a detail and a code', async () => {
  const { schemas } = (await published(shop, '2026-10')).document.components
  for (const { required } of [schemas.Error, schemas.ConstraintViolation])
    expect(required).toEqual(expect.arrayContaining(['message', 'detail', 'code', 'slug', 'status']))
})

test('the log of a delivery describes its attempts', async () => {
  const { document } = await published(shop, '2026-10')
  const { log } = document.components.schemas.WebhookDelivery.properties
  const names = ['number', 'callbackUrl', 'startedAt', 'httpStatus', 'latency', 'error', 'durations']
  expect(Object.keys(log.items.properties)).toEqual([...names, 'response'])
  expect(log.items.required).toEqual(names)
})

test('properties[] knows every member of the recorded responses', () => {
  const shapes = shapesOf(resources)
  const pathsOf = (value: unknown): string[][] =>
    value === null || typeof value !== 'object'
      ? []
      : Object.entries(value).flatMap(([name, inner]) =>
          [inner].flat().flatMap((each) => [[name], ...pathsOf(each).map((path) => [name, ...path])]),
        )
  let checked = 0
  for (const { operation: name, response } of readExamples().values()) {
    const operation = resources.flatMap(({ operations }) => operations).find((each) => each.name === name)!
    const { member = response } = Object(response)
    const paths = [member].flat().flatMap(pathsOf)
    checked += paths.length
    const unknown = unknownSelections(paths, operation.shape, shapes, apiVersions.get('2026-10')!)
    expect(unknown.map((each) => `${name}: ${each.name}`)).toEqual([])
  }
  expect(checked).toBeGreaterThan(1000)
})
