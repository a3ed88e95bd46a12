import { randomUUID } from 'node:crypto'
import type { Reply } from '../support/shop.ts'
import type { World } from './world.ts'

/** A change that a client asked for. */
export type Asked = {
  /** A text that the change, and no other, writes into a resource; null for one that writes none. */
  readonly marker: string | null
  readonly what: string
  /** Whether the client got a success. Otherwise the change may have happened, but only once. */
  acknowledged: boolean
}

const minute = 60_000

type Known = { readonly iri: string; archived: boolean }

/** A client that stores its keys: it repeats a failed request with the same Idempotency-Key, and then stops. */
export class Client {
  readonly asked: Asked[] = []
  /** Called when storage was away, before it asks again. */
  refused = (): void => {}
  readonly #world: World
  readonly #products: Known[] = []
  readonly #offers: { readonly iri: string; readonly from: number }[] = []
  readonly #categories: string[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** The products that are not archived. */
  live(): string[] {
    return this.#products.flatMap(({ iri, archived }) => (archived ? [] : [iri]))
  }

  /** Returns a function that forgets everything since now. */
  remember(): () => void {
    const products = this.#products.map((each) => ({ ...each }))
    const counts = [this.asked.length, this.#offers.length, this.#categories.length] as const
    return () => {
      this.#products.splice(0, this.#products.length, ...products)
      this.asked.splice(counts[0])
      this.#offers.splice(counts[1])
      this.#categories.splice(counts[2])
    }
  }

  /** Makes one change, of a kind that the stored resources allow. */
  async change(): Promise<void> {
    const { chance } = this.#world
    const live = this.#products.filter((each) => !each.archived)
    const kind = chance.weighted({
      product: 2,
      patch: live.length > 0 ? 5 : 0,
      offer: live.length > 0 ? 3 : 0,
      price: this.#offers.length > 0 ? 2 : 0,
      category: 1,
      remove: live.length > 1 ? 1 : 0,
      nothing: live.length > 0 ? 1 : 0,
    })
    const marker = `mark-${randomUUID()}`
    if (kind === 'product') {
      const made = await this.#ask(marker, 'POST', '/api/products', {
        title: 'Coat',
        vendor: marker,
        options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
        variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
        categories: this.#categories.slice(0, 2),
      })
      if (made) this.#products.push({ iri: made.body['@id'], archived: false })
      return
    }
    if (kind === 'category') {
      const made = await this.#ask(marker, 'POST', '/api/categories', { title: 'Coats', description: marker })
      if (made) this.#categories.push(made.body['@id'])
      return
    }
    if (kind === 'price') {
      const { iri, from } = chance.one(this.#offers)
      const until = this.#moment()
      const window = until > from && chance.is(0.5) ? { validUntil: new Date(until).toISOString() } : {}
      await this.#ask(marker, 'PATCH', iri, { externalId: marker, ...window })
      return
    }
    const product = chance.one(live)
    if (kind === 'patch') await this.#ask(marker, 'PATCH', product.iri, { vendor: marker })
    if (kind === 'nothing') await this.#ask(null, 'PATCH', product.iri, { title: 'Coat' })
    if (kind === 'offer') {
      const read = await this.#world.shop.get(product.iri).catch(() => null)
      const variant = read?.body.variants[0]?.['@id']
      if (!variant) return
      const from = this.#moment()
      const window = {
        validFrom: new Date(from).toISOString(),
        ...(chance.is(0.5)
          ? { validUntil: new Date(from + 1 + chance.below(chance.one([5_000, minute]))).toISOString() }
          : {}),
      }
      const offer = { variant, amount: '10.00', currency: 'EUR', externalId: marker, ...window }
      const made = await this.#ask(marker, 'POST', '/api/sale_offers', offer)
      if (made) this.#offers.push({ iri: made.body['@id'], from })
    }
    if (kind === 'remove') {
      product.archived = true
      await this.#ask(null, 'DELETE', product.iri)
    }
  }

  /** A moment of the next seconds, minutes or hours, by the history's clock. */
  #moment(): number {
    const { chance } = this.#world
    return this.#world.now() + 1 + chance.below(chance.one([3_000, 6_000, minute, 180 * minute]))
  }

  async #ask(marker: string | null, method: string, path: string, body?: unknown): Promise<Reply | null> {
    const asked: Asked = { marker, what: `${method} ${path}`, acknowledged: false }
    if (marker !== null) this.asked.push(asked)
    const headers = { 'idempotency-key': randomUUID() }
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const reply = await this.#world.shop
        .request(method, path, { headers, ...(body === undefined ? {} : { body }) })
        .catch((error: Error) => {
          if (/ answered 503/.test(error.message)) return null
          throw error
        })
      if (reply === null) this.refused()
      if (reply === null || reply.status === 409) continue
      if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
      asked.acknowledged = true
      return reply
    }
    return null
  }
}
