import {
  type ApiPlatformAdminDataProvider,
  type ApiPlatformAdminRecord,
  hydraDataProvider,
} from '@api-platform/admin'
import { HttpError } from 'react-admin'
import { question } from './asked.ts'
import { changed, type Fields, filledIn } from './changed.ts'
import { type Conflict, conflicts, resolved } from './conflict.ts'
import { type Answer, call } from './http.ts'
import { withKeyedFields, withOwnKeys } from './keyed-fields.ts'
import { messages } from './language.ts'
import { ownAddress } from './own-address.ts'
import { currentShopper, tagOf } from './settings.ts'
import { dropEdits } from './unsaved.ts'

type Overtaken = { readonly resource: string; readonly theirs: Fields; readonly found: readonly Conflict[] }

/** Shows concurrent changes next to the user's changes. Returns the document to save, or null to save nothing. */
export const collision = question<Overtaken, Fields | null>()

/** Shows concurrent changes before a document is deleted. Returns whether to delete it. */
export const departure = question<Overtaken, boolean>()

/** Documents as they were read, by IRI and entity tag: what a change is compared with. */
const read = new Map<string, Fields>()

/** Documents as lists showed them, by IRI: the user saw a deleted document there, unless it was opened. */
const listed = new Map<string, Fields>()

/** Reads through API Platform's provider, which supports Hydra. Writes only the changes to the document that was read. */
export function dataProvider(entrypoint: string): ApiPlatformAdminDataProvider {
  const hydra = hydraDataProvider({
    entrypoint,
    httpClient: (url, options = {}) => call(withIds(url), options as RequestInit) as never,
    mercure: false,
    useEmbedded: true,
    disableCache: true,
  })
  return onceReady({
    ...hydra,
    async getList(resource, params) {
      if (resource === policies) {
        const data = (await readListed(resource, `/api/${policies}`, [])) as never[]
        return { data, total: data.length }
      }
      const { product, ...filter } = params.filter ?? {}
      const nested = resource === 'variants' && product
      const list = await hydra.getList(nested ? within(product, 'variants') : resource, {
        ...params,
        filter: nested || product === undefined ? filter : { ...filter, product },
        searchParams: { ...(isPriced(resource) && priced()), ...params.meta?.searchParams },
      } as typeof params)
      for (const each of list.data) keep(listed, String(each.id), withKeyedFields(each as Fields))
      return list as never
    },
    async getOne(resource, { id }) {
      return { data: (await readOne(resource, String(id))) as never }
    },
    async getMany(resource, { ids }) {
      return { data: (await readMany(resource, ids.map(String))) as never }
    },
    async create(resource, { data }) {
      const { product, country, ...rules } = data as Fields
      if (resource === policies)
        return { data: (await choosePolicy(`/api/${policies}/${country}`, rules)) as never }
      const nested = resource === 'variants' || resource === 'product_options'
      const url = nested ? `${product}/${resource}` : `/api/${resource}`
      const answer = await call(url, {
        method: 'POST',
        body: JSON.stringify(withOwnKeys(filledIn(data as Fields))),
      })
      return { data: remember(answer) as never }
    },
    async update(resource, { id, data, previousData }) {
      const iri = String(id)
      if (resource === policies) return { data: (await choosePolicy(iri, data as Fields)) as never }
      const before = read.get(keyOf(iri, (data as Fields)['@etag'])) ?? (previousData as Fields)
      const answer = await save(resource, iri, before, data as Fields)
      // The response of a write has no prices.
      const record = answer && !isPriced(resource) ? remember(answer) : await readOne(resource, iri)
      return { data: record as never }
    },
    async delete(resource, { id, previousData }) {
      const iri = String(id)
      const seen: Fields | undefined = previousData ?? listed.get(iri)
      await remove(resource, iri, read.get(keyOf(iri, seen?.['@etag'])) ?? seen)
      dropEdits()
      return { data: { ...previousData, id } as never }
    },
    async deleteMany(resource, { ids }) {
      for (const id of ids) await remove(resource, String(id), listed.get(String(id)))
      return { data: ids as never }
    },
  })
}

/** Policies of prior prices have one short list, and are chosen by PUT. */
const policies = 'price_policies'

/** Replaces the tenant's choice of rules in a country, unless it changed since it was read. */
async function choosePolicy(iri: string, { '@etag': etag = null, ...rules }: Fields) {
  const headers = unlessOvertaken({ '@etag': etag })
  return remember(await call(iri, { method: 'PUT', headers, body: JSON.stringify(rules) }))
}

/** Names ids as the service does: API Platform's provider numbers them. */
function withIds(url: URL): URL {
  for (const [name, value] of [...url.searchParams]) {
    if (!/^id\[\d+\]$/.test(name)) continue
    url.searchParams.delete(name)
    url.searchParams.append('id[]', value)
  }
  return url
}

/**
 * The provider with each method waiting for the introspection: before it, API Platform's provider returns empty lists. The next call
 * repeats an introspection that failed.
 */
function onceReady(provider: ApiPlatformAdminDataProvider): ApiPlatformAdminDataProvider {
  let introspection: ReturnType<typeof provider.introspect> | null = null
  const introspect = () => {
    introspection ??= provider.introspect().catch((error: unknown) => {
      introspection = null
      throw error
    })
    return introspection
  }
  const methods = Object.entries(provider).map(([name, method]) => [
    name,
    async (...given: unknown[]) => {
      await introspect()
      return method(...given)
    },
  ])
  return { ...Object.fromEntries(methods), introspect }
}

/** Writes what leads from one document to the other, if the stored one is still the first; null when they are the same. */
async function save(resource: string, iri: string, before: Fields, after: Fields): Promise<Answer | null> {
  const patch = changed(before, after)
  if (patch === null) return null
  const headers = unlessOvertaken({ '@etag': after['@etag'], ...before })
  headers.set('Content-Type', 'application/merge-patch+json')
  try {
    return await call(iri, { method: 'PATCH', headers, body: JSON.stringify(withOwnKeys(patch)) })
  } catch (error) {
    if (!isOvertaken(error)) throw error
    const theirs = (await readOne(resource, iri)) as Fields
    const found = conflictsBetween(before, after, theirs)
    // Where they changed nothing that a form has, there is nothing to choose.
    const chosen = found.every(({ changedBy }) => changedBy === 'mine')
      ? resolved(theirs, found, Object.fromEntries(found.map(({ path }) => [path, 'mine'])))
      : await collision.ask({ resource, theirs, found })
    if (chosen === null) throw leftAlone(messages('core').nothingSaved)
    return save(resource, iri, theirs, chosen)
  }
}

/** Deletes a document if it is unchanged since the user saw it. Otherwise shows the changes and asks for confirmation. */
async function remove(resource: string, iri: string, before: Fields = {}): Promise<void> {
  try {
    await call(iri, { method: 'DELETE', headers: unlessOvertaken(before) })
  } catch (error) {
    if (!isOvertaken(error)) throw error
    const theirs = (await readOne(resource, iri)) as Fields
    // A list may show a part of it.
    const shown = Object.fromEntries(Object.entries(theirs).filter(([name]) => name in before))
    const found = conflictsBetween(before, {}, shown)
    if (found.length > 0 && !(await departure.ask({ resource, theirs, found })))
      throw leftAlone(messages('core').nothingTakenAway)
    await remove(resource, iri, theirs)
  }
}

/** Lists contain versions instead of entity tags. */
function unlessOvertaken({ '@etag': etag, version }: Fields): Headers {
  if (typeof etag === 'string') return new Headers({ 'If-Match': etag })
  return new Headers(typeof version === 'number' ? { 'If-Match': tagOf(version) } : {})
}

function isOvertaken(error: unknown): boolean {
  return error instanceof HttpError && error.status === 412
}

function leftAlone(message: string): HttpError {
  return new HttpError(message, 412, { errors: { root: { serverError: message } } })
}

/** Properties that follow from other writes are not edits. */
function conflictsBetween(before: Fields, mine: Fields, theirs: Fields): Conflict[] {
  return conflicts(before, mine, theirs).filter(({ path, changedBy }) => {
    return changedBy !== 'theirs' || !derived.has(path)
  })
}

/** Follows from other writes, or is changed on pages of its own. */
const derived: ReadonlySet<string> = new Set([
  'version',
  'updatedAt',
  'variants',
  'variantsTotal',
  'options',
  'productsCount',
  'children',
  'childrenTotal',
  'ancestors',
  'level',
  'state',
  'resolvedPrice',
])

async function readOne(resource: string, iri: string): Promise<ApiPlatformAdminRecord> {
  const url = ownAddress(iri, location.origin)
  if (isPriced(resource))
    for (const [name, value] of Object.entries(priced())) url.searchParams.set(name, value)
  // Reading one subscription is on offer in no stable version yet.
  const headers: HeadersInit =
    resource === 'webhook_subscriptions' ? { 'Service-Api-Version': 'unstable' } : {}
  return remember(await call(url, { headers }))
}

/** The most ids that the filter `id[]` takes, which is also the largest page. */
const idsOfRequest = 100

/** Reads documents with one request for each list that they are in. Those that are missing or not readable are left out. */
async function readMany(resource: string, iris: readonly string[]): Promise<ApiPlatformAdminRecord[]> {
  const lists = Map.groupBy(iris, (iri) => iri.slice(0, iri.lastIndexOf('/')))
  const requests = [...lists].flatMap(([list, members]) =>
    Array.from({ length: Math.ceil(members.length / idsOfRequest) }, (_, index) =>
      readListed(resource, list, members.slice(index * idsOfRequest, (index + 1) * idsOfRequest)),
    ),
  )
  const results = await Promise.allSettled(requests)
  return results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}

async function readListed(resource: string, list: string, iris: readonly string[]) {
  const first = ownAddress(list, location.origin)
  first.searchParams.set('itemsPerPage', String(idsOfRequest))
  for (const iri of iris) first.searchParams.append('id[]', iri.slice(iri.lastIndexOf('/') + 1))
  if (isPriced(resource))
    for (const [name, value] of Object.entries(priced())) first.searchParams.set(name, value)
  const records: ApiPlatformAdminRecord[] = []
  for (let next: URL | string | undefined = first; next !== undefined; ) {
    const { json }: Answer<{ member: Fields[]; view?: { next?: string } }> = await call(next)
    records.push(...json.member.map((document) => recordOf(document, withKeyedFields(document))))
    next = json.view?.next
  }
  return records
}

/** Stores a document with its entity tag, and returns it as a record. */
function remember({ json, headers }: Answer): ApiPlatformAdminRecord {
  const etag = headers.get('etag')
  const document = { ...withKeyedFields(json as Fields), '@etag': etag }
  keep(read, keyOf(String(json['@id']), etag), document)
  return recordOf(json as Fields, document)
}

/** A document as react-admin wants it: `id` is the IRI. */
function recordOf(json: Fields, document: Fields): ApiPlatformAdminRecord {
  learnTitles(json)
  return { ...document, originId: String(json.originId ?? json.id), id: String(json['@id']) } as never
}

const kept = 500

function keep(documents: Map<string, Fields>, key: string, document: Fields): void {
  documents.set(key, document)
  const [oldest] = documents.keys()
  if (documents.size > kept && oldest !== undefined) documents.delete(oldest)
}

/** Titles of documents and of the documents that they embed, by IRI, to show links by their titles. */
const titles = new Map<string, string>()

/** The title of the document with an IRI, where it was seen. */
export function titleOf(iri: string): string | undefined {
  return titles.get(iri)
}

function learnTitles(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('@id' in value && 'title' in value && typeof value.title === 'string') {
    titles.set(String(value['@id']), value.title)
  }
  for (const each of Object.values(value)) learnTitles(each)
}

function keyOf(iri: string, etag: unknown): string {
  return `${iri} ${etag}`
}

/** `/api/products/1` and `variants` as a resource below the entrypoint. */
function within(owner: unknown, name: string): string {
  return `${String(owner).replace(/^\/api\//, '')}/${name}`
}

function isPriced(resource: string): boolean {
  return resource === 'products' || resource === 'variants'
}

function priced(): Record<string, string> {
  const { channel, country } = currentShopper()
  return {
    'resolveContext[channel]': channel,
    'resolveContext[country]': country,
    'resolveContext[at]': new Date().toISOString(),
  }
}
