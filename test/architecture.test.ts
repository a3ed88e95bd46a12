/** The lines between the folders: what may import what. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const all = globSync('src/**/*.ts', { cwd: root, exclude: ['src/client/**'] })
const isTest = (file: string) => /^test\/|\.test\.ts$/.test(file)
const files = all.filter((file) => !isTest(file))

/** Imports point only to the left. Folders of one column never import each other. */
const order = [
  'db',
  'core',
  'versions',
  'resources',
  'docs',
  'env',
  'http|mcp|local',
  'background|app|worker|admin',
]

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
const folder = (file: string) => /^src\/resources\/(.+)\/[^/]+$/.exec(file)?.[1]
const shown = ({ from, specifier }: Import) => `${from} imports ${specifier}`

test('imports point only left', () => {
  const wrong = imports.filter(({ from, target }) => target !== null && rank(target) > rank(from))
  expect(wrong.map(shown)).toEqual([])
})

test('entry points never import each other', () => {
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

test('a resource imports no route, and no write, of another resource', () => {
  const wrong = imports.filter(({ from, target }) => {
    if (target === null || !folder(from) || !folder(target) || folder(from) === folder(target)) return false
    // A locale is removed from all resources; sale and purchase offers share their routes.
    if (folder(from) === 'shared' || folder(target) === 'offers') return false
    return /\/(operations|write)\.ts$/.test(target)
  })
  expect(wrong.map(shown)).toEqual([])
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
  'drizzle-orm':
    /^src\/(db\/|local\/(recount\.ts|transfer\/)|core\/(write|idempotency|paging|list-query|name-holders)\.ts|resources\/)/,
  'ipaddr.js': /^src\/(http\/rate-limit\.ts|resources\/webhooks\/subscriptions\/)/,
  jose: /^src\/(http\/(auth|jwt|jwks)\.ts|local\/)/,
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

test('only the developer machine imports the local folder, and no code imports tests', () => {
  const wrong = imports.filter(
    ({ from, target }) =>
      target !== null &&
      ((area(target) === 'local' && area(from) !== 'local' && !isSharedImport(from, target)) ||
        isTest(target)),
  )
  expect(wrong.map(shown)).toEqual([])
})

/** The page of /admin that imports a file reads it as `npm run import` does. */
const isSharedImport = (from: string, target: string) =>
  from.startsWith('src/admin/import/') && target.startsWith('src/local/import/')

test('what /admin imports runs in a browser', () => {
  const modules = new Set<string>()
  const visit = (file: string) => {
    if (modules.has(file)) return
    modules.add(file)
    for (const { target } of runtimeImports(file)) if (target) visit(target)
  }
  for (const file of files) if (file.startsWith('src/admin/import/')) visit(file)
  const wrong = [...modules].flatMap(runtimeImports).filter(({ specifier }) => specifier.startsWith('node:'))
  expect(wrong.map(shown)).toEqual([])
  expect(modules).toContain('src/local/import/csv.ts')
})

/** The imports of a file that exist at run time. */
function runtimeImports(from: string): Import[] {
  const typeOnly = [
    ...readFileSync(join(root, from), 'utf8').matchAll(/^import type [^'"]*? from '([^']+)'/gms),
  ].map(([, specifier]) => specifier)
  return from.endsWith('.ts') ? importsOf(from).filter(({ specifier }) => !typeOnly.includes(specifier)) : []
}

test('samples use the HTTP interface: they import other samples and the tests alone', () => {
  const samples = globSync('test/samples/*.ts', { cwd: root }).flatMap(importsOf)
  expect(samples.filter(({ target }) => target === null || !isTest(target)).map(shown)).toEqual([])
  expect(samples.length).toBeGreaterThan(0)
})
