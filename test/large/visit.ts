/** The requests for existing large resources: read, listed, followed, changed, sent back and deleted. */
import { leftOutIn } from './judge.ts'
import type { Published } from './schema.ts'
import type { Answer, Asked, Site } from './site.ts'

const since = '2020-01-01T00:00:00Z'
const price = 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'

const older = { 'service-locale': 'fi-FI', 'service-api-version': '2026-04' }

/** The variants of each request: required parameters of the operation, and headers. */
type Way = {
  readonly needs?: string
  readonly query?: string
  /** Lists do not take it. */
  readonly isForItems?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Follows `view.next` to the end. */
  readonly follows?: boolean
}

const ways: readonly Way[] = [
  { follows: true },
  { needs: 'itemsPerPage', query: 'itemsPerPage=100', follows: true },
  { needs: 'page', query: 'page=1&itemsPerPage=100' },
  { needs: 'updatedAt[after]', query: `updatedAt[after]=${since}`, follows: true },
  { query: 'properties[]=title' },
  { needs: 'expand', query: 'expand=children.children.children&itemsPerPage=100' },
  { needs: 'resolveContext[at]', query: `${price}&itemsPerPage=100` },
  { needs: 'explain', query: `${price}&explain=price`, isForItems: true },
  { needs: 'q', query: 'q=cotton shrit&itemsPerPage=100' },
  { query: 'itemsPerPage=100', headers: older },
]

/** Requests with few further findings, if there is time for them. */
const moreWays: readonly Way[] = [
  { needs: 'order[title]', query: 'order[title]=asc&itemsPerPage=100' },
  { headers: { 'service-locale': 'fi-FI' } },
  { headers: { 'service-api-version': '2026-04' } },
  { query: 'properties[]=title', headers: older },
]

/** Pages of one list that are followed. */
const mostPages = 60

/** Reads things in every way, changes them, and sends them back as they were read. */
export async function visit(site: Site, iris: readonly string[]): Promise<void> {
  const chosen = someOfEach(iris, site.thorough ? 3 : 1)
  await readLists(site, iris)
  for (const iri of chosen) await readItem(site, iri)
  for (const iri of chosen) await changeItem(site, iri)
  await callTool(site)
}

/** Things of each kind: the first ones and the last. */
export function someOfEach(iris: readonly string[], most: number): string[] {
  const kinds = Map.groupBy(iris, (iri) => iri.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}'))
  return [...kinds.values()].flatMap((all) => [...new Set([...all.slice(0, most), ...all.slice(-1)])])
}

const isGet = ({ method }: Published) => method === 'GET'

/** The lists of the tenant in which these things are. */
async function readLists(site: Site, iris: readonly string[]): Promise<void> {
  const collections = new Set(iris.map((iri) => iri.slice(0, iri.lastIndexOf('/'))))
  for (const operation of site.operations.filter(isGet)) {
    if (!collections.has(operation.template) || operation.template.includes('{')) continue
    await read(site, operation, operation.template)
  }
}

/** Whatever can be read at an address or below it. */
async function readItem(site: Site, iri: string): Promise<void> {
  for (const operation of site.operations.filter(isGet)) {
    const end = operation.template.lastIndexOf('}') + 1
    if (end === 0) continue
    const pattern = new RegExp(`^${operation.template.slice(0, end).replace(/\{\w+\}/g, '[^/]+')}$`)
    if (pattern.test(iri)) await read(site, operation, iri + operation.template.slice(end))
  }
}

async function read(site: Site, { query, needed }: Published, path: string): Promise<void> {
  for (const way of site.thorough ? [...ways, ...moreWays] : ways) {
    if (way.needs !== undefined && !query.has(way.needs)) continue
    if (way.isForItems && query.has('itemsPerPage')) continue
    const isUnstable = /\/webhook_subscriptions\/[^/]+$/.test(path)
    const headers = { ...(isUnstable && { 'service-api-version': 'unstable' }), ...way.headers }
    const asks = [needed, way.query ?? ''].filter((each) => each !== '').join('&')
    const address = asks === '' ? path : `${path}?${encodeURI(asks)}`
    const asked = { method: 'GET', path: address, headers }
    const answer = await site.ask(asked)
    const { status, body } = answer
    if (isUnstable && status === 404) continue
    if (status === 413 && way.needs === 'page') await askForThePageThatFits(site, asked, answer)
    else if (status >= 300 && status < 500)
      site.fault(asked, `refused with ${status}: ${answer.text.slice(0, 600)}`)
    if (status !== 200) continue
    if (way.follows && body.member) await follow(site, asked, answer)
    if (!way.headers) await lookForTheRest(site, asked, answer)
  }
}

/** A numbered page that is too large names how many items of it fit. */
async function askForThePageThatFits(site: Site, asked: Asked, { body, text }: Answer): Promise<void> {
  const fits = body?.itemsPerPage ?? /itemsPerPage\D{0,20}(\d+)/.exec(text)?.[1]
  if (fits === undefined)
    return site.fault(asked, 'a page that is too large does not name how many items fit')
  const path = asked.path.replace(/itemsPerPage=\d+/, `itemsPerPage=${fits}`)
  await site.want({ ...asked, path })
}

/** Goes from page to page: every member comes once, and as many as there are. */
async function follow(site: Site, asked: Asked, first: Answer): Promise<void> {
  const seen = new Set<string>()
  let members = 0
  let answer = first
  for (let page = 0; page < mostPages; page += 1) {
    for (const each of answer.body.member) {
      members += 1
      seen.add(each['@id'] ?? JSON.stringify(each))
    }
    const next = answer.body.view?.next
    if (next === undefined) {
      const total = first.body.totalItems
      if (seen.size !== members) site.fault(asked, `of ${members} members ${seen.size} are different`)
      if (total !== undefined && total !== members)
        site.fault(asked, `of ${total} members ${members} were on the pages`)
      return
    }
    answer = await site.want({ ...asked, path: next })
    if (answer.status !== 200) return
  }
}

/** Omitted members have a total, and a link to as many. */
async function lookForTheRest(site: Site, asked: Asked, { body }: Answer): Promise<void> {
  for (const { name, total, next } of leftOutIn(body)) {
    if (next === null) {
      site.fault(asked, `${name}: ${total} are left out without a link to them`)
      continue
    }
    const rest = await site.want({ method: 'GET', path: next })
    if (rest.status === 200 && (rest.body.totalItems ?? total) < total)
      site.fault(asked, `${name}: of ${total} that are left out the link leads to ${rest.body.totalItems}`)
  }
}

/** Changes one property, and sends the whole back. */
async function changeItem(site: Site, iri: string): Promise<void> {
  const isUnstable = iri.startsWith('/api/webhook_subscriptions/')
  const headers: Record<string, string> = isUnstable ? { 'service-api-version': 'unstable' } : {}
  const externalId = `changed-${site.next()}`
  const change = isUnstable ? { locale: 'de-DE' } : { externalId }
  await site.want({ method: 'PATCH', path: iri, body: change, headers })
  for (const version of isUnstable ? ['unstable'] : ['2026-10', '2026-04']) {
    const own = { ...headers, 'service-api-version': version }
    const { status, body } = await site.want({ method: 'GET', path: iri, headers: own })
    if (status !== 200) continue
    const asked = { method: 'PATCH', path: iri, body, headers: own }
    const again = await site.want(asked)
    if (again.status === 200 && again.body.version !== body.version)
      site.fault(asked, 'sending back a document unchanged is a change')
  }
  const texts = `${iri}/translations`
  if (!site.operations.some((each) => each.template === texts.replace(/[^/]+(?=\/translations$)/, '{id}')))
    return
  const { status, body } = await site.want({ method: 'GET', path: texts })
  if (status === 200) await site.want({ method: 'PUT', path: texts, body })
}

/** The tool for models, page by page. */
async function callTool(site: Site): Promise<void> {
  const all = [
    {},
    { itemsPerPage: 100 },
    { itemsPerPage: 100, expand: 'children', locale: 'fi-FI' },
    { parent: 'null' },
  ]
  for (const own of all) {
    const params = { name: 'list_categories', arguments: own }
    const asked = {
      method: 'POST',
      path: '/mcp',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    }
    await site.want(asked)
  }
}

/** Bodies that clients send by mistake: as many invalid or unknown members as fit. */
export async function sendNonsense(site: Site): Promise<void> {
  const unknown = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, index) => [`unknown${index}${'x'.repeat(200)}`, index]),
  )
  await site.want({ method: 'POST', path: '/api/products', body: { ...unknown, title: 'Known' } })
  const query = Array.from({ length: 70 }, (_, index) => `unknown${index}${'x'.repeat(90)}=1`).join('&')
  await site.want({ method: 'GET', path: `/api/products?${query}` })
  for (const { method, template, rows } of site.operations) {
    if (method !== 'POST' || rows === 1 || template.includes('{')) continue
    const wrong = Array.from({ length: rows }, () => ({
      title: 1,
      externalId: [],
      currency: {},
      status: 'x',
    }))
    await site.ask({ method, path: template, body: wrong })
    await site.ask({ method, path: template, body: wrong, headers: { prefer: 'handling=strict' } })
  }
}

/** The feed and the audit trails, from the first event to the last. */
export async function readEvents(site: Site, iris: readonly string[]): Promise<void> {
  const trails = someOfEach(iris, 1).filter((iri) => /^\/api\/products\/[^/]+$/.test(iri))
  const paths = ['/api/events?after=0', '/api/events?after=0&itemsPerPage=100']
  for (const path of [...paths, ...trails.map((iri) => `${iri}/audit_trail?after=0&itemsPerPage=100`)]) {
    const asked = { method: 'GET', path }
    const first = await site.want(asked)
    if (first.status === 200) await follow(site, asked, first)
    if (first.status !== 200 || path !== paths[0]) continue
    for (const each of someOfEach(
      first.body.member.map(({ '@id': iri }: { '@id': string }) => iri),
      2,
    ))
      await site.want({ method: 'GET', path: each })
  }
}

/** Deletes the created resources, last ones first; those in use or with children may be rejected. */
export async function takeDown(site: Site, iris: readonly string[]): Promise<void> {
  const chosen = new Set(someOfEach(iris, site.thorough ? 20 : 3))
  for (const iri of iris.toReversed()) {
    if (!chosen.has(iri)) continue
    const asked = { method: 'DELETE', path: iri }
    const { status, text } = await site.ask(asked)
    if (status !== 204 && status !== 409 && status < 500 && status !== 0)
      site.fault(asked, `refused with ${status}: ${text.slice(0, 600)}`)
  }
}
