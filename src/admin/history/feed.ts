/** The latest changes of the whole catalogue. The feed runs forwards by sequence, so it is read in windows that go backwards. */
import type { Json } from '../core/changed.ts'
import { instantIn } from '../core/clock.ts'
import { call } from '../core/http.ts'
import { everyMember } from '../core/pages.ts'
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
  /** The language of the texts in the changes; null for old events. */
  readonly locale?: string | null
  readonly changes: readonly Change[]
}

type EventPage = { readonly member: readonly Event[]; readonly view?: { readonly next?: string } }

/** The filters; an empty filter matches everything. Days are those of the tenant's time zone. */
export type Wanted = {
  readonly topic: string
  readonly person: string
  readonly from: string
  readonly until: string
}

/** Of an event without its document, which this page does not show. */
const wantedProperties = [
  'sequence',
  'topic',
  'resource',
  'occurredAt',
  'effectiveAt',
  'actor',
  'locale',
  'changes',
]
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

/** A page of a history. */
export type HistoryPage = {
  readonly events: readonly Event[]
  /** The time after which no later page has events; empty if a later page can have later events, or if this page is the last. */
  readonly end: string
  /** The addresses of the lists that have more. */
  readonly next: readonly string[]
  /** Whether the service still has all events of each price. */
  readonly isWhole: boolean
}

/** Prices of a list whose events one page of a history has: each costs a request. */
const pricesOfPage = 10

/** The addresses of the first page of a product's history: its trail, and its prices with the latest changes, which have no trail. */
export function historyOfProduct(iri: string, hasPrices: boolean): string[] {
  const prices = `${prefix}product=${encodeURIComponent(iri)}&order[updatedAt]=desc&itemsPerPage=${pricesOfPage}&properties[]=updatedAt`
  return [`${iri}/audit_trail?itemsPerPage=20`, ...(hasPrices ? [prices, `${prices}&status=ARCHIVED`] : [])]
}

const prefix = '/api/sale_offers?'

/** Reads a page of each list. Lists with the latest events first are shown together as far as all of them are read. */
export async function readHistory(paths: readonly string[]): Promise<HistoryPage> {
  const lists = await Promise.all(paths.map(readList))
  const ends = lists.flatMap(({ end, next }) => (next === undefined ? [] : end))
  return {
    events: lists.flatMap(({ events }) => events),
    end: ends.toSorted().at(-1) ?? '',
    next: lists.flatMap(({ next }) => next ?? []),
    isWhole: lists.every(({ isWhole }) => isWhole),
  }
}

type Price = { readonly '@id': string; readonly updatedAt: string }

async function readList(path: string) {
  if (!path.startsWith(prefix)) {
    const { member, view } = (await call<EventPage>(path)).json
    const isLatestFirst = path.includes('/audit_trail?')
    return {
      events: member,
      end: isLatestFirst ? (member.at(-1)?.occurredAt ?? '') : '',
      next: view?.next,
      isWhole: true,
    }
  }
  const { json } = await call<{ member: Price[]; view?: { next?: string } }>(path)
  const pages = await Promise.allSettled(
    json.member.map((price) => everyMember<Event>(historyOf(price['@id']))),
  )
  return {
    events: pages.flatMap((page) => (page.status === 'fulfilled' ? page.value : [])),
    end: json.member.at(-1)?.updatedAt ?? '',
    next: json.view?.next,
    // The events of a price are not listed if the first is too old.
    isWhole: pages.every(({ status }) => status === 'fulfilled'),
  }
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
