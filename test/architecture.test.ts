/** The lines between the folders: what may import what. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const all = globSync('src/**/*.ts', { cwd: root, exclude: ['src/client/**'] })
/** Samples are data of the tests, told by each resource in its own folder. */
const isTest = (file: string) => /^test\/|\.test\.ts$|\/samples\.ts$/.test(file)
const files = all.filter((file) => !isTest(file))

/** Imports point only to the left. Doors stand side by side and never import each other. */
const order = [
  'db',
  'core',
  'versions',
  'resources',
  'docs',
  'env',
  'http|mcp|local',
  'app|housekeeping|webhook-runtime|worker',
]

/**
 * The groups of resources, each with those that it may import; one that is not told may import none, nor be imported. What lies
 * in `src/resources` itself may be imported by all.
 */
const groups: Record<string, readonly string[]> = {
  content: [],
  categories: ['content'],
  prices: ['categories'],
  products: ['content', 'categories', 'prices'],
  offers: ['categories', 'prices', 'products'],
  events: ['content', 'categories', 'products', 'offers'],
  webhooks: ['products', 'offers', 'events'],
  service: ['content', 'categories', 'prices', 'products', 'offers', 'events', 'webhooks'],
}

type Import = { from: string; specifier: string; target: string | null }

const imports = files.flatMap(importsOf)

function importsOf(from: string): Import[] {
  return [
    ...readFileSync(join(root, from), 'utf8').matchAll(
      /^(?:import|export)[^'"]*?from '([^']+)'|^import '([^']+)'/gms,
    ),
  ].map((found) => {
    const specifier = (found[1] ?? found[2])!
    const target = specifier.startsWith('.') ? relative(root, join(root, dirname(from), specifier)) : null
    return { from, specifier, target }
  })
}

const area = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '')
const rank = (file: string) => order.findIndex((names) => names.split('|').includes(area(file)))
const slice = (file: string) => /^src\/resources\/(.+)\/[^/]+$/.exec(file)?.[1]
const group = (file: string) => slice(file)?.split('/')[0]
const shown = ({ from, specifier }: Import) => `${from} imports ${specifier}`

test('imports point only left', () => {
  const wrong = imports.filter(({ from, target }) => target !== null && rank(target) > rank(from))
  expect(wrong.map(shown)).toEqual([])
})

test('doors never import each other', () => {
  const doors = ['http', 'mcp', 'local']
  const wrong = imports.filter(
    ({ from, target }) =>
      target !== null &&
      doors.includes(area(from)) &&
      doors.includes(area(target)) &&
      area(from) !== area(target),
  )
  expect(wrong.map(shown)).toEqual([])
})

test('a slice meets another only through its index, its problems or its IRIs', () => {
  const wrong = imports.filter(({ from, target }) => {
    if (target === null || !slice(from) || !slice(target) || slice(from) === slice(target)) return false
    return !/\/(index|problems|iri)\.ts$/.test(target)
  })
  expect(wrong.map(shown)).toEqual([])
})

test('a group of resources imports only those that it may', () => {
  const wrong = imports.filter(({ from, target }) => {
    if (target === null || !group(from) || !group(target) || group(from) === group(target)) return false
    return !groups[group(from)!]?.includes(group(target)!)
  })
  expect(wrong.map(shown)).toEqual([])
})

test('groups of resources have no cycle, and each that is told is there', () => {
  const told = Object.keys(groups)
  for (const [at, name] of told.entries())
    expect(told.slice(0, at)).toEqual(expect.arrayContaining([...groups[name]!]))
  expect([...new Set(files.flatMap((file) => group(file) ?? []))]).toEqual(expect.arrayContaining(told))
})

test('no file imports itself through others', () => {
  const graph = Map.groupBy(
    imports.filter((each) => each.target !== null),
    (each) => each.from,
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const { target } of graph.get(file) ?? []) visit(target!, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

const homes: Record<string, RegExp> = {
  hono: /^src\/(http\/|mcp\/|app\.ts|env\.ts|worker\.ts)/,
  '@hono/zod-validator': /^src\/http\//,
  'drizzle-orm': /^src\/(db\/|local\/recount\/|core\/(write|idempotency|page|listing|totals)\.ts|resources\/)/,
  'ipaddr.js': /^src\/resources\/webhooks\/subscriptions\//,
  jose: /^src\/(http\/(token|jwks)|local\/)/,
  '@neondatabase/serverless': /^src\/(db\/client\.ts|local\/)/,
  pg: /^src\/local\//,
}

test.each(Object.entries(homes))('%s is imported only where it belongs', (name, home) => {
  const used = imports.filter(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`))
  const typesOnly = (each: Import) =>
    readFileSync(join(root, each.from), 'utf8').includes(`import type { JSONWebKeySet } from '${name}'`)
  expect(used.filter((each) => !home.test(each.from) && !typesOnly(each)).map(shown)).toEqual([])
  expect(used.length).toBeGreaterThan(0)
})

test('nothing but the developer machine imports the local folder, and no code imports tests or samples', () => {
  const wrong = imports.filter(
    ({ from, target }) =>
      target !== null && ((area(target) === 'local' && area(from) !== 'local') || isTest(target)),
  )
  expect(wrong.map(shown)).toEqual([])
})

test('samples come in by the front door: they import other samples and the tests alone', () => {
  const samples = all.filter((file) => file.endsWith('/samples.ts')).flatMap(importsOf)
  expect(samples.filter(({ target }) => target === null || !isTest(target)).map(shown)).toEqual([])
  expect(samples.length).toBeGreaterThan(0)
})
