/** The RDF that jsonld.js makes of a shop's documents, in the mode that fails if something would be lost. */
import { Readable } from 'node:stream'
import { JsonLdParser } from '@rdfjs/formats'
import rdf from '@zazuko/env'
import jsonld, { type ContextDefinition, type NodeObject } from 'jsonld'
import type { Reply, Shop } from '../support/shop.ts'

/** Dereferences what the shop itself serves, without a token, and nothing else. */
export function loaderOf(shop: Shop) {
  return async (url: string) => {
    const { host, pathname } = new URL(url)
    if (host !== shop.host || !pathname.startsWith('/api/contexts/')) throw new Error(`asked for ${url}`)
    const body = await shop.read(pathname, { token: null })
    return { documentUrl: url, document: body }
  }
}

/** Expands a document as it came from an address; compacts it with its own context. */
export async function thereAndBack(shop: Shop, path: string, body: NodeObject) {
  const options = { base: `http://${shop.host}${path}`, documentLoader: loaderOf(shop), safe: true }
  const expanded = await jsonld.expand(body, options)
  const own = body['@context']
  const context = (typeof own === 'string' ? `http://${shop.host}${own}` : own) as ContextDefinition
  const compacted = await jsonld.compact(expanded as NodeObject[], context, {
    ...options,
    compactToRelative: false,
  })
  const relative = JSON.stringify(compacted).replaceAll(`http://${shop.host}/`, '/')
  return { expanded: expanded[0] as NodeObject, compacted: JSON.parse(relative) }
}

/** The statements of a document as jsonld.js reads it, and as a parser does that reads while it arrives. */
export async function statements(shop: Shop, path: string, { text, body }: Pick<Reply, 'text' | 'body'>) {
  const base = `http://${shop.host}${path}`
  const documentLoader = loaderOf(shop)
  const load = async (url: string) => (await documentLoader(url)).document
  const arriving = new JsonLdParser({ baseIRI: base, documentLoader: { load } }).import(Readable.from([text]))
  const dataset = await rdf.dataset().import(arriving)
  const sorted = (quads: string) => quads.split('\n').toSorted()
  return {
    whole: sorted(await jsonld.canonize(body, { base, documentLoader })),
    arriving: sorted(dataset.toCanonical()),
  }
}

/** Without what RDF does not say: members that are null. */
export function withoutNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNulls)
  if (node === null || typeof node !== 'object') return node
  const members = Object.entries(node).filter(([name, value]) => value !== null && name !== '@context')
  return Object.fromEntries(
    members.map(([name, value]) => [name, free.has(name) ? unwrapped(value) : withoutNulls(value)]),
  )
}

/** Members whose value stays JSON, whatever its content. */
const free = new Set(['before', 'after', 'translations', 'fallbacks', 'renames'])

/** jsonld.js compacts an array of one to its element, in JSON literals too. */
function unwrapped(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}
