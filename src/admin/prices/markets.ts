/** Where prices are: the channels, countries and currencies of the shop. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../core/http.ts'
import { currentShopper } from '../core/settings.ts'

export type Markets = {
  readonly channels: readonly string[]
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
}

type Offer = {
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly currency: string
}
type Product = { readonly channels: readonly string[] }

/** Those of the hundred latest prices and products, and of the shopper that is chosen: what a shop does not use lately it types. */
export function useMarkets(): Markets {
  const { data = { channels: [], countries: [], currencies: [] } } = useQuery({
    queryKey: ['markets'],
    queryFn: readMarkets,
    staleTime: 60_000,
  })
  const { channel, country } = currentShopper()
  return {
    ...data,
    channels: sorted([channel, ...data.channels]),
    countries: sorted([country, ...data.countries]),
  }
}

async function readMarkets(): Promise<Markets> {
  const [offers, products] = await Promise.all([
    call(
      '/api/sale_offers?itemsPerPage=100&properties[]=channel&properties[]=countries&properties[]=currency',
    ),
    call('/api/products?itemsPerPage=100&properties[]=channels'),
  ])
  const { member: terms } = offers.json as unknown as { readonly member: readonly Offer[] }
  const { member: sold } = products.json as unknown as { readonly member: readonly Product[] }
  return {
    channels: sorted([
      ...terms.flatMap(({ channel }) => channel ?? []),
      ...sold.flatMap(({ channels }) => channels),
    ]),
    countries: sorted(terms.flatMap(({ countries }) => countries)),
    currencies: sorted(terms.map(({ currency }) => currency)),
  }
}

function sorted(words: readonly string[]): string[] {
  return [...new Set(words)].sort()
}

/** Whether a text can name a channel, as the service takes it. */
export function isChannel(text: string): boolean {
  return /^[\w.:-]{1,255}$/.test(text)
}

/** `FR` as people say it, `France (FR)`; a code that is no country's stays as it is. */
export function countryName(code: string, language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code)
  return name === undefined ? code : `${name} (${code})`
}

/** Every code that names a country in the browser's own tables. */
export function everyCountry(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((first) =>
    letters.map((second) => first + second).filter((code) => isCountry(code) && names.of(code) !== undefined),
  )
}

/** What the tables name beside countries: unions, outlying parts, private use. */
function isCountry(code: string): boolean {
  return !/^(?:A[CN]|BU|CP|CQ|CS|DD|DG|EA|EU|EZ|FX|IC|NT|QO|SU|TA|TP|U[KN]|X[A-Z]|YD|YU|ZR|ZZ)$/.test(code)
}
