/** The documents of a kind that lack texts of a language. */
import type { Fields } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { everyPage } from '../core/pages.ts'

/** A document that lacks texts: its IRI, and its texts by language. */
export type Lacking = {
  readonly '@id': string
  readonly resource: string
  readonly translations: Readonly<Record<string, Fields>>
}

export const untranslatedList = (kind: string, locale: string) =>
  `/api/translations/${kind}?missing=${locale}&itemsPerPage=30`

/** The query of the number of untranslated documents; null if there are more than the service counts. */
export function untranslatedCount(kind: string, locale: string) {
  const address = `/api/translations/${kind}?missing=${locale}&itemsPerPage=0`
  return {
    queryKey: [kind, 'untranslated', 'count', locale],
    queryFn: async () => (await call<{ totalItems?: number }>(address)).json.totalItems ?? null,
    staleTime: 0,
  }
}

/** The first untranslated document of a kind that was not visited; null after the last one. */
export async function nextUntranslated(
  kind: string,
  locale: string,
  visited: readonly string[],
): Promise<string | null> {
  for await (const { members } of everyPage<Lacking>(untranslatedList(kind, locale))) {
    const next = members.find(({ resource }) => !visited.includes(resource))
    if (next) return next.resource
  }
  return null
}
