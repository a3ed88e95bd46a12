/** Titles of the documents that values refer to by IRI. */
import { call } from './http.ts'
import { currentLocale } from './settings.ts'

const names = new Map<string, string>()

/** The title of a document in the chosen language, if {@link learnNames} has read it. */
export function nameOf(iri: string): string | undefined {
  return names.get(keyOf(iri))
}

/** Reads the titles of the documents that values refer to. Documents that are not readable, or no longer exist, have no title. */
export async function learnNames(values: readonly unknown[]): Promise<void> {
  const unknown = [...new Set(values.flatMap(irisIn))].filter((iri) => !names.has(keyOf(iri)))
  await Promise.all(unknown.slice(0, most).map((iri) => learn(iri)))
}

/** More than a page of changes refers to. */
const most = 100
const asked = new Map<string, Promise<string | undefined>>()

const keyOf = (iri: string) => `${currentLocale()} ${iri}`

function learn(iri: string): Promise<string | undefined> {
  const key = keyOf(iri)
  const known = names.get(key)
  if (known !== undefined) return Promise.resolve(known)
  const asking =
    asked.get(key) ??
    read(iri)
      .then((name) => {
        if (name) names.set(key, name)
        return name
      })
      .catch(() => undefined)
      .finally(() => asked.delete(key))
  asked.set(key, asking)
  return asking
}

type Named = {
  readonly title?: string | null
  readonly sku?: string | null
  readonly displayName?: string | null
  readonly name?: string | null
  readonly variant?: string | { readonly '@id': string }
}

async function read(iri: string): Promise<string | undefined> {
  const [, resource = '', product, below] = pattern.exec(iri) ?? []
  const wanted = below ? properties.variants : properties[resource]
  if (wanted === undefined) return undefined
  const query = wanted.map((name) => `properties[]=${name}`).join('&')
  const { json } = await call<Named>(`${iri}?${query}`)
  if (json.variant !== undefined) {
    return learn(typeof json.variant === 'string' ? json.variant : json.variant['@id'])
  }
  const own = json.title ?? json.displayName ?? json.name ?? json.sku ?? undefined
  if (!below) return own
  const whole = await learn(`/api/products/${product}`)
  return [whole, own].filter(Boolean).join(', ')
}

const properties: Readonly<Record<string, readonly string[]>> = {
  products: ['title'],
  variants: ['title', 'sku'],
  categories: ['title'],
  collections: ['title'],
  sale_offers: ['variant'],
  purchase_offers: ['variant'],
  metaobjects: ['displayName'],
  metaobject_definitions: ['name'],
}

/** The addresses of documents; below a product, those of its variants. */
const pattern = /^\/api\/(\w+)\/([\w-]+)(\/variants\/[\w-]+)?$/

function irisIn(value: unknown): string[] {
  if (typeof value === 'string') {
    if (pattern.test(value)) return [value]
    return value.includes('/api/') ? (value.match(/\/api\/\w+\/[\w-]+(?:\/variants\/[\w-]+)?/g) ?? []) : []
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(irisIn) : []
}
