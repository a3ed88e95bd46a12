/** Rules of every history at its end, whatever failed in it. */
import { isDeepStrictEqual } from 'node:util'
import { faultsIn } from '../support/ledger.ts'
import type { Shop } from '../support/shop.ts'
import { type Books, booksOf, type Delivery, untoldAt } from './books.ts'
import { bulkFaults } from './bulk.ts'
import type { Outcome } from './history.ts'
import { changeFaults, incompleteMarkets, indexFaults, orderFaults } from './prices.ts'
import { type Receipt, verifies } from './receiver.ts'
import { tally } from './tally.ts'

type Check = (outcome: Outcome, books: Books) => readonly string[] | Promise<readonly string[]>

/** Attempts after which a delivery no longer delays the next one; and after which it is FAILED. */
const holdsUp = 5
const mostAttempts = 12

/** Names of the rules that a history breaks, each with the violation; empty if it breaks none. */
export async function broken(outcome: Outcome): Promise<string[]> {
  const books = await booksOf(outcome.world.shop)
  count(outcome, books)
  const faults: string[] = []
  for (const [rule, check] of Object.entries(checks)) {
    for (const fault of await check(outcome, books)) faults.push(`${rule}: ${fault}`)
  }
  return faults
}

function count({ world }: Outcome, { events, deliveries }: Books): void {
  const { receipts } = world.receivers
  const accepted = receipts.filter((each) => each.accepted)
  tally.events += events.length
  tally.deliveries += deliveries.length
  tally.requests += receipts.length
  tally.accepted += accepted.length
  tally.repeated += accepted.length - new Set(accepted.map((each) => each.id)).size
}

const checks: Readonly<Record<string, Check>> = {
  'every committed change has exactly one event': ({ world }) => faultsIn(world.shop),

  'every moment that has passed at which an offer began or ended has its event': async ({ world }) => {
    const left = await untoldAt(world.shop, world.now())
    return left === 0 ? [] : [`${left} have none`]
  },

  'a change that was acknowledged is made once, any other once at most': ({ client }, { events }) =>
    client.asked.flatMap(({ markers, what, isDryRun, acknowledged }) => {
      const made = markers.map((marker) => events.filter(({ written }) => written.includes(marker)).length)
      const isMadeOnce = !isDryRun && made.every((count) => count === 1)
      const isNotMade = (isDryRun || !acknowledged) && made.every((count) => count === 0)
      return isMadeOnce || isNotMade ? [] : [`${what} made ${made.join()} events`]
    }),

  'a bulk operation ends, and each of its lines is done once or not at all, as its result says': (
    { world, client },
    books,
  ) => bulkFaults(world, client, books),

  'the cron runs while announced work is due': ({ world }) =>
    world.oversleptAt.map((time) => `it did not at ${new Date(time).toISOString()}`),

  'every event was fanned out': (_, { events }) =>
    events.filter((each) => !each.isFannedOut).map((each) => `event ${each.sequence} ${each.topic}`),

  'every matching subscription has its delivery, and no other has': ({ world }, { due, deliveries }) => {
    // While it is disabled nothing is made for it, also when it is enabled again later.
    const gone = new Set(world.receivers.receipts.filter((each) => each.gone).map(subscriptionIn))
    const keyOf = (each: { eventId: string; subscriptionId: string }) =>
      `${each.eventId}_${each.subscriptionId}`
    const have = new Map(deliveries.map((each) => [keyOf(each), each]))
    const wanted = new Set(due.map(keyOf))
    return [
      ...due
        .filter(
          (each) => each.status !== 'DISABLED' && !gone.has(each.subscriptionId) && !have.has(keyOf(each)),
        )
        .map((each) => `none for ${keyOf(each)}`),
      ...[...have.keys()].filter((key) => !wanted.has(key)).map((key) => `one too many for ${key}`),
      ...(have.size === deliveries.length ? [] : ['two for the same event and subscription']),
    ]
  },

  'a delivery has arrived, or has failed with all its attempts': ({ world }, { deliveries }) => {
    const accepted = new Set(world.receivers.receipts.filter((each) => each.accepted).map((each) => each.id))
    return deliveries.flatMap((each) => {
      const { status, attempts, log } = each
      if (log.length !== attempts || log.some(({ number }, index) => number !== index + 1)) {
        return [`${nameOf(each)} has ${attempts} attempts and a log of ${log.length}`]
      }
      if (status === 'DELIVERED' && !accepted.has(idOf(each))) return [`${nameOf(each)} was never accepted`]
      if (status === 'FAILED' && attempts !== mostAttempts)
        return [`${nameOf(each)} failed after ${attempts} attempts`]
      if (status === 'PENDING' && each.subscriptionStatus === 'ACTIVE') {
        const errors = log.map(({ error }) => error ?? 'none').join(', ')
        return [`${nameOf(each)} still waits after ${attempts} attempts: ${errors}`]
      }
      return []
    })
  },

  'an attempt that reached the receiver is in the log': ({ world, subscriptions }, { deliveries }) => {
    const logs = new Map(deliveries.map((each) => [idOf(each), each.log]))
    const kept = new Set(subscriptions.filter((each) => !each.deleted).map((each) => each.id))
    return world.receivers.receipts
      .filter((each) => kept.has(subscriptionIn(each)))
      .filter(
        (each) =>
          !logs
            .get(each.id)
            ?.some(({ number }) => String(number) === each.headers['service-delivery-attempt']),
      )
      .map((each) => `attempt ${each.headers['service-delivery-attempt']} of ${each.id}`)
  },

  'an event reaches a subscription under one id, and an id has one body': (
    { world, subscriptions },
    { events },
  ) => {
    const bodies = new Map<string, string>()
    const known = new Set(events.flatMap((event) => subscriptions.map(({ id }) => `${event.id}_${id}`)))
    return world.receivers.receipts.flatMap(({ id, text }) => {
      const first = bodies.get(id) ?? text
      bodies.set(id, first)
      return [
        ...(known.has(id) ? [] : [`unknown id ${id}`]),
        ...(first === text ? [] : [`${id} has two bodies`]),
      ]
    })
  },

  'receivers get the changes of a resource in version order': ({ world, subscriptions }, { deliveries }) => {
    const disturbed = new Set(
      subscriptions.filter((each) => each.disturbed || each.deleted).map((each) => each.id),
    )
    const byId = new Map(deliveries.map((each) => [idOf(each), each]))
    const firsts = new Map<string, { receipt: Receipt; delivery: Delivery }[]>()
    const seen = new Set<string>()
    for (const receipt of world.receivers.receipts) {
      const delivery = byId.get(receipt.id)
      if (!delivery || !receipt.accepted || seen.has(receipt.id) || disturbed.has(delivery.subscriptionId))
        continue
      seen.add(receipt.id)
      const key = `${receipt.url} ${delivery.resource}`
      firsts.set(key, [...(firsts.get(key) ?? []), { receipt, delivery }])
    }
    return [...firsts.values()].flatMap((row) =>
      row.flatMap(({ delivery: late, receipt }, index) =>
        row
          .slice(0, index)
          .filter(({ delivery: early }) => early.sequence > late.sequence)
          // Later deliveries may be sent before it once it has failed often enough.
          .filter(({ receipt: before }) => late.log.filter(({ at }) => at <= before.at).length < holdsUp)
          .map(
            ({ delivery: early }) =>
              `${receipt.url} received version ${early.version} before ${nameOf(late)}`,
          ),
      ),
    )
  },

  'every signature verifies': ({ world, subscriptions }) => {
    const secrets = new Map(subscriptions.map((each) => [each.id, each.secrets]))
    return world.receivers.receipts
      .filter((each) => {
        const known = secrets.get(subscriptionIn(each)) ?? []
        return !known.includes('unknown') && !known.some((secret) => verifies(each, secret))
      })
      .map(
        ({ id, at, headers }) =>
          `${id}, ${at / 1000 - Number(headers['webhook-timestamp'])} s after it was signed`,
      )
  },

  'a payload is the resource as its event left it': async ({ world, subscriptions }, { deliveries }) => {
    const plain = new Set(subscriptions.filter((each) => each.plain).map((each) => each.id))
    const byId = new Map(deliveries.map((each) => [idOf(each), each]))
    const feeds = new Map<string, Promise<Map<number, unknown>>>()
    const faults: string[] = []
    // An id has one body, so its first receipt is as good as any.
    const firsts = new Map(world.receivers.receipts.toReversed().map((each) => [each.id, each]))
    for (const { id, text } of firsts.values()) {
      const delivery = byId.get(id)
      if (!delivery || !plain.has(delivery.subscriptionId)) continue
      const { payloadVersion: version, locale } = delivery
      const key = `${version} ${locale}`
      if (!feeds.has(key)) feeds.set(key, feedOf(world.shop, { version, locale }))
      const { '@context': _, ...payload } = JSON.parse(text)
      const outcome = (await feeds.get(key))?.get(delivery.sequence)
      if (!isDeepStrictEqual(payload, outcome)) faults.push(`${nameOf(delivery)} is ${text}`)
    }
    return faults
  },

  'a copy that follows the feed equals the catalogue, also after a restore': ({ follower }) =>
    follower.differences(),

  'an entity tag of a lost time matches no later version': ({ matchingTags }) => matchingTags,

  'a poller that follows the links from the beginning ends with the stored state': async ({
    world: { shop },
  }) => {
    const polled = new Map<string, number>()
    let path: string | undefined = '/api/products?updatedAt[after]=2000-01-01T00:00:00Z&itemsPerPage=2'
    while (path !== undefined) {
      const { body } = await shop.get(path)
      for (const each of body.member) {
        if (polled.has(each.id)) return [`${each.id} came twice`]
        polled.set(each.id, each.version)
      }
      path = body.member.length === 0 ? undefined : body.view?.next
    }
    const { events } = await booksOf(shop)
    const last = new Map(
      events.filter((each) => each.topic.startsWith('product/')).map((each) => [each.resource, each.version]),
    )
    return sameEntries(polled, last) ? [] : ['the poller and the events disagree']
  },

  // These move the clock of the tenant.
  'the prices of every market are complete': incompleteMarkets,

  'the price index has the price of each variant at each moment': indexFaults,

  'the feed of price changes has each change once, and no other': changeFaults,

  'lists in the order of prices have the prices of their moment': orderFaults,
}

/** The documents of the whole change feed, by sequence. */
async function feedOf(shop: Shop, asked: { version: string; locale: string }): Promise<Map<number, unknown>> {
  const documents = new Map<number, unknown>()
  for (let after = 0; ; ) {
    const { body } = await shop.get(`/api/events?after=${after}&itemsPerPage=100`, asked)
    for (const each of body.member) documents.set(each.sequence, each.document)
    if (body.member.length < 100) return documents
    after = body.member.at(-1).sequence
  }
}

function sameEntries(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}

/** The subscription that an id was made for. */
function subscriptionIn({ id }: Receipt): string {
  return id.split('_')[1] ?? ''
}

function idOf({ eventId, subscriptionId }: Delivery): string {
  return `${eventId}_${subscriptionId}`
}

function nameOf({ subscriptionId, resource, version, sequence }: Delivery): string {
  return `the delivery of ${resource} version ${version} (sequence ${sequence}) to ${subscriptionId}`
}
