/** The texts of a resource and of its children in two languages, for the page that translates them. */
import { changed, type Fields, isFields, type Json } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { everyMember } from '../core/pages.ts'
import { tagOf } from '../core/settings.ts'

/** The documents that texts can belong to, each saved on its own. */
export type Group = {
  readonly iri: string
  /** `option` and `value` belong to a product. */
  readonly kind: 'own' | 'option' | 'value'
  readonly version: number
  /** By property and language, as they are stored; missing texts are absent. */
  readonly source: Fields
  readonly target: Fields
  /** By property, the language whose text replaces each missing text. */
  readonly shown: Readonly<Record<string, string>>
}

/** The two languages that stand side by side. */
export type Pair = { readonly source: string; readonly target: string }

/** The translatable texts of each resource, `seo.title` for a nested one. */
export const textsOf: Readonly<Record<string, readonly string[]>> = {
  products: ['title', 'description', 'seo.title', 'seo.description'],
  categories: ['title', 'description'],
  collections: ['title', 'description'],
  product_options: ['title'],
  option_values: ['title'],
}

/** Texts that have several lines. */
export const isLong = (path: string) => path.endsWith('description')

/** `/api/products/1` → `products` */
export function resourceOf(iri: string): string {
  return iri.split('/')[2] ?? ''
}

/** The text at a path; null if it is missing. */
export function textAt(fields: Fields, path: string): string | null {
  const [name = '', ...deeper] = path.split('.')
  const value = fields[name]
  if (deeper.length > 0) return isFields(value) ? textAt(value, deeper.join('.')) : null
  return typeof value === 'string' && value !== '' ? value : null
}

type Stored = { readonly translations: Readonly<Record<string, Fields>>; readonly version: number }

/** All stored texts of a document, by language. */
export async function storedTexts(iri: string): Promise<Stored> {
  return (await call<Stored>(`${iri}/translations`)).json
}

/** A document's texts in two languages, and those of the options and values of a product. */
export async function readGroups(iri: string, pair: Pair): Promise<Group[]> {
  const [own, owned] = await Promise.all([
    ownGroup(iri, pair),
    resourceOf(iri) === 'products' ? ownedGroups(iri, pair) : [],
  ])
  return [own, ...owned]
}

async function ownGroup(iri: string, { source, target }: Pair): Promise<Group> {
  const [{ translations, version }, seen] = await Promise.all([storedTexts(iri), readIn(iri, target)])
  return {
    iri,
    kind: 'own',
    version,
    source: translations[source] ?? {},
    target: translations[target] ?? {},
    shown: fallbacksOf(seen),
  }
}

type Titled = Fields & { readonly '@id': string; readonly version: number }
type Option = Titled & { readonly values?: readonly Titled[] }

async function ownedGroups(iri: string, { source, target }: Pair): Promise<Group[]> {
  const optionsIn = async (locale: string) =>
    (await readIn(`${iri}?properties[]=options`, locale)).options as unknown as Option[]
  const [from, to] = await Promise.all([optionsIn(source), optionsIn(target)])
  const groups = await Promise.all(
    from.map(async (option, at) => {
      const other = to[at] ?? option
      const [values, others] = await Promise.all([valuesOf(option, source), valuesOf(other, target)])
      const inTarget = new Map(others.map((each) => [each['@id'], each]))
      return [
        groupOf('option', option, other),
        ...values.map((each) => groupOf('value', each, inTarget.get(each['@id']) ?? each)),
      ]
    }),
  )
  return groups.flat()
}

/** An option with very many values only has their list's address. */
async function valuesOf({ '@id': iri, values }: Option, locale: string): Promise<readonly Titled[]> {
  if (values !== undefined) return values
  const path = `/api/option_values?itemsPerPage=100&option=${encodeURIComponent(iri)}`
  return everyMember<Titled>(path, undefined, { 'Service-Locale': locale })
}

/** A fallback text in an embedded document is not a text of that language. */
function groupOf(kind: Group['kind'], from: Titled, to: Titled): Group {
  const own = (document: Titled): Fields => (fallbacksOf(document).title ? {} : { title: document.title })
  return {
    iri: from['@id'],
    kind,
    version: to.version,
    source: own(from),
    target: own(to),
    shown: fallbacksOf(to),
  }
}

async function readIn(address: string, locale: string): Promise<Fields> {
  return (await call<Fields>(address, { headers: { 'Service-Locale': locale } })).json
}

function fallbacksOf({ fallbacks }: Fields): Readonly<Record<string, string>> {
  return isFields(fallbacks) ? (fallbacks as Record<string, string>) : {}
}

/** How many texts of a language are missing that another has. */
export function missingIn(resource: string, translations: Stored['translations'], locale: string): number {
  const has = (each: string, path: string) => textAt(translations[each] ?? {}, path) !== null
  return (textsOf[resource] ?? []).filter(
    (path) => !has(locale, path) && Object.keys(translations).some((each) => has(each, path)),
  ).length
}

/** The texts of a group as a form holds them: those that are missing are empty. */
export function formTexts(iri: string, texts: Fields): Fields {
  const filled: Record<string, Json | Record<string, Json>> = {}
  for (const path of textsOf[resourceOf(iri)] ?? []) {
    const [name = '', deeper] = path.split('.')
    const text = textAt(texts, path) ?? ''
    filled[name] = deeper === undefined ? text : { ...(filled[name] as Record<string, Json>), [deeper]: text }
  }
  return filled
}

/** Writes the texts of one document in one language, if it still has the version that was read; null where nothing changed. */
export function patchTexts(iri: string, target: string, version: number, before: Fields, after: Fields) {
  const patch = changed(before, after)
  if (patch === null) return null
  return call(iri, {
    method: 'PATCH',
    headers: {
      'Content-Type': 'application/merge-patch+json',
      'Service-Locale': target,
      'If-Match': tagOf(version),
    },
    body: JSON.stringify(patch),
  })
}

/** Where a document is translated into a language. */
export function translationAddress(iri: string, locale: string): { pathname: string; search: string } {
  return { pathname: `/translate/${encodeURIComponent(iri)}`, search: `?into=${locale}` }
}
