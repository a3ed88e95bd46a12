/** The options of a product as the service has them, and the requests that change them. */
import { call } from '../core/http.ts'
import { everyMember } from '../core/pages.ts'
import { tagOf } from '../core/settings.ts'
import type { Entry, Option, Step } from './plan.ts'

type Document = {
  readonly '@id': string
  readonly title: string | null
  readonly version: number
  readonly fallbacks?: { readonly title?: string }
  readonly values?: readonly Document[]
  readonly valuesView?: { readonly next: string }
}

/** A variant that is sold, with the values that it combines. */
export type Variant = {
  readonly '@id': string
  readonly title: string | null
  readonly sku: string | null
  readonly version: number
  readonly optionValues: readonly { readonly '@id': string }[]
}

export type Stored = {
  readonly options: readonly Option[]
  readonly variants: readonly Variant[]
  /** By IRI: the language in which a title is shown that the chosen one lacks. */
  readonly fallbacks: ReadonlyMap<string, string>
}

/** Reads every option, value and variant of a product. */
export async function readOptions(product: string): Promise<Stored> {
  const fallbacks = new Map<string, string>()
  const entry = ({ '@id': iri, title, version, fallbacks: fellBack }: Document): Entry => {
    if (fellBack?.title !== undefined) fallbacks.set(iri, fellBack.title)
    return { key: iri, iri, title: title ?? '', version }
  }
  const [documents, variants] = await Promise.all([
    everyMember<Document>(`${product}/product_options?itemsPerPage=100`),
    everyMember<Variant & { readonly status: string }>(`${product}/variants?itemsPerPage=100`),
  ])
  const options = await Promise.all(
    documents.map(async (each) => {
      const values = each.values ?? (await everyMember<Document>(`${each.valuesView?.next}&itemsPerPage=100`))
      return { ...entry(each), values: values.map(entry) }
    }),
  )
  return { options, variants: variants.filter(({ status }) => status === 'ACTIVE'), fallbacks }
}

/** Concurrent changes are neither overwritten nor deleted. */
function unlessChanged(version: number | null | undefined): Headers {
  return new Headers(version == null ? {} : { 'If-Match': tagOf(version) })
}

/** Makes one request, with the variant that it archives. What is new answers the IRI that it has now. */
export async function take(
  step: Step,
  product: string,
  optionOf: (key: string) => string,
  variant: Variant | undefined,
): Promise<string | null> {
  if (step.do === 'archive') {
    await call(step.variant, { method: 'DELETE', headers: unlessChanged(variant?.version) })
    return null
  }
  const { entry } = step
  const headers = unlessChanged(entry.version)
  if (step.do === 'delete') {
    await call(String(entry.iri), { method: 'DELETE', headers })
    return null
  }
  if (step.do === 'change') {
    headers.set('Content-Type', 'application/merge-patch+json')
    await call(String(entry.iri), { method: 'PATCH', headers, body: JSON.stringify(step.patch) })
    return null
  }
  const { title } = entry
  const { position } = step
  const [path, body] =
    step.do === 'create'
      ? [`${product}/product_options`, { title, position }]
      : ['/api/option_values', { option: optionOf(step.option), title, position }]
  const { json } = await call(path, { method: 'POST', body: JSON.stringify(body) })
  return String(json['@id'])
}
