/** A copy of the catalogue in another database. */
import type { Client } from 'openapi-fetch'
import type { Complete } from './document.ts'
import { type CatalogueEvent, followEvents, lastSequence } from './events.ts'
import type { CatalogueClient, Document } from './index.ts'
import { CatalogueError, idOf, type Problem } from './pages.ts'
import { resourceAt } from './resource.ts'
import { type CopiedVersion, copyDifferences } from './verify.ts'

type Version = '2026-10'
type Catalogue = CatalogueClient<Version>

const all = { itemsPerPage: 100 }

/** The lists that a copy can have, in the order of their references, with the types of their resources by the kinds in topics of changes. */
const lists = {
  metaobjectDefinitions: {
    path: '/api/metaobject_definitions',
    types: { metaobject_definition: 'MetaobjectDefinition' },
    read: (c: Catalogue) => exported<'MetaobjectDefinition'>(c, '/api/metaobject_definitions'),
  },
  metaobjects: {
    path: '/api/metaobjects',
    types: { metaobject: 'Metaobject' },
    read: (c: Catalogue) => exported<'Metaobject'>(c, '/api/metaobjects'),
  },
  categories: {
    path: '/api/categories',
    types: { category: 'Category' },
    read: (c: Catalogue) => exported<'Category'>(c, '/api/categories'),
  },
  products: {
    path: '/api/products',
    types: {
      product: 'Product',
      product_option: 'ProductOption',
      option_value: 'OptionValue',
      variant: 'Variant',
    },
    read: products,
  },
  collections: {
    path: '/api/collections',
    types: { collection: 'ProductCollection' },
    read: (c: Catalogue) => exported<'ProductCollection'>(c, '/api/collections'),
  },
  saleOffers: {
    path: '/api/sale_offers',
    types: { sale_offer: 'SaleOffer' },
    read: (c: Catalogue) => exported<'SaleOffer'>(c, '/api/sale_offers'),
  },
  purchaseOffers: {
    path: '/api/purchase_offers',
    types: { purchase_offer: 'PurchaseOffer' },
    read: (c: Catalogue) => exported<'PurchaseOffer'>(c, '/api/purchase_offers'),
  },
} as const

type ListName = keyof typeof lists

async function* products(catalogue: Catalogue) {
  for await (const product of exported<'Product'>(catalogue, '/api/products')) {
    yield product
    yield* partsOf(catalogue, product)
  }
}

/** Reads the options, values and variants of a product. */
async function* partsOf(catalogue: Catalogue, product: Complete<Document<Version, 'Product'>>) {
  for (const option of product.options) {
    yield option
    // Too many values or variants to embed are in lists of their own.
    yield* option.values ?? catalogue.resource('/api/option_values').list({ ...all, option: option['@id'] })
  }
  const variants = catalogue.resource('/api/products/{productId}/variants', { productId: product['@id'] })
  yield* product.variantsView ? variants.list(all) : product.variants
}

/** Reads what lists omit while a product is archived. No event reports it if the product returns. */
async function* returnedWith(catalogue: Catalogue, iri: string, kinds: ReadonlySet<string>) {
  for await (const [, product] of currentDocuments(catalogue, [iri]))
    if (product?.['@type'] === 'Product') yield* partsOf(catalogue, product)
  const ofProduct = { ...all, product: iri }
  if (kinds.has('sale_offer')) yield* catalogue.resource('/api/sale_offers').list(ofProduct)
  if (kinds.has('purchase_offer')) yield* catalogue.resource('/api/purchase_offers').list(ofProduct)
}

/** How often a response may be cut off before it has another link. */
const maximumCuts = 5

/**
 * Reads a list as an export. A response that is cut off continues at its last link, so up to a thousand documents return again.
 * @throws CatalogueError
 */
async function* exported<T extends Type>(
  catalogue: Catalogue,
  path: string,
): AsyncGenerator<Complete<Document<Version, T>>, void> {
  const headers = { Accept: 'application/x-ndjson' }
  let next: string | null = path
  for (let cuts = 0; next !== null; cuts++) {
    const { data, error, response }: ExportAnswer = await catalogue.GET(next as '/api/products', {
      headers,
      parseAs: 'stream',
    })
    if (!data) throw new CatalogueError(error, response.status)
    for await (const line of linesOf(data)) {
      if (line['@type'] === 'End') next = null
      else if (line['@type'] === 'Next') [next, cuts] = [String(line.next), -1]
      else yield line as Complete<Document<Version, T>>
    }
    if (next !== null && cuts === maximumCuts)
      throw new CatalogueError({ message: 'The export was cut off several times.' })
  }
}

type ExportAnswer = {
  readonly data?: ReadableStream<Uint8Array> | null
  readonly error?: Problem
  readonly response: Response
}
type Line = { readonly '@type': string; readonly next?: string }

/** Reads lines of JSON until a response ends, or is cut off. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Line, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

type Type =
  | ('Product' | 'ProductOption' | 'OptionValue' | 'Variant' | 'Category' | 'ProductCollection')
  | ('SaleOffer' | 'PurchaseOffer' | 'MetaobjectDefinition' | 'Metaobject')

export type Change = {
  /** The IRI. */
  readonly resource: string
  /** The current document, discriminated by `@type`. Null if the resource was deleted or archived, or may not be read any more. */
  readonly document: { [T in Type]: Complete<Document<Version, T>> }[Type] | null
  /** Null while the lists are read, and for repairs. */
  readonly event: CatalogueEvent<Version> | null
}

/** The progress of a list, or of the repairs. */
export type Progress = { readonly list: ListName | 'repairs'; readonly done: number; readonly total: number }

export type Copy = {
  /** `products` includes their options, values and variants, which are changes of their own. */
  readonly lists: readonly ListName[]
  /** The stored position, or null before the first call. */
  readonly position: () => number | null | Promise<number | null>
  /** Stores the position after the changes so far. After a failure, the changes since the stored position are applied again. */
  readonly store: (position: number) => void | Promise<void>
  /** Deletes the copy, because all lists are read again: at the beginning and after a restore of the service. */
  readonly clear: () => void | Promise<void>
  /** Inserts, replaces or deletes a resource. It gets a change again after a failure. */
  readonly apply: (change: Change) => void | Promise<void>
  /** Called after each resource of a list, and after each repair. */
  readonly onProgress?: (progress: Progress) => void
}

/** A copy that returns the IRIs and versions of its resources, by `@type`. */
export type VerifiableCopy = Copy & {
  readonly versions: (type: Type) => Iterable<CopiedVersion> | AsyncIterable<CopiedVersion>
}

const listsOf = (copy: Copy) =>
  Object.entries(lists).flatMap(([name, list]) => {
    const listName = copy.lists.find((each) => each === name)
    return listName ? { name: listName, ...list } : []
  })

/** Makes a copy current: reads the lists once, and then the changes since the stored position. Call it again every few seconds. */
export async function sync(catalogue: Catalogue, copy: Copy): Promise<void> {
  const copied = listsOf(copy)
  const kinds = new Set(copied.flatMap(({ types }) => Object.keys(types)))
  const readAgain = async (sequence: number) => {
    await copy.clear()
    for (const { name, path, read } of copied) {
      const total = copy.onProgress ? await totalOf(catalogue, path) : 0
      let done = 0
      for await (const document of read(catalogue)) {
        await copy.apply({ resource: document['@id'], document, event: null })
        if (document['@id'].startsWith(`${path}/`) && !document['@id'].includes('/variants/')) done++
        copy.onProgress?.({ list: name, done, total: Math.max(done, total) })
      }
    }
    await copy.store(sequence)
  }
  let position = await copy.position()
  if (position === null) {
    // Changes during the read follow it.
    position = await lastSequence(catalogue)
    await readAgain(position)
  }
  for await (const event of followEvents(catalogue, position, { readAgain })) {
    const [kind = '', action] = event.topic.split('/')
    if (kinds.has(kind)) {
      const document = action === 'deleted' ? null : (event.document as Change['document'])
      await copy.apply({ resource: event.resource, document, event })
      if (
        kind === 'product' &&
        event.changes.some(({ path, before }) => path === 'status' && before === 'ARCHIVED')
      )
        for await (const part of returnedWith(catalogue, event.resource, kinds))
          await copy.apply({ resource: part['@id'], document: part, event })
    }
    await copy.store(event.sequence)
  }
}

async function totalOf(catalogue: Catalogue, path: (typeof lists)[ListName]['path']): Promise<number> {
  const { data } = await catalogue.GET(path as '/api/categories', { params: { query: { itemsPerPage: 0 } } })
  return data?.totalItems ?? 0
}

/**
 * Compares the versions of a copy with the catalogue, and applies the current document of each resource that differs. Returns their
 * number. Call it after `sync()`, for example once a day.
 */
export async function verify(catalogue: Catalogue, copy: VerifiableCopy): Promise<number> {
  const surplus: string[] = []
  const missing: string[] = []
  for (const { types } of listsOf(copy))
    for (const type of Object.values(types))
      for (const { resource, version } of await copyDifferences(catalogue, type, copy.versions(type)))
        (version === null ? surplus : missing).push(resource)
  const total = surplus.length + missing.length
  let done = 0
  const apply = async (resource: string, document: Change['document']) => {
    await copy.apply({ resource, document, event: null })
    done++
    copy.onProgress?.({ list: 'repairs', done, total })
  }
  for await (const [resource, document] of currentDocuments(catalogue, missing))
    await apply(resource, document)
  // Variants before their products.
  for (const resource of surplus.toReversed()) await apply(resource, null)
  const position = await copy.position()
  if (total > 0 && position !== null) await copy.store(position)
  return total
}

/** Reads resources by their ids, a hundred of a list at once. The document is null if a resource is gone. */
async function* currentDocuments(
  catalogue: Catalogue,
  resources: readonly string[],
): AsyncGenerator<[resource: string, document: Change['document']], void> {
  const byList = new Map<string, string[]>()
  for (const iri of resources) {
    const path = iri.slice(0, iri.lastIndexOf('/'))
    const iris = byList.get(path) ?? []
    iris.push(iri)
    byList.set(path, iris)
  }
  for (const [path, iris] of byList) {
    const list = resourceAt(catalogue as Client<never>, path)
    for (let start = 0; start < iris.length; start += all.itemsPerPage) {
      const batch = iris.slice(start, start + all.itemsPerPage)
      const documents =
        path === '/api/product_options'
          ? oneByOne(list, batch)
          : list.list({ ...all, 'id[]': batch.map(idOf) })
      const found = new Map<string, Change['document']>()
      for await (const document of documents as AsyncIterable<NonNullable<Change['document']>>)
        found.set(document['@id'], 'status' in document && document.status === 'ARCHIVED' ? null : document)
      for (const iri of batch) yield [iri, found.get(iri) ?? null]
    }
  }
}

/** Options are in a list of each product. */
async function* oneByOne(list: ReturnType<typeof resourceAt>, iris: readonly string[]) {
  for (const iri of iris)
    yield* await list.get(iri).then(
      (document) => [document],
      (error: unknown) => {
        if (error instanceof CatalogueError && error.status === 404) return []
        throw error
      },
    )
}
