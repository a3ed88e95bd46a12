import { useQueries } from '@tanstack/react-query'
import type { Fields } from '../core/changed.ts'
import { call } from '../core/http.ts'

/** Documents by IRI, each read on its own and kept; what cannot be read is left out, and so is what is beyond `most`. */
export function useDocuments(
  iris: readonly string[],
  most = 100,
): { readonly documents: ReadonlyMap<string, Fields>; readonly isReading: boolean } {
  const wanted = [...new Set(iris)].slice(0, most)
  const found = useQueries({
    queries: wanted.map((iri) => ({
      queryKey: ['document', iri],
      queryFn: async () => (await call<Fields>(iri)).json,
      staleTime: 60_000,
    })),
  })
  const documents = new Map(
    found.flatMap(({ data }, at) => (data ? [[wanted[at] ?? '', data] as const] : [])),
  )
  return { documents, isReading: found.some(({ isPending }) => isPending) }
}
