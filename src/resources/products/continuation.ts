import type { Value } from '../../core/document.ts'
import { parsePropertiesParameters } from '../../core/select.ts'
import { priceParameters } from '../prices/index.ts'
import { productIri } from './iri.ts'

/** Leads to the variants of a product that its document does not embed; `asked` is what `askedOfVariants` gives. */
export function continuation(id: string, shown: number, asked: string): Value {
  const list = `${productIri(id)}/variants`
  return {
    '@id': list,
    '@type': 'PartialCollectionView',
    next: `${list}?position%5Bfrom%5D=${shown}&itemsPerPage=100${asked}`,
  }
}

/**
 * What a request for products asks of their variants, as the list of variants takes it: prices, what is expanded, and those
 * of `properties[]` that begin with `variants`. Percent-encoded, each parameter behind an `&`.
 */
export function askedOfVariants(url: URL, query: Query): string {
  const { expand = [] } = query
  const prices = Object.keys(priceParameters).flatMap((name) =>
    query[name] === undefined ? [] : [[name, url.searchParams.get(name) ?? ''] as const],
  )
  const pairs = [
    ...prices,
    ...(expand.length > 0 ? [['expand', expand.join(',')] as const] : []),
    ...propertiesOfVariants(url),
  ]
  return pairs.map((pair) => `&${pair.map(encodeURIComponent).join('=')}`).join('')
}

type Query = Readonly<Record<string, unknown>> & { readonly expand?: readonly string[] | undefined }

function propertiesOfVariants(url: URL): (readonly [name: string, value: string])[] {
  const own = parsePropertiesParameters(url.searchParams).paths.filter(([name = '']) =>
    /^(?:variants|\*)$/.test(name),
  )
  // A variant that is named as a whole is shown as a whole, whatever is named in it as well.
  if (own.some((path) => path.length === 1)) return []
  return own.map((path) => {
    const [last = ''] = path.slice(-1)
    const parents = path.slice(1, -1).map((name) => `[${name}]`)
    return [`properties${parents.join('')}[]`, last]
  })
}
