/** The feed of events, which lists every change in order and without gaps. */
import type { CatalogueClient, Document, Version, Webhooks } from './index.ts'
import { CatalogueError } from './pages.ts'
import type { PayloadOf } from './webhook.ts'

/**
 * An event of the feed in a version: a union with one member for each topic, discriminated by `topic`. Its members are complete,
 * which requires a read without `properties[]`. Actor, API version and request id are absent if time made the change.
 */
export type CatalogueEvent<V extends Version> = {
  [Topic in keyof Webhooks[V]]: Required<
    Omit<
      Document<V, 'Event'>,
      'topic' | 'document' | 'actor' | 'apiVersion' | 'requestId' | 'locale' | '@context'
    >
  > &
    Pick<Document<V, 'Event'>, 'actor' | 'apiVersion' | 'requestId' | 'locale' | '@context'> & {
      readonly topic: Topic
      /** The resource after the change, or before its deletion. Null after 90 days, and if the caller may not read the resource. */
      readonly document: PayloadOf<Webhooks[V][Topic]> | null
    }
}[keyof Webhooks[V]]

/**
 * Reads the events after a sequence up to the last one, page by page. `topic` selects one topic, or `product/*`. @throws CatalogueError:
 * 409 `event.beyond_head` after a restore of the service, 410 `event.expired` after 90 days
 */
export async function* eventsAfter(
  catalogue: CatalogueClient<'2026-10'>,
  after: number,
  topic?: string,
): AsyncGenerator<CatalogueEvent<'2026-10'>, void> {
  const query = { after, itemsPerPage: 100, ...(topic !== undefined && { topic }) }
  // Without a selection, the response has all members of each event.
  yield* catalogue.resource('/api/events').list(query) as AsyncGenerator<CatalogueEvent<'2026-10'>, void>
}

/**
 * Reads the events after a sequence up to the last one, like `eventsAfter()`, for a copy of the catalogue. The copy cannot continue if
 * the service was restored to an earlier time or the events have expired. Then this calls `readAgain`, which reads the lists again and
 * stores the given sequence. The events after that sequence follow.
 */
export async function* followEvents(
  catalogue: CatalogueClient<'2026-10'>,
  after: number,
  options: { readonly topic?: string; readonly readAgain: (sequence: number) => Promise<void> },
): AsyncGenerator<CatalogueEvent<'2026-10'>, void> {
  let start = after
  for (;;) {
    let isBroken = false
    try {
      for await (const event of eventsAfter(catalogue, start, options.topic)) {
        isBroken = event.topic === 'catalogue/restored'
        if (isBroken) break
        yield event
      }
    } catch (error) {
      if (!cannotContinue(error)) throw error
      isBroken = true
    }
    if (!isBroken) return
    start = await lastSequence(catalogue)
    await options.readAgain(start)
  }
}

function cannotContinue(error: unknown): boolean {
  return error instanceof CatalogueError && /^event\.(?:beyond_head|expired)$/.test(error.slug ?? '')
}

/** The sequence of the last event. */
export async function lastSequence(catalogue: CatalogueClient<'2026-10'>): Promise<number> {
  const { error, response } = await catalogue.GET('/api/events', { params: { query: { itemsPerPage: 0 } } })
  if (error) throw new CatalogueError(error)
  return Number(response.headers.get('service-sequence'))
}
