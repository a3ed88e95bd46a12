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
import { spoken } from './language.ts'
import { ownAddress } from './own-address.ts'
import { currentShopper } from './settings.ts'
import { coreWords } from './words.ts'

/** What somebody else saved in the meantime is shown beside what was to be saved; the answer is what to save, or null to save nothing. */
export const collision = question<
  { readonly resource: string; readonly theirs: Fields; readonly found: readonly Conflict[] },
  Fields | null
>()

/** Documents as they were read, by IRI and entity tag: what a change is compared with. */
const read = new Map<string, Fields>()

/** Reads through API Platform's provider, which knows Hydra; writes only what has changed, on what was read. */
export function dataProvider(entrypoint: string): ApiPlatformAdminDataProvider {
  const hydra = hydraDataProvider({
    entrypoint,
    httpClient: (url, options = {}) => call(url, options as RequestInit) as never,
    mercure: false,
    useEmbedded: true,
    disableCache: true,
  })
  let introspected: Promise<unknown> | null = null
  return {
    ...hydra,
    async getList(resource, params) {
      // The provider gives no list before it knows the resources.
      introspected ??= hydra.introspect()
      await introspected
      const { product, ...filter } = params.filter ?? {}
      const nested = resource === 'variants' && product
      const list = await hydra.getList(nested ? within(product, 'variants') : resource, {
        ...params,
        filter: nested || product === undefined ? filter : { ...filter, product },
        ...(isPriced(resource) && { searchParams: { ...priced(), ...params.meta?.searchParams } }),
        ...(!isPriced(resource) && { searchParams: params.meta?.searchParams }),
      } as typeof params)
      return list as never
    },
    async getOne(resource, { id }) {
      return { data: (await readOne(resource, String(id))) as never }
    },
    async getMany(resource, { ids }) {
      const found = await Promise.allSettled(ids.map((id) => readOne(resource, String(id))))
      const data = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      return { data: data as never }
    },
    async create(resource, { data }) {
      const { product } = data as Fields
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
      const before = read.get(keyOf(iri, (data as Fields)['@etag'])) ?? (previousData as Fields)
      const answer = await save(resource, iri, before, data as Fields)
      // What is written is answered without prices.
      const record = answer && !isPriced(resource) ? remember(answer) : await readOne(resource, iri)
      return { data: record as never }
    },
    async delete(_, { id, previousData }) {
      await call(String(id), { method: 'DELETE' })
      return { data: { ...previousData, id } as never }
    },
    async deleteMany(_, { ids }) {
      for (const id of ids) await call(String(id), { method: 'DELETE' })
      return { data: ids as never }
    },
  }
}

/** Writes what leads from one document to the other, if the stored one is still the first; null when they are the same. */
async function save(resource: string, iri: string, before: Fields, after: Fields): Promise<Answer | null> {
  const patch = changed(before, after)
  if (patch === null) return null
  const etag = before['@etag'] ?? after['@etag']
  const headers = new Headers({ 'Content-Type': 'application/merge-patch+json' })
  if (typeof etag === 'string') headers.set('If-Match', etag)
  try {
    return await call(iri, { method: 'PATCH', headers, body: JSON.stringify(withOwnKeys(patch)) })
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 412) throw error
    const theirs = (await readOne(resource, iri)) as Fields
    const found = conflicts(before, after, theirs).filter(({ path, changedBy }) => {
      return changedBy !== 'theirs' || !derived.has(path)
    })
    // Where they changed nothing that a form has, there is nothing to choose.
    const chosen = found.every(({ changedBy }) => changedBy === 'mine')
      ? resolved(theirs, found, Object.fromEntries(found.map(({ path }) => [path, 'mine'])))
      : await collision.ask({ resource, theirs, found })
    if (chosen === null) {
      const message = spoken(coreWords).nothingSaved
      throw new HttpError(message, 412, { errors: { root: { serverError: message } } })
    }
    return save(resource, iri, theirs, chosen)
  }
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

/** Keeps a document and gives it as react-admin wants it: `id` is the IRI. */
function remember({ json, headers }: Answer): ApiPlatformAdminRecord {
  const iri = String(json['@id'])
  const etag = headers.get('etag')
  const document = { ...withKeyedFields(json as Fields), '@etag': etag }
  learnTitles(json)
  read.set(keyOf(iri, etag), document)
  const [oldest] = read.keys()
  if (read.size > kept && oldest !== undefined) read.delete(oldest)
  return { ...document, originId: String(json.originId ?? json.id), id: iri } as never
}

const kept = 500

/** Titles of what documents embed and are, by IRI: a link can be told by its title. */
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
