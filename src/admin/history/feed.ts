/** The latest changes of the whole catalogue. The feed runs forwards by sequence, so it is read in windows that go backwards. */
import type { Json } from '../core/changed.ts'
import { instantIn } from '../core/clock.ts'
import { call } from '../core/http.ts'
import { shopZone } from '../core/zone.ts'

export type Change = {
  readonly path: string
  readonly before: Json
  readonly after: Json
  readonly omitted?: boolean
}

export type Event = {
  readonly '@id': string
  readonly sequence: number
  readonly topic: string
  readonly resource: string
  readonly occurredAt: string
  /** Of an automatic change, such as an offer's beginning: when it happened. */
  readonly effectiveAt?: string | null
  readonly actor?: { readonly subject: string; readonly client: string }
  readonly changes: readonly Change[]
}

export type EventPage = { readonly member: readonly Event[]; readonly view?: { readonly next?: string } }

/** The filters; an empty filter matches everything. Days are those of the tenant's time zone. */
export type Wanted = {
  readonly topic: string
  readonly person: string
  readonly from: string
  readonly until: string
}

/** Of an event without its document, which this page does not show. */
const wantedProperties = ['sequence', 'topic', 'resource', 'occurredAt', 'effectiveAt', 'actor', 'changes']
  .map((name) => `&properties[]=${name}`)
  .join('')

const windowSize = 100
const mostWindows = 10
const enough = 25

export type Found = {
  readonly events: readonly Event[]
  /** The sequence before which the next look begins; null at the beginning of all. */
  readonly before: number | null
}

/** The prices of a product whose events its history has: each costs a request. */
export const mostPrices = 20

/**
 * The events of the prices of a product that changed last. `isWhole` is false if there are more prices, or if the service no longer
 * lists the events of one because the first is too old.
 */
export async function eventsOfPrices(product: string) {
  const query = `product=${encodeURIComponent(product)}&order[updatedAt]=desc&itemsPerPage=${mostPrices}&properties[]=updatedAt`
  const lists = await Promise.all(
    ['', '&status=ARCHIVED'].map((status) => call(`/api/sale_offers?${query}${status}`)),
  )
  const prices = lists.flatMap(({ json }) => json.member as { '@id': string; updatedAt: string }[])
  const latest = prices.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, mostPrices)
  const pages = await Promise.allSettled(latest.map((price) => call<EventPage>(historyOf(price['@id']))))
  const read = pages.flatMap((page) => (page.status === 'fulfilled' ? page.value.json.member : []))
  // A list with more than are read has a full page.
  const isWhole = prices.length < mostPrices && pages.every(({ status }) => status === 'fulfilled')
  return { events: read, isWhole }
}

/** The address of the events of a document, without the documents. */
export function historyOf(iri: string): string {
  return `/api/events?itemsPerPage=100&resource=${encodeURIComponent(iri)}${wantedProperties}`
}

/** The sequence behind the last event. */
export async function endOfFeed(): Promise<number> {
  return Number((await call('/api/events?itemsPerPage=0')).json.totalItems) + 1
}

/** Events before a sequence that are wanted, the latest first: enough for a page, or what a thousand of them hold. */
export async function eventsBefore(sequence: number, wanted: Wanted): Promise<Found> {
  const events: Event[] = []
  let before = sequence
  for (let windows = 0; windows < mostWindows && before > 1 && events.length < enough; windows++) {
    const after = Math.max(0, before - 1 - windowSize)
    const found = await windowOf(after, before, wanted.topic)
    events.push(...found.filter((each) => isWanted(each, wanted)).toReversed())
    before = after + 1
    const [oldest] = found
    if (wanted.from && oldest && oldest.occurredAt < startOf(wanted.from)) return { events, before: null }
  }
  return { events, before: before > 1 ? before : null }
}

async function windowOf(after: number, before: number, topic: string): Promise<Event[]> {
  const filter = topic && `&topic=${encodeURIComponent(topic)}`
  const found: Event[] = []
  let next: string | undefined =
    `/api/events?itemsPerPage=${windowSize}&after=${after}${filter}${wantedProperties}`
  while (next !== undefined) {
    const page: EventPage = (await call<EventPage>(next)).json
    found.push(...page.member.filter((each) => each.sequence < before))
    next =
      found.length < page.member.length || (page.member.at(-1)?.sequence ?? before) >= before - 1
        ? undefined
        : page.view?.next
  }
  return found
}

function isWanted({ actor, occurredAt }: Event, { person, from, until }: Wanted): boolean {
  const who = `${actor?.subject ?? ''} ${actor?.client ?? ''}`.toLowerCase()
  return (
    who.includes(person.toLowerCase()) &&
    (from === '' || occurredAt >= startOf(from)) &&
    (until === '' || occurredAt < startOf(until, 1))
  )
}

/** The beginning of a day by the clocks of the shop, some days on, as the service writes moments. */
function startOf(day: string, later = 0): string {
  const date = new Date(`${day}T00:00Z`)
  date.setUTCDate(date.getUTCDate() + later)
  return instantIn(date.toISOString().slice(0, 16), shopZone())?.toISOString() ?? ''
}
