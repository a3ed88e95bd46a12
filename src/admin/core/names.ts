/** Titles of the documents that values refer to by IRI. */
import { call } from './http.ts'
import { currentLocale } from './settings.ts'

const names = new Map<string, string>()

export type NamedField = { readonly key: string; readonly name: string | null; readonly type: string }

/** The field definitions of a content type, and the content type of an entry, by IRI. */
const fieldDefinitions = new Map<string, readonly NamedField[]>()
const definitions = new Map<string, string>()

const keyOf = (iri: string) => `${currentLocale()} ${iri}`

/** The title of a document in the chosen language, if {@link learnNames} has read it. */
export function nameOf(iri: string): string | undefined {
  return names.get(keyOf(iri))
}

/** The field definitions of a content type or of an entry, if {@link learnNames} has read them. */
export function fieldsOf(iri: string): readonly NamedField[] {
  return fieldDefinitions.get(definitions.get(iri) ?? iri) ?? []
}

/**
 * Reads the titles of the documents that values refer to, with one request for each hundred documents of a list, and the fields
 * of content types. Documents that are not readable, or no longer exist, have no title.
 */
export async function learnNames(values: readonly unknown[]): Promise<void> {
  const unknown = [...new Set(values.flatMap(irisIn))].filter((iri) => nameOf(iri) === undefined)
  const lists = Map.groupBy(unknown, (iri) => {
    const [, list = '', below] = pattern.exec(iri) ?? []
    return below ? 'variants' : list
  })
  const read = await Promise.all(
    Object.entries(properties).map(([list, name]) => readListed(list, lists.get(list), name)),
  )
  const offers = new Map<string, string>()
  for (const document of [...read.flat(), ...(await readOptions(lists.get('product_options')))]) {
    learn(document['@id'], [document.title ?? document.displayName ?? document.name ?? document.type])
    if (document.fieldDefinitions) fieldDefinitions.set(document['@id'], document.fieldDefinitions)
    if (document.definition) definitions.set(document['@id'], document.definition)
    if (document.variant !== undefined) offers.set(document['@id'], document.variant)
  }
  await learnVariants([...(lists.get('variants') ?? []), ...offers.values()])
  const types = read.flat().flatMap(({ definition }) => definition ?? [])
  if (types.length > 0) await learnNames(types)
  for (const [offer, variant] of offers) learn(offer, [nameOf(variant)])
}

/** The filter `id[]` takes as many. */
const most = 100

type Named = {
  readonly '@id': string
  readonly title?: string | null
  readonly sku?: string | null
  readonly displayName?: string | null
  readonly name?: string | null
  readonly type?: string
  readonly variant?: string
  readonly definition?: string
  readonly fieldDefinitions?: readonly NamedField[]
  readonly variants?: readonly Named[]
}

function learn(iri: string, texts: readonly (string | null | undefined)[]): void {
  const name = texts.filter(Boolean).join(', ')
  if (name !== '') names.set(keyOf(iri), name)
}

/** A variant is named after its product, which embeds it. A variant that is archived has the name of its product. */
async function learnVariants(iris: readonly string[]): Promise<void> {
  const productOf = (iri: string) => iri.replace(/\/variants\/.*/, '')
  const unknown = iris.filter((iri) => nameOf(iri) === undefined)
  for (const product of await readListed('products', unknown.map(productOf), embedded)) {
    learn(product['@id'], [product.title])
    for (const { '@id': iri, title, sku } of product.variants ?? []) learn(iri, [product.title, title ?? sku])
  }
  for (const iri of unknown) if (nameOf(iri) === undefined) learn(iri, [nameOf(productOf(iri))])
}

async function readListed(
  list: string,
  iris: readonly string[] = [],
  named: readonly string[] = [],
): Promise<readonly Named[]> {
  if (iris.length === 0) return []
  if (iris.length > most) {
    const rest = await readListed(list, iris.slice(most), named)
    return [...(await readListed(list, iris.slice(0, most), named)), ...rest]
  }
  const ids = new Set(iris.map((iri) => `&id[]=${iri.slice(iri.lastIndexOf('/') + 1)}`))
  const query = [...ids, ...named.map((name) => `&properties${name}`)].join('')
  const path = `/api/${list}?itemsPerPage=${most}${query}`
  return (await call<{ member: readonly Named[] }>(path).catch(() => null))?.json.member ?? []
}

/** Options have no list. */
async function readOptions(iris: readonly string[] = []): Promise<Named[]> {
  const read = await Promise.allSettled(iris.map((iri) => call<Named>(iri)))
  return read.flatMap((each) => (each.status === 'fulfilled' ? each.value.json : []))
}

const embedded = ['[]=title', '[variants][]=title', '[variants][]=sku']

/** The properties that name the documents of a list. */
const properties = {
  products: ['[]=title'],
  categories: ['[]=title'],
  collections: ['[]=title'],
  option_values: ['[]=title'],
  sale_offers: ['[]=variant'],
  purchase_offers: ['[]=variant'],
  metaobjects: ['[]=displayName', '[]=definition'],
  metaobject_definitions: ['[]=name', '[]=type', '[]=fieldDefinitions'],
}

/** The addresses of documents, with their list; below a product, those of its variants. */
const pattern = /^\/api\/(\w+)\/[\w-]+(\/variants\/[\w-]+)?$/

function irisIn(value: unknown): string[] {
  if (typeof value === 'string') {
    if (pattern.test(value)) return [value]
    return value.includes('/api/') ? (value.match(/\/api\/\w+\/[\w-]+(?:\/variants\/[\w-]+)?/g) ?? []) : []
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(irisIn) : []
}
