/** The documented examples are real: the service returns them for the documented requests. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coreProblems } from '../../src/core/problems/index.ts'
import { readExamples, readRefusals, readWebhooks } from '../../src/docs/examples.ts'
import { resources } from '../../src/resources/index.ts'
import { versions } from '../../src/versions/index.ts'
import { buildDocuments, type Service, startService } from '../replay/service.ts'
import {
  comparable,
  type Demo,
  type Documented,
  documentedProblems,
  documentedRequests,
  documentedWebhooks,
  independentOrder,
  openDemo,
  provoke,
  type Send,
} from './documented.ts'

let service: Service
beforeAll(async () => {
  buildDocuments()
  service = await startService()
})
afterAll(() => service.close())

test('each operation has an example with its own parameters', () => {
  const examples = readExamples()
  const operations = resources.flatMap((resource) => resource.operations)
  expect([...examples.keys()].toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
  const unknown = operations.flatMap(({ name, query }) =>
    Object.keys(examples.get(name)?.query ?? {}).filter((parameter) => !Object.hasOwn(query, parameter)),
  )
  expect(unknown).toEqual([])
})

/** Problems without an example: they need many requests or much time before, or a failure. */
const withoutExample = [
  ...[
    'category.too_deep',
    'event.expired',
    'event.too_large',
    'pricing.at_before_history',
    'webhook.withheld',
  ],
  ...['bulk_operation.too_many', 'bulk_operation.too_many_lines', 'bulk_operation.line_too_long'],
  ...['bulk_operation.not_ended', 'revert.expired', 'revert.too_many_changes'],
  ...['picture.not_found', 'picture.no_bucket', 'picture.storage_unavailable'],
]

test('each problem of a documented resource has an example, but for limits and failures', () => {
  const slugs = readRefusals().map(({ problem }) => problem)
  const documented = resources.filter(({ operations }) => operations.length > 0)
  const declared = documented.flatMap(({ problems }) => problems.map(({ slug }) => slug))
  const missing = [...new Set(declared)].filter((slug) => !slugs.includes(slug))
  expect(missing.filter((slug) => !withoutExample.includes(slug) && !slug.endsWith('limit'))).toEqual([])
  const known = [...declared, ...coreProblems.map(({ slug }) => slug)]
  expect(slugs.filter((slug) => !known.includes(slug))).toEqual([])
})

/** The oldest version has the renames of all others, the newest has none. The replay sends requests in each. */
const outermost = [versions[0]!, versions.at(-1)!]

describe.each(outermost.map(({ name }) => name))('in version %s', (version) => {
  test('each documented request returns the documented response', async () => {
    const { send } = await openDemo(service)
    for (const documented of independentOrder(documentedRequests(version))) {
      const { operation, status, response } = documented
      const received = await send(documented)
      expect
        .soft({ operation, status: received.status, body: comparable(received.text) })
        .toEqual({ operation, status, body: comparable(response) })
    }
  })

  test('the documented requests succeed in their order; each documented problem and webhook is what the service sends', async () => {
    const { failures, problems, webhooks } = await provoke(service, version, readWebhooks())
    expect(failures).toEqual([])
    expect(
      Object.fromEntries(problems.map(({ slug, received }) => [slug, comparable(received.text)])),
    ).toEqual(documentedProblems(version))
    expect(
      Object.fromEntries(webhooks.map(({ topic, body }) => [topic, comparable(JSON.stringify(body))])),
    ).toEqual(documentedWebhooks(version))
  })
})

describe('in the guide and the README', () => {
  const root = join(import.meta.dirname, '../..')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  let demo: Demo
  let send: Send
  beforeAll(async () => {
    demo = await openDemo(service)
    send = demo.send
  })
  const get = (path: string): Documented => ({
    ...{ operation: path, method: 'GET', path, headers: {}, body: null, status: 200, response: '' },
  })

  test('each request returns the response below it', async () => {
    const guide = globSync('src/docs/guide/*.md', { cwd: root }).map(read).join('\n')
    const requests = [
      ...guide.matchAll(/^(GET|POST) (\/api\S+)\n(\{.*\}\n)?```\n(?:[^`]*```json\n([^`]+)```)?/gm),
    ]
    expect(requests.length).toBeGreaterThan(2)
    for (const [, method = '', path = '', content, response = ''] of requests) {
      const headers = { 'content-type': 'application/json' }
      const received = await send(
        content ? { method, path, headers, body: content, response } : { ...get(path), response },
      )
      if (!content) expect(received.status, received.text).toBe(200)
      if (response) expect(comparable(received.text)).toBe(comparable(JSON.stringify(JSON.parse(response))))
    }
  })

  test('the subscription of the guide receives its webhook', async () => {
    const guide = read('src/docs/guide/4-events-and-webhooks.md')
    const body = /```json\n(\{"topic".*\})\n```/.exec(guide)?.[1] ?? ''
    const [, path = '', patch = ''] = /^PATCH (\S+)\n(.+)\n```/m.exec(guide) ?? []
    const [, target = '', head = '', payload = ''] =
      /```http\nPOST (\S+).*\n([^`]+)\n\n([^`]+)```/.exec(guide) ?? []
    const json = { 'content-type': 'application/json' }
    const created = await demo.send({
      ...{ method: 'POST', path: '/api/webhook_subscriptions', headers: json, body, response: '' },
    })
    expect(created.status, created.text).toBe(201)
    const type = { 'content-type': 'application/merge-patch+json' }
    service.takeWebhooks()
    await demo.send({ method: 'PATCH', path, headers: type, body: patch, response: '' })
    const [webhook] = service.takeWebhooks().filter(({ url }) => new URL(url).pathname === target)
    const lines = head.split('\n').map((line) => line.split(': '))
    const names = lines.map(([name = '', value]) => [name.toLowerCase(), value])
    const fields = (headers: object) => JSON.parse(comparable(JSON.stringify(headers)))
    const received = { host: new URL(webhook!.url).host, ...webhook!.headers }
    expect(fields(received)).toEqual(fields(Object.fromEntries(names)))
    expect(demo.asDocumented(webhook!.body, payload)).toEqual(JSON.stringify(JSON.parse(payload)))
  })

  test('the first requests of the tour return the responses that the README shortens', async () => {
    const readme = read('README.md')
    const paths = [...readme.matchAll(/call "\$SHOP([^"]+)"/g)].map(([, path = '']) => path)
    const shortened = [...readme.matchAll(/```json\n([^`]+)```/g)].map(([, text = '']) => JSON.parse(text))
    const [prices, priorPrices] = await Promise.all(
      paths.slice(0, 2).map(async (path) => JSON.parse((await send(get(path.replace('\\\n', '')))).text)),
    )
    expect(prices).toMatchObject(shortened[0])
    expect(priorPrices.member[0].variants[0]).toMatchObject(shortened[1])
    expect(shortened).toHaveLength(2)
  })
})
