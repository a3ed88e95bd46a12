/**
 * A hostile integrator: random methods on every operation with random parameters, bodies and headers. For every request, no response
 * is a 5xx, every error is a problem of the catalogue without internals, and a rejected request changes nothing.
 * `FUZZ_SEED` and `FUZZ_RUNS` explore; a failure prints its seed and the shortest request that shows it.
 */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { resources } from '../../src/resources/index.ts'
import { faultsOf } from '../checklist/kinds.ts'
import { rows } from '../checklist/resources.ts'
import { openWorld, type World } from '../checklist/world.ts'
import { faultsIn } from '../support/ledger.ts'
import { type Sample, sampleCalls } from '../support/samples.ts'
import type { Reply } from '../support/shop.ts'
import { header, json, parameterNames, rawBody, text } from './values.ts'

const seed = Number(process.env.FUZZ_SEED ?? 20261121)
const runs = Number(process.env.FUZZ_RUNS ?? 300)
const limit = Number(process.env.FUZZ_TIME ?? 8_000)
const all = resources.flatMap((each) => each.operations)
/** Deletions are drawn less often, so that something is left to attack. */
const operations = [
  ...all,
  ...Array(3).fill(all.filter((each) => each.method !== 'DELETE')),
].flat() as Operation[]

const often = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.array(arbitrary, { maxLength: 2 })

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'get']
const checklistThings = ['parent', 'leaf', 'value', 'otherValue', 'variant', 'small', 'large', 'event']
const toolNames = ['list_categories', 'search_products', 'get_product']
const toolArguments = [
  ...['page', 'itemsPerPage', 'parent', 'locale', 'expand', '__proto__', 'x'],
  ...['id', 'handle', 'sku', 'q', 'categoryDescendants', 'resolveContext', 'explain'],
]

/** Undefined but for one time in so many. */
const rare = <Value>(times: number, arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const nothing = fc.constant(undefined)

/** `rude` is the form of the request; without it, the request goes to the right path and only its content is wrong. */
const attackOf = (rude: boolean) =>
  fc.record({
    operation: fc.nat(),
    thing: fc.nat(),
    method: rude ? rare(4, fc.constantFrom(...methods)) : nothing,
    id: rude ? rare(4, text) : nothing,
    query: rare(2, often(fc.tuple(fc.nat(), text))),
    members: often(fc.tuple(fc.nat(), json)),
    bulk: rare(8, fc.nat({ max: 5 })),
    raw: rude ? rare(6, rawBody) : nothing,
    headers: rude ? rare(2, fc.array(header, { minLength: 1, maxLength: 2 })) : nothing,
    caller: rude ? rare(4, fc.constantFrom('nobody', 'a person', 'a reader')) : nothing,
  })
const attack = fc.oneof(attackOf(false), attackOf(true))
type Attack = typeof attack extends fc.Arbitrary<infer Value> ? Value : never

let world: World
let sampleOf: (operation: Operation) => Sample
let iris: string[]
let codes: Map<string, { slug: string; httpStatus: number }>
let tokens: Record<string, string | null>

beforeAll(async () => {
  world = await openWorld()
  const { shop } = world
  sampleOf = await sampleCalls(shop)
  iris = [...new Set(all.flatMap(itemOf)), ...checklistThings.map(world.iri)]
  const body = await shop.read('/api/error-codes')
  codes = new Map(body.member.map((each: { code: string }) => [each.code, each]))
  tokens = {
    nobody: null,
    'a person': await shop.token({ sub: 'person', permissions: ['identity:products:*'] }),
    'a reader': await shop.token({ scope: 'products:read categories:read' }),
  }
})

/** The resource of an operation: its path up to the last parameter. */
function itemOf(operation: Operation): string[] {
  const { params } = sampleOf(operation)
  const [item] = /^.*\}/.exec(operation.path) ?? []
  return item ? [item.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')] : []
}

type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly token?: string | null
}

const pick = <Value>(values: readonly Value[], index: number) => values[index % values.length] as Value

/** The path of an operation on an existing resource. */
function pathOf(operation: Operation, { thing, id }: Attack): string {
  const end = operation.path.lastIndexOf('}') + 1
  const pattern = new RegExp(`^${operation.path.slice(0, end).replace(/\{\w+\}/g, '[^/]+')}$`)
  const there = iris.filter((each) => pattern.test(each))
  const found = there.length > 0 ? pick(there, thing) : operation.path.slice(0, end).replace(/\{\w+\}/g, 'x')
  const base = end === 0 ? '' : found
  const spelled = id === undefined || end === 0 ? base : base.replace(/[^/]*$/, encoded(id))
  return spelled + operation.path.slice(end)
}

/** Percent-encoded, but for half surrogates, which have no encoding and go as the broken bytes that they would be. */
function encoded(value: string): string {
  return encodeURIComponent(value.replace(/[\ud800-\udfff]/gu, '\uffff')).replaceAll('%EF%BF%BF', '%ED%A0%80')
}

function bodyOf(operation: Operation, { members, bulk }: Attack): unknown {
  if (!operation.body) return undefined
  const row = rows.find(({ type }) => type === operation.shape.type)
  const step = operation.body.mode
  const written = Object.entries(row?.writes ?? {}).flatMap(([name, write]) =>
    step in write ? [[name, world.fill(write[step])] as const] : [],
  )
  const good = row ? written : Object.entries(sampleOf(operation).body ?? {})
  const names = [
    ...Object.keys((operation.body.shape ?? operation.shape).properties),
    'childrens',
    '@id',
    'id',
    'x',
  ]
  const body = Object.fromEntries([...good, ...members.map(([index, value]) => [pick(names, index), value])])
  return bulk === undefined ? body : Array(bulk).fill(body)
}

function requestOf(each: Attack): Sent {
  const operation = pick(operations, each.operation)
  const names = [...Object.keys(operation.query), ...parameterNames]
  const query = (each.query ?? []).map(([index, value]) => {
    const name = pick(names, index)
    return `${name.startsWith('%') ? name : encodeURIComponent(name)}=${encoded(value)}`
  })
  const method = each.method ?? operation.method
  const bodiless = ['GET', 'HEAD', 'get'].includes(method)
  const body = bodiless ? undefined : (each.raw ?? bodyOf(operation, each))
  return {
    method,
    path: pathOf(operation, each) + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: Object.fromEntries(each.headers ?? []),
    ...(body !== undefined && { body }),
    ...(each.caller && { token: tokens[each.caller] ?? null }),
  }
}

/** The faults of a response to any request. */
function faultsIn_(sent: Sent, { status, headers, body, text: answered }: Reply): string[] {
  const faults: string[] = []
  if (status >= 500) faults.push(`status ${status}`)
  if (!headers.get('x-request-id')) faults.push('no X-Request-Id')
  if (!headers.get('link')?.includes('apiDocumentation')) faults.push('no Link')
  if (sent.method === 'HEAD') return faults
  if (status >= 400) {
    if (headers.get('content-type') !== 'application/problem+json') faults.push('no problem document')
    const kinds = {
      '@context': 'string',
      '@id': 'string',
      '@type': 'string',
      code: 'string',
      message: 'string',
    }
    faults.push(...faultsOf(kinds, body ?? {}))
    const code = codes.get(body?.code)
    if (code?.slug !== body?.slug || code?.httpStatus !== status || body?.status !== status)
      faults.push(`code ${body?.code} is not that of the catalogue`)
    if (body?.['@type'] === 'ConstraintViolation' && !(body.violations?.length > 0))
      faults.push('no violations')
    for (const each of body?.violations ?? [])
      if (codes.get(each.code)?.slug !== each.slug)
        faults.push(`violation ${each.code} is not that of the catalogue`)
    if (
      /\bselect .+ from\b|postgres|drizzle|node_modules|\bat \w+ \(|ZodError|TypeError|undefined/i.test(
        answered,
      )
    )
      faults.push('shows internals')
  } else if (
    status !== 204 &&
    status !== 304 &&
    sent.method !== 'OPTIONS' &&
    !sent.path.includes('/translations')
  ) {
    faults.push(
      ...faultsOf({ '@context': 'string or object', '@id': 'string', '@type': 'string' }, body ?? {}),
    )
  }
  return faults
}

const sequence = async () => {
  await world.shop.rest()
  const { headers } = await world.shop.get('/api/products?itemsPerPage=0', { status: 200 })
  return Number(headers.get('service-sequence'))
}

async function inTime<Value>(call: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in ten seconds')), 10_000)
  })
  return Promise.race([call, late]).finally(() => clearTimeout(timer))
}

test('whatever is sent is answered soundly, and what is refused changes nothing', async () => {
  const statuses: Record<number, number> = {}
  let before = await sequence()
  await fc.assert(
    fc.asyncProperty(attack, async (each) => {
      const sent = requestOf(each)
      const { method, path, ...asked } = sent
      const { token: _, ...visible } = asked
      const shown = `${method} ${path} ${JSON.stringify({ ...visible, caller: each.caller }).slice(0, 2000)}`
      const reply = await inTime(world.shop.request(method, path, asked)).catch((error: Error) => {
        throw new Error(`${shown}\n${error.message}`)
      })
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
      const faults = faultsIn_(sent, reply)
      const after = await sequence()
      const refused = reply.status >= 400 || ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase())
      if (refused && after !== before) faults.push(`the sequence went from ${before} to ${after}`)
      before = after
      const made = reply.headers.get('location')
      if (made) iris.push(made)
      expect(faults, `${shown}\n→ ${reply.status} ${reply.text.slice(0, 1500)}`).toEqual([])
    }),
    {
      seed,
      numRuns: runs,
      interruptAfterTimeLimit: limit,
      markInterruptAsFailure: false,
    },
  )
  if (process.env.FUZZ_RUNS) console.info(statuses)
  expect(await faultsIn(world.shop)).toEqual([])
}, 600_000)

/** A message to a server of tools, valid but for the random part. */
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 8, arbitrary: fc.constant('2.0') }, json),
    id: fc.oneof({ weight: 4, arbitrary: fc.nat() }, json),
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping') },
      text,
    ),
    params: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          name: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...toolNames) }, text),
          arguments: fc.oneof(
            { weight: 8, arbitrary: fc.dictionary(fc.constantFrom(...toolArguments), json, { maxKeys: 3 }) },
            json,
          ),
        }),
      },
      json,
    ),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
)

const knock = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT'),
  path: fc.oneof(
    { weight: 14, arbitrary: fc.constantFrom('/mcp', '/mcp/catalogue') },
    fc.constantFrom('/api', '/api/docs.jsonld', '/api/openapi.json', '/health', '/', '//', '/mcp/', '/api/'),
    text.map((each) => `/api/contexts/${encoded(each)}`),
    text.map((each) => `/api/requests/${encoded(each)}`),
    text.map((each) => `/.well-known/${encoded(each)}`),
    text.map((each) => `/api/openapi.json?version=${encoded(each)}`),
    text.map((each) => `/${encoded(each)}`),
  ),
  body: fc.oneof({ weight: 4, arbitrary: message }, fc.array(message, { maxLength: 3 }), rawBody),
  headers: rare(3, fc.array(header, { maxLength: 2 })),
  caller: rare(8, fc.constantFrom('nobody', 'a person', 'a reader')),
})

test('tools and the public documents withstand every request', async () => {
  const before = await sequence()
  const statuses: Record<number, number> = {}
  await fc.assert(
    fc.asyncProperty(knock, async ({ method, path, body, headers = [], caller }) => {
      const asked = {
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...Object.fromEntries(headers),
        },
        ...(!['GET', 'HEAD'].includes(method) && { body }),
        ...(caller && { token: tokens[caller] ?? null }),
      }
      const shown = `${method} ${path} ${JSON.stringify(asked.body)?.slice(0, 2000)} ${JSON.stringify(asked.headers)}`
      const reply = await inTime(world.shop.request(method, path, asked)).catch((error: Error) => {
        throw new Error(`${shown}\n${error.message}`)
      })
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
      expect(reply.text, shown).not.toMatch(/postgres|drizzle|node_modules|\bat \w+ \(|ZodError|TypeError/i)
    }),
    { seed, numRuns: Math.ceil(runs / 3), interruptAfterTimeLimit: limit, markInterruptAsFailure: false },
  )
  if (process.env.FUZZ_RUNS) console.info(statuses)
  expect(await sequence()).toBe(before)
}, 600_000)
