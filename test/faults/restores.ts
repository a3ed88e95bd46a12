/** Restores of the database to an earlier time, and what clients of the lost time do afterwards. */
import { restoreAndRecover, type SavedRows, saveRows } from '../support/earlier.ts'
import type { Reply } from '../support/shop.ts'
import type { Client } from './client.ts'
import type { Subscribed } from './history.ts'
import { tally } from './tally.ts'
import { clockOf, type World } from './world.ts'

/** A copy of the active products, by IRI and version. It follows the feed, and ignores topics of others. */
export class Follower {
  readonly #world: World
  #versions = new Map<string, number>()
  #sequence: number | null = null

  constructor(world: World) {
    this.#world = world
  }

  /** Reads the new events, or the whole list if it cannot continue. A failed request is left to the next call. */
  async follow(): Promise<void> {
    for (;;) {
      if (this.#sequence === null && !(await this.#begin())) return
      const reply = await this.#get(`/api/events?after=${this.#sequence}&topic=product/*&itemsPerPage=100`)
      if (reply === null) return
      if (reply.status === 409) {
        this.#sequence = null
        continue
      }
      for (const { topic, resource, resourceVersion, sequence } of reply.body.member) {
        if (topic === 'product/deleted') this.#versions.delete(resource)
        else if (topic.startsWith('product/')) this.#versions.set(resource, resourceVersion)
        this.#sequence = sequence
      }
      if (reply.body.member.length < 100) return
    }
  }

  /** The products in which the copy and the catalogue differ. */
  async differences(): Promise<string[]> {
    const { member } = await this.#world.shop.read('/api/products?itemsPerPage=100')
    const stored = new Map<string, number>(
      member.map((each: { '@id': string; version: number }) => [each['@id'], each.version]),
    )
    return [...new Set([...stored.keys(), ...this.#versions.keys()])]
      .filter((iri) => stored.get(iri) !== this.#versions.get(iri))
      .map((iri) => `${iri} is version ${stored.get(iri)}, and ${this.#versions.get(iri)} in the copy`)
  }

  async #begin(): Promise<boolean> {
    const head = await this.#get('/api/events?itemsPerPage=0')
    const list = head && (await this.#get('/api/products?itemsPerPage=100'))
    if (!list) return false
    this.#versions = new Map(
      list.body.member.map((each: { '@id': string; version: number }) => [each['@id'], each.version]),
    )
    this.#sequence = Number(head.headers.get('service-sequence'))
    return true
  }

  #get(path: string): Promise<Reply | null> {
    return this.#world.shop.get(path).catch(() => null)
  }
}

type Past = {
  readonly rows: SavedRows
  readonly receipts: number
  readonly forget: () => void
  readonly deleted: readonly boolean[]
}

/** The entity tag of a version that was lost. */
type LostTag = { readonly iri: string; readonly tag: string; readonly version: number }

/** Saves a history once, and goes back to it once. */
export class Restores {
  readonly #lostTags: LostTag[] = []
  #past: Past | null = null
  #isOver = false

  async act(world: World, client: Client, subscriptions: readonly Subscribed[]): Promise<void> {
    if (this.#isOver) return
    await world.settled()
    await world.line.rolledBack()
    if (this.#past) await this.#restore(this.#past, world, client, subscriptions)
    else
      this.#past = {
        rows: await saveRows(world.shop.tenant.id),
        receipts: world.receivers.receipts.length,
        forget: client.remember(),
        deleted: subscriptions.map((each) => each.deleted),
      }
  }

  /** Brings products to the versions that were lost, and sends their tags. Returns those that matched. */
  async matchingTags({ shop }: World): Promise<string[]> {
    const matching: string[] = []
    tally.lostTags += this.#lostTags.length
    for (const { iri, tag, version } of this.#lostTags) {
      const stored = await shop.read(iri)
      // Another product may have its handle by now.
      if (stored.status === 'ARCHIVED') await shop.update(iri, { status: 'ACTIVE', handle: stored.id })
      for (let current = (await shop.read(iri)).version; current < version; current += 1)
        await shop.update(iri, { vendor: `after the restore ${current}` })
      const { status } = await shop.patch(iri, {
        headers: { 'if-match': tag },
        body: { vendor: 'by a lost tag' },
      })
      if (status !== 412) matching.push(`${tag} of ${iri} answered ${status}`)
    }
    return matching
  }

  async #restore(
    past: Past,
    world: World,
    client: Client,
    subscriptions: readonly Subscribed[],
  ): Promise<void> {
    const { shop, receivers } = world
    this.#isOver = true
    tally.restores += 1
    const before = new Map<string, string>()
    for (const iri of client.live()) {
      const tag = await shop
        .get(iri)
        .then(({ headers }) => headers.get('etag'))
        .catch(() => null)
      if (tag !== null) before.set(iri, tag)
    }
    past.forget()
    await restoreAndRecover(shop.tenant.id, past.rows, await clockOf(shop))
    shop.restart()
    // The operator checks the service, which starts the work of the restored database.
    await shop.get('/ready').catch(() => null)
    receivers.receipts.splice(past.receipts)
    for (const [index, subscription] of subscriptions.entries())
      subscription.deleted = past.deleted[index] ?? subscription.deleted
    for (const iri of client.live()) {
      const tag = before.get(iri)
      const current = await shop
        .get(iri)
        .then(({ headers }) => headers.get('etag'))
        .catch(() => null)
      if (tag === undefined || current === null) continue
      const versionIn = (text: string) => Number.parseInt(text.slice(1), 10)
      const version = versionIn(tag)
      if (version > versionIn(current)) this.#lostTags.push({ iri, tag, version })
    }
  }
}
