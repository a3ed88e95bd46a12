/** The source texts that were changed after their translation, from the events of a document. */
import { isFields, type Json } from '../core/changed.ts'
import { everyPage } from '../core/pages.ts'
import { hasScope } from '../core/session.ts'
import { type Change, type Event, historyOf } from '../history/feed.ts'
import { type Pair, resourceOf, textAt, textsOf } from './texts.ts'

/** The source text at the time of the translation, by `IRI path`; null if it was empty. */
export type EarlierSources = ReadonlyMap<string, string | null>

export const sourceKey = (iri: string, path: string) => `${iri} ${path}`

/** The events of a product that are read; its trail begins with the latest. */
const mostEvents = 500

/** Reads the earlier source texts of a document, and of the options and values of a product. */
export async function readEarlierSources(iri: string, pair: Pair): Promise<EarlierSources> {
  const isProduct = resourceOf(iri) === 'products'
  if (!hasScope(isProduct ? 'audit_trail:read' : 'events:read')) return new Map()
  const address = isProduct ? `${iri}/audit_trail?itemsPerPage=100` : historyOf(iri)
  const events: Event[] = []
  for await (const { members } of everyPage<Event>(address)) {
    events.push(...members)
    if (isProduct && events.length >= mostEvents) break
  }
  return earlierSources(events, pair)
}

/** The source texts that events changed after the last change of their translation. */
function earlierSources(events: readonly Event[], { source, target }: Pair): EarlierSources {
  const sources = new Map<string, string | null>()
  for (const event of events.toSorted((a, b) => a.sequence - b.sequence)) {
    const texts = event.changes.flatMap((change) => textChanges(event, change))
    for (const { locale, path, before } of texts) {
      const key = sourceKey(event.resource, path)
      if (locale === source && !sources.has(key)) sources.set(key, before)
    }
    // Texts that one write changes in both languages belong together.
    for (const { locale, path } of texts)
      if (locale === target) sources.delete(sourceKey(event.resource, path))
  }
  return sources
}

/** The changed texts of a change: its path may name a text, an object of texts, or all texts of a language. */
function textChanges(event: Event, { path, before, after }: Change) {
  const [, named, inLocale = ''] = /^translations\.([^.]+)(?:\.(.+))?$/.exec(path) ?? []
  const locale = named ?? event.locale
  const changedPath = named === undefined ? path : inLocale
  return (textsOf[resourceOf(event.resource)] ?? []).flatMap((text) => {
    const rest = restOf(text, changedPath)
    if (rest === null) return []
    const [was, is] = [textIn(before, rest), textIn(after, rest)]
    return was === is ? [] : [{ locale, path: text, before: was }]
  })
}

/** `seo.title` in `seo` → `title`; null if the path is not in there. */
function restOf(path: string, within: string): string | null {
  if (within === '' || path === within) return path === within ? '' : path
  return path.startsWith(`${within}.`) ? path.slice(within.length + 1) : null
}

function textIn(value: Json, path: string): string | null {
  if (path !== '') return isFields(value) ? textAt(value, path) : null
  return typeof value === 'string' && value !== '' ? value : null
}
