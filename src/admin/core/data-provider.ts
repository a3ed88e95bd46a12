import {
  type ApiPlatformAdminDataProvider,
  type ApiPlatformAdminRecord,
  hydraDataProvider,
} from '@api-platform/admin'
import { changed, type Fields, filledIn } from './changed.ts'
import { call } from './http.ts'
import { ownAddress } from './own-address.ts'
import { currentShopper } from './settings.ts'

/** Documents as they were last read, by IRI: what a change is compared with. */
const read = new Map<string, Fields>()

/** Reads through API Platform's provider, which knows Hydra; writes only what has changed. */
export function dataProvider(entrypoint: string): ApiPlatformAdminDataProvider {
  const hydra = hydraDataProvider({
    entrypoint,
    httpClient: (url, options = {}) => call(url, options as RequestInit) as never,
    mercure: false,
    useEmbedded: true,
    disableCache: true,
  })
  return {
    ...hydra,
    async getList(resource, params) {
      const { product, ...filter } = params.filter ?? {}
      const nested = resource === 'variants' && product
      const list = await hydra.getList(nested ? within(product, 'variants') : resource, {
        ...params,
        filter: nested || product === undefined ? filter : { ...filter, product },
        ...(isPriced(resource) && { searchParams: { ...priced(), ...params.meta?.searchParams } }),
        ...(!isPriced(resource) && { searchParams: params.meta?.searchParams }),
      } as typeof params)
      for (const each of list.data) remember(each)
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
      const { json } = await call(url, { method: 'POST', body: JSON.stringify(filledIn(data as Fields)) })
      return { data: remember(json) as never }
    },
    async update(resource, { id, data, previousData }) {
      const before = read.get(String(id)) ?? (previousData as Fields)
      const patch = changed(before, data as Fields)
      if (patch === null) return { data: (await readOne(resource, String(id))) as never }
      const { json } = await call(String(id), {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: JSON.stringify(patch),
      })
      // What is written is answered without prices.
      return { data: (isPriced(resource) ? await readOne(resource, String(id)) : remember(json)) as never }
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

async function readOne(resource: string, iri: string): Promise<ApiPlatformAdminRecord> {
  const url = ownAddress(iri, location.origin)
  if (isPriced(resource))
    for (const [name, value] of Object.entries(priced())) url.searchParams.set(name, value)
  // Reading one subscription is on offer in no stable version yet.
  const headers: HeadersInit =
    resource === 'webhook_subscriptions' ? { 'Service-Api-Version': 'unstable' } : {}
  const { json } = await call(url, { headers })
  return remember(json)
}

/** Keeps a document and gives it as react-admin wants it: `id` is the IRI. */
function remember(document: Readonly<Record<string, unknown>>): ApiPlatformAdminRecord {
  const iri = String(document['@id'])
  read.set(iri, document as Fields)
  return { ...document, originId: String(document.originId ?? document.id), id: iri } as never
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
