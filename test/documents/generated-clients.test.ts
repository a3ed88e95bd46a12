/** Clients that other generators make from the published OpenAPI document compile with `strict`, and run the tour of the README. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'

const root = join(import.meta.dirname, '../..')
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: folder }).catch((failed) => failed)

let door: Doorstep
let folder: string
let token: string
beforeAll(async () => {
  door = await openDoorstep()
  token = await door.shop.token()
  await door.shop.create('/api/products', {
    ...{ title: 'Brass desk lamp', status: 'ACTIVE', channels: ['web'] },
    variants: [{ sku: 'LAMP', saleOffers: [{ currency: 'EUR', amount: '105.00' }] }],
  })
  // In this tree, so that packages are found.
  mkdirSync(join(root, 'test/artefacts'), { recursive: true })
  folder = mkdtempSync(join(root, 'test/artefacts/generated-'))
  const headers = { 'Service-Api-Version': '2026-10' }
  const response = await fetch(`${door.origin}/api/openapi.json`, { headers })
  writeFileSync(join(folder, 'openapi.json'), await response.text())
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await door.close()
})

/** Each generator, with a program that its client compiles in. */
const generators = {
  'openapi-typescript': {
    generate: `import { readFileSync, writeFileSync } from 'node:fs'
import openapiTypes, { astToString } from 'openapi-typescript'
writeFileSync('paths.ts', astToString(await openapiTypes(readFileSync('openapi.json', 'utf8'))))`,
    program: `import createClient from 'openapi-fetch'
import type { paths } from './paths'
export async function tour({ baseUrl, token }: { baseUrl: string; token: string }) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } })
  const query = {
    q: 'lamp',
    'properties[]': ['title', 'variants'],
    'resolveContext[channel]': 'web',
    'resolveContext[country]': 'FR',
    'resolveContext[at]': '2026-12-01T00:00:00Z',
  }
  const { data: list } = await client.GET('/api/products', { params: { query } })
  const [lamp] = list?.member ?? []
  const created = await client.POST('/api/products', { body: { title: 'Rain jacket' } })
  if (!created.data || 'member' in created.data) throw new Error(created.error?.detail ?? '')
  const { '@id': resource, id = '' } = created.data
  const header = { 'If-Match': created.response.headers.get('ETag') ?? '' }
  const change = (body: { status?: 'ACTIVE'; vendor?: string }) =>
    client.PATCH('/api/products/{id}', {
      params: { path: { id }, header },
      body,
      headers: { 'Content-Type': 'application/merge-patch+json' },
    })
  const first = await change({ status: 'ACTIVE' })
  const second = await change({ vendor: 'Nimbus' })
  const { data: events } = await client.GET('/api/events', { params: { query: { resource } } })
  return {
    amount: lamp?.variants?.[0]?.resolvedPrice?.amount,
    status: first.data?.status,
    error: second.error?.slug,
    topics: events?.member.map(({ topic }) => topic),
  }
}`,
  },
  '@hey-api/openapi-ts': {
    generate: `import { createClient } from '@hey-api/openapi-ts'
await createClient({ input: 'openapi.json', output: 'hey', logs: { level: 'silent' } })`,
    program: `import { createProducts, listEvents, listProducts, patchProduct } from './hey'
import { client } from './hey/client.gen'
export async function tour({ baseUrl, token }: { baseUrl: string; token: string }) {
  client.setConfig({ baseUrl, auth: token })
  const { data: list } = await listProducts({
    query: {
      q: 'lamp',
      expand: ['children', 'priorPrice'],
      'properties[]': ['title', 'variants'],
      'resolveContext[channel]': 'web',
      'resolveContext[country]': 'FR',
      'resolveContext[at]': '2026-12-01T00:00:00Z',
    },
  })
  const [lamp] = list?.member ?? []
  const created = await createProducts({ body: { title: 'Rain jacket' } })
  if (!created.data || 'member' in created.data) throw new Error(created.error?.detail ?? '')
  const { '@id': resource, id = '' } = created.data
  const headers = { 'If-Match': created.response?.headers.get('ETag') ?? '' }
  const first = await patchProduct({ path: { id }, headers, body: { status: 'ACTIVE' } })
  const second = await patchProduct({ path: { id }, headers, body: { vendor: 'Nimbus' } })
  const { data: events } = await listEvents({ query: { resource } })
  return {
    amount: lamp?.variants?.[0]?.resolvedPrice?.amount,
    status: first.data?.status,
    error: second.error?.slug,
    topics: events?.member.map(({ topic }) => topic),
  }
}`,
  },
  orval: {
    generate: `import { generate } from 'orval'
const output = { target: 'orval.ts', client: 'fetch', baseUrl: process.argv.at(-1) }
await generate({ input: { target: 'openapi.json' }, output })`,
    program: `import { createProducts, listEvents, listProducts, patchProduct } from './orval'
export async function tour({ token }: { token: string }) {
  const headers = { Authorization: \`Bearer \${token}\` }
  const list = await listProducts(
    {
      q: 'lamp',
      'properties[]': ['title', 'variants'],
      'resolveContext[channel]': 'web',
      'resolveContext[country]': 'FR',
      'resolveContext[at]': '2026-12-01T00:00:00Z',
    },
    { headers },
  )
  if (list.status !== 200) throw new Error(\`\${list.status}\`)
  const [lamp] = list.data.member
  const created = await createProducts({ title: 'Rain jacket' }, {}, { headers })
  if (created.status !== 201 || 'member' in created.data) throw new Error(\`\${created.status}\`)
  const { '@id': resource, id = '' } = created.data
  const ifMatch = { headers: { ...headers, 'If-Match': created.headers.get('ETag') ?? '' } }
  const first = await patchProduct(id, { status: 'ACTIVE' }, {}, ifMatch)
  const second = await patchProduct(id, { vendor: 'Nimbus' }, {}, ifMatch)
  const events = await listEvents({ resource }, { headers })
  return {
    amount: lamp?.variants?.[0]?.resolvedPrice?.amount,
    status: first.status === 200 ? first.data.status : null,
    error: second.status === 412 ? second.data.slug : null,
    topics: events.status === 200 ? events.data.member.map(({ topic }) => topic) : [],
  }
}`,
  },
}

/** Resolves packages as the client does: Hey API 0.99 does not run with TypeScript 7. */
const resolution = `import { registerHooks } from 'node:module'
const parentURL = new URL('../../../src/client/package.json', import.meta.url).href
registerHooks({
  resolve: (name, context, next) =>
    next(name, /^(?:typescript|openapi-typescript|orval|@hey-api\\/openapi-ts)$/.test(name) ? { ...context, parentURL } : context),
})`

test.each(Object.entries(generators))('a client of %s', async (name, { generate, program }) => {
  const file = `tour-${name.replace(/\W/g, '')}`
  writeFileSync(join(folder, 'resolution.mjs'), resolution)
  writeFileSync(join(folder, `${file}.mjs`), generate)
  const generated = await run('--import', './resolution.mjs', `${file}.mjs`, door.origin)
  expect(generated.code ?? 0, `${generated.stdout}${generated.stderr}`).toBe(0)
  writeFileSync(join(folder, `${file}.ts`), program)
  const compilerOptions = {
    ...{
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
    },
    ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${file}.ts`] }))
  expect((await run(join(root, 'node_modules/typescript/bin/tsc'), '--project', folder)).stdout).toBe('')
  const { tour } = await import(/* @vite-ignore */ join(folder, `${file}.ts`))
  expect(await tour({ baseUrl: door.origin, token })).toEqual({
    amount: '105.00',
    status: 'ACTIVE',
    error: 'concurrency.version_mismatch',
    topics: ['product/created', 'product/updated'],
  })
})
