/** Where prices are: the channels, countries and currencies of the shop. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../core/http.ts'

export type Markets = {
  readonly channels: readonly string[]
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
}

const none: Markets = { channels: [], countries: [], currencies: [] }

/** All that prices and products name; none while that is read, and for who may not read it. */
export function useMarkets(): Markets {
  const { data = none } = useQuery({
    queryKey: ['markets'],
    queryFn: async () => (await call<Markets>('/api/market_suggestions')).json,
    staleTime: 60_000,
  })
  return data
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

/** Codes of the tables that are not countries: unions, outlying areas, private use. */
function isCountry(code: string): boolean {
  return !/^(?:A[CN]|BU|CP|CQ|CS|DD|DG|EA|EU|EZ|FX|IC|NT|QO|SU|TA|TP|U[KN]|X[A-Z]|YD|YU|ZR|ZZ)$/.test(code)
}
