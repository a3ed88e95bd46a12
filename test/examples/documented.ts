/** The documented requests: reads them from an OpenAPI document, and sends them to a demo catalogue. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { documentOf } from '../../src/docs/generate.ts'
import { restoreDemo } from '../../src/local/demo.ts'
import { demoTenants, ensureTenant } from '../../src/local/local-tenants.ts'
import { allScopes, resources } from '../../src/resources/index.ts'
import { apiVersionNamed } from '../../src/versions/index.ts'
import type { Received, Service } from '../replay/service.ts'
import { smallestPng } from '../support/pictures.ts'

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

/** The requests of a version's OpenAPI document, in its order. */
export function documentedRequests(version: string): Documented[] {
  const publication = { resources, origin: 'http://localhost:8787', everyName: false }
  const text = documentOf('openapi', { ...publication, apiVersion: apiVersionNamed(version) })
  const { paths, components }: Node = JSON.parse(text!)
  const exampleIn = ({ examples = {} }: Node): string | null => {
    const [example] = Object.values<Node>(examples)
    return example ? JSON.stringify(components.examples[example.$ref.split('/').at(-1)].value) : null
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
      const [status, { content: answers = {} }] = Object.entries<Node>(responses)[0]!
      const [answer = {}] = Object.values<Node>(answers)
      return {
        operation: operationId,
        method: method.toUpperCase(),
        path: search.size === 0 ? filled : `${filled}?${search}`,
        headers: { 'service-api-version': version, ...(type && { 'content-type': type }) },
        body: content ? exampleIn(content) : null,
        status: Number(status),
        response: exampleIn(answer) ?? '',
      }
    }),
  )
}

/**
 * Reads of the catalogue first, then webhooks, then the other writes: so each response is that of a new demo catalogue. The
 * requests about deliveries follow the replay that creates these.
 */
export function independentOrder(requests: readonly Documented[]): Documented[] {
  const rank = ({ method, path }: Documented) =>
    path.startsWith('/api/webhook_subscriptions/') ? 1 : method === 'GET' ? 0 : 2
  return requests.toSorted((a, b) => rank(a) - rank(b))
}

/** Sends a documented request. The response has the ids of the documents for rows that earlier requests have created. */
export type Send = (documented: Documented) => Promise<Received>

/** Opens a tenant with the demo catalogue of acme. */
export async function openDemo(service: Service): Promise<Send> {
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
  return async ({ method, path, headers, body, response }) => {
    const isPicture = headers['content-type']?.startsWith('image/')
    const picture = isPicture && smallestPng()
    const content = picture
      ? new Uint8Array(await picture.arrayBuffer())
      : body && replaceIds(body, todaysIds)
    const received = await service.send(host, {
      method,
      path: replaceIds(path, todaysIds),
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...(picture && { 'content-type': picture.type, 'content-length': String(picture.size) }),
      },
      ...(content !== null && { body: content }),
    })
    // A replay leaves its deliveries to the next minute.
    if (path.endsWith('/replay')) await service.runScheduled()
    const found = received.text.match(uuids) ?? []
    for (const [index, documented] of (response.match(uuids) ?? []).entries()) {
      const current = found[index]
      if (current !== undefined && !demo.includes(documented) && !todaysIds.has(documented))
        todaysIds.set(documented, current)
    }
    const documentedIds = new Map([...todaysIds].map(([documented, current]) => [current, documented]))
    return { ...received, text: replaceIds(received.text, documentedIds).replaceAll(host, 'localhost:8787') }
  }
}

const demo = readFileSync(join(import.meta.dirname, '../../src/local/demo/acme.ndjson'), 'utf8')
const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const replaceIds = (text: string, ids: ReadonlyMap<string, string>) =>
  text.replace(uuids, (id) => ids.get(id) ?? id)

/** The text of a response without the values that differ between two equal requests. */
export function comparable(text: string): string {
  return text
    .replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!000000)\d{6}Z/g, '<time>')
    .replace(/whsec_[\w+/=]+|v1,[\w+/=]+|(?<=\b00-)[0-9a-f]{32}-[0-9a-f]{16}/g, '<random>')
    .replace(/(?<="latency":)\d+|(?<="webhook-timestamp":")\d+/g, '<number>')
    .replace(/(?<=[?&]cursor=)[\w-]+/g, '<cursor>')
}
