/** The documented requests: reads them from an OpenAPI document, and sends them to a demo catalogue. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { type RecordedWebhook, readRefusals } from '../../src/docs/examples.ts'
import { documentOf } from '../../src/docs/generate.ts'
import { transaction } from '../../src/local/cli/database.ts'
import { restoreDemo } from '../../src/local/demo.ts'
import { demoTenants, ensureTenant } from '../../src/local/local-tenants.ts'
import { beginEpoch } from '../../src/local/recover.ts'
import { allScopes, resources } from '../../src/resources/index.ts'
import { apiVersionNamed } from '../../src/versions/index.ts'
import type { Received, Service } from '../replay/service.ts'

type Node = ReturnType<typeof JSON.parse>

/** A request as an OpenAPI document describes it, with its documented response. */
export type Documented = {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The documented status of success. */
  readonly status: number
  /** The documented body of the response; empty without one. */
  readonly response: string
}

function openApiOf(version: string): Node {
  const publication = { resources, origin: 'http://localhost:8787', everyName: false }
  return JSON.parse(documentOf('openapi', { ...publication, apiVersion: apiVersionNamed(version) })!)
}

/** The examples of problems by slug, as texts to compare. */
export function documentedProblems(version: string): Readonly<Record<string, string>> {
  const { responses }: Node = openApiOf(version).components
  const examples = Object.values<Node>(responses).flatMap(({ content }) =>
    Object.entries<Node>(content['application/problem+json'].examples ?? {}),
  )
  return Object.fromEntries(examples.map(([slug, { value }]) => [slug, comparable(JSON.stringify(value))]))
}

/** The examples of webhooks by topic, as texts to compare. */
export function documentedWebhooks(version: string): Readonly<Record<string, string>> {
  const { webhooks, components }: Node = openApiOf(version)
  const bodies = Object.entries<Node>(webhooks).map(([topic, { post }]) => {
    const [example]: Node[] = Object.values(post.requestBody.content['application/json'].examples)
    const { value } = components.examples[example.$ref.split('/').at(-1)]
    return [topic, comparable(JSON.stringify(value))]
  })
  return Object.fromEntries(bodies)
}

/** The requests of a version's OpenAPI document, in its order. */
export function documentedRequests(version: string): Documented[] {
  const { paths, components } = openApiOf(version)
  const exampleIn = ({ examples = {} }: Node): string | null => {
    const [example] = Object.values<Node>(examples)
    if (!example) return null
    const { value } = components.examples[example.$ref.split('/').at(-1)]
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  return Object.entries<Node>(paths).flatMap(([path, item]) =>
    Object.entries<Node>(item).map(([method, { operationId, parameters, requestBody, responses }]) => {
      const given: Node[] = parameters.filter(({ example }: Node) => example !== undefined)
      const query = given.filter((parameter) => parameter.in === 'query')
      const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)]))
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, name) => given.find((each) => each.name === name)?.example,
      )
      const [type, content] = Object.entries<Node>(requestBody?.content ?? {})[0] ?? []
      // The response of a dry run comes before the 204 of an operation without a document.
      const successes = Object.entries<Node>(responses).filter(
        ([code]) => code < '300' && (!responses['204'] || code === '204'),
      )
      const isRecorded = ([, { content = {} }]: [string, Node]) =>
        Object.values<Node>(content).some(({ examples }) => examples)
      const [status, { content: answers = {} }] = successes.find(isRecorded) ?? successes[0]!
      const [answer = {}] = Object.values<Node>(answers)
      const body = content ? exampleIn(content) : null
      const isFile = body !== null && /^image\/|ndjson$/.test(type ?? '')
      return {
        operation: operationId,
        method: method.toUpperCase(),
        path: search.size === 0 ? filled : `${filled}?${search}`,
        headers: {
          'service-api-version': version,
          ...(type && { 'content-type': type }),
          ...(isFile && { 'content-length': String(body.length) }),
        },
        body,
        status: Number(status),
        response: exampleIn(answer) ?? '',
      }
    }),
  )
}

/** Reads first, then actions of webhooks, then the other writes: so each response is that of a new demo catalogue. */
export function independentOrder(requests: readonly Documented[]): Documented[] {
  const rank = ({ method, path }: Documented) =>
    method === 'GET' ? 0 : method === 'POST' && path.startsWith('/api/webhook_subscriptions/') ? 1 : 2
  return requests.toSorted((a, b) => rank(a) - rank(b))
}

/** Sends a documented request. The response has the ids of the documents for rows that earlier requests have created. */
export type Send = (documented: Omit<Documented, 'operation' | 'status'>) => Promise<Received>

/** A tenant with the demo catalogue of acme. */
export type Demo = {
  readonly send: Send
  /** A text with the ids and the host of the documents. Ids are learned from the documented text. */
  readonly asDocumented: (text: string, documented: string) => string
  readonly token: Service['token']
  readonly tenantId: string
}

/** Opens a tenant with the demo catalogue of acme. */
export async function openDemo(service: Service): Promise<Demo> {
  const id = uuidv7()
  const host = `${id.replaceAll('-', '')}.test`
  const addresses = { issuer: `https://login.${host}/`, audience: `https://${host}/api` }
  await ensureTenant(
    service.owner,
    { ...demoTenants[0]!, id, host, ...addresses },
    { keys: [...service.keys] },
  )
  await restoreDemo(service.owner, 'acme', { tenantId: id, port: 8787 })
  const token = await service.token(host, { scope: allScopes.join(' ') })
  const todaysIds = new Map<string, string>()
  const asDocumented = (text: string, documentedText: string) => {
    const found = text.match(uuids) ?? []
    for (const [index, documented] of (documentedText.match(uuids) ?? []).entries()) {
      const current = found[index]
      if (current !== undefined && !demo.includes(documented) && !todaysIds.has(documented))
        todaysIds.set(documented, current)
    }
    const documentedIds = new Map([...todaysIds].map(([documented, current]) => [current, documented]))
    return replaceIds(text, documentedIds).replaceAll(host, 'localhost:8787')
  }
  const send: Send = async ({ method, path, headers, body, response }) => {
    const received = await service.send(host, {
      method,
      path: replaceIds(path, todaysIds),
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== null && { body: replaceIds(body, todaysIds) }),
    })
    // A replay leaves its deliveries to the next minute.
    if (path.endsWith('/replay')) await service.runScheduled()
    // A read returns the ids of the demo catalogue, and those of rows that earlier writes have created.
    const isRead = method === 'GET' && received.status === 200
    return { ...received, text: asDocumented(received.text, isRead ? '' : response) }
  }
  return { send, asDocumented, token: (_, claims) => service.token(host, claims), tenantId: id }
}

const demo = readFileSync(join(import.meta.dirname, '../../src/local/demo/acme.ndjson'), 'utf8')
const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const replaceIds = (text: string, ids: ReadonlyMap<string, string>) =>
  text.replace(uuids, (id) => ids.get(id) ?? id)

/** The slug of a problem document. */
export function sluggedProblem(text: string): string {
  return JSON.parse(text).slug
}

/** The text of a response without the values that differ between two equal requests. */
export function comparable(text: string): string {
  return text
    .replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!000000)\d{6}Z/g, '<time>')
    .replace(/(?<="apiVersion":")[^"]+/g, '<version>')
    .replace(/whsec_[\w+/=]+|v1,[\w+/=]+|(?<=\b00-)[0-9a-f]{32}-[0-9a-f]{16}/g, '<random>')
    .replace(
      /(?<="(?:latency|epoch|linesPerSecond|address|headers|body)":)[\d.]+|(?<="webhook-timestamp":")\d+/g,
      '<number>',
    )
    .replace(/(?<="(?:webhook-id|service-sequence|webhook-timestamp)":")[^"]+/g, '<delivery>')
    .replace(/(?<=[?&]cursor=|#prices-|"cursor":")[\w-]+/g, '<cursor>')
}

/**
 * Sends the documented requests in the order of the document, then those that are refused. Returns the requests that failed, the problems
 * of the refused ones, and the first webhook of each topic.
 */
export async function provoke(
  service: Service,
  version: string,
  recorded: readonly RecordedWebhook[],
): Promise<{
  failures: string[]
  problems: { slug: string; received: Received }[]
  webhooks: RecordedWebhook[]
}> {
  const { send, asDocumented, token, tenantId } = await openDemo(service)
  const callbackUrl = 'https://receiver.example.com/catalogue'
  const sendRequest = (
    request: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    response = '',
  ) => {
    const [method = '', path = ''] = request.split(' ')
    const patchType = Array.isArray(body)
      ? 'application/vnd.catalogue.batch+json'
      : 'application/merge-patch+json'
    const type = method === 'PATCH' ? patchType : 'application/ld+json'
    return send({
      ...{ method, path, response },
      headers: {
        'service-api-version': version,
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
  await sendRequest('POST /api/webhook_subscriptions', { topic: '*', callbackUrl, version })
  service.takeWebhooks()
  const requests = documentedRequests(version)
  const failures: string[] = []
  for (const documented of requests) {
    const { status, text } = await send(documented)
    if (status !== documented.status) failures.push(`${documented.operation}: ${status} ${text}`)
  }
  const inFuture = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
  const offer = JSON.parse(requests.find(({ operation }) => operation === 'createSaleOffers')?.body ?? '')
  const times = { validFrom: inFuture(300), validUntil: inFuture(600) }
  await sendRequest('POST /api/sale_offers', { ...offer, ...times })
  await sleep(700)
  await service.runScheduled()
  const problems: { slug: string; received: Received }[] = []
  for (const { problem, request, headers, token: claims, body, before = [], response } of readRefusals()) {
    for (const first of before) await sendRequest(first.request, first.body, first.headers)
    const authorization = claims && `Bearer ${await token('', claims)}`
    const sent = { ...headers, ...(authorization !== undefined && { authorization }) }
    const received = await sendRequest(request, body, sent, JSON.stringify(response))
    problems.push({ slug: problem, received })
  }
  // A price changes in a market whose prices are complete.
  await sendRequest('POST /api/webhook_subscriptions', { topic: 'price/changed', callbackUrl, version })
  await sendRequest('POST /api/sale_offers', { ...offer, amount: '14.00', priority: 100 })
  await transaction(service.owner, () => beginEpoch(service.owner, tenantId, new Date().toISOString()), {
    tenant: tenantId,
  })
  await service.runScheduled()
  const bodies = new Map(recorded.map(({ topic, body }) => [topic, JSON.stringify(body)]))
  const arrived = service.takeWebhooks().filter(({ url }) => url === callbackUrl)
  const firsts = [...Map.groupBy(arrived, ({ headers }) => headers['service-topic'] ?? '')]
  const webhooks = firsts.map(([topic, [webhook]]): RecordedWebhook => {
    const body: RecordedWebhook['body'] = JSON.parse(asDocumented(webhook!.body, bodies.get(topic) ?? ''))
    return { topic, headers: webhook!.headers, body }
  })
  return { failures, problems, webhooks }
}
