import { randomUUID } from 'node:crypto'
import type { Reply, Asked as Sent } from '../support/shop.ts'
import type { Submitted } from './bulk.ts'
import type { World } from './world.ts'

/** A change that a client asked for. */
export type Asked = {
  /** Texts, each of which the change, and no other, writes into one resource. All are written, or none. */
  readonly markers: readonly string[]
  readonly what: string
  readonly isDryRun: boolean
  /** Whether the client got a success. Otherwise the change may have happened, but only once. */
  acknowledged: boolean
}

const minute = 60_000

type Known = { readonly iri: string; archived: boolean }
type KnownOffer = { readonly iri: string; readonly variant: string; readonly from: number }

/** A client that stores its keys: it repeats a failed request with the same Idempotency-Key, and then stops. */
export class Client {
  readonly asked: Asked[] = []
  readonly operations: Submitted[] = []
  /** Called when storage was away, before it asks again. */
  refused = (): void => {}
  readonly #world: World
  readonly #products: Known[] = []
  readonly #offers: KnownOffer[] = []
  readonly #categories: string[] = []
  readonly #variants: Known[] = []
  #markets: string[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** The resources that the client knows, for changes that it does not make itself. */
  get known() {
    return { products: this.#products, offers: this.#offers }
  }

  /** The products that are not archived. */
  live(): string[] {
    return this.#products.flatMap(({ iri, archived }) => (archived ? [] : [iri]))
  }

  /** Returns a function that forgets everything since now. */
  remember(): () => void {
    const products = this.#products.map((each) => ({ ...each }))
    const variants = this.#variants.map((each) => ({ ...each }))
    const markets = this.#markets
    const counts = [this.asked.length, this.#offers.length, this.#categories.length] as const
    const operations = this.operations.map((each) => ({ ...each }))
    return () => {
      this.#products.splice(0, this.#products.length, ...products)
      this.#variants.splice(0, this.#variants.length, ...variants)
      this.#markets = markets
      this.operations.splice(0, this.operations.length, ...operations)
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
      if (made) this.#keep(made.body)
      return
    }
    if (kind === 'category') {
      const made = await this.#ask(marker, 'POST', '/api/categories', { title: 'Coats', description: marker })
      if (made) this.#categories.push(made.body['@id'])
      return
    }
    if (kind === 'price') {
      const offer = chance.one(this.#offers)
      const until = this.#moment()
      const window = until > offer.from && chance.is(0.5) ? { validUntil: new Date(until).toISOString() } : {}
      await this.#ask(marker, 'PATCH', offer.iri, { externalId: marker, ...window })
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
      if (made) this.#offers.push({ iri: made.body['@id'], variant, from })
    }
    if (kind === 'remove') {
      product.archived = true
      await this.#ask(null, 'DELETE', product.iri)
    }
  }

  /** Patches several products in one commit, or none. */
  async batch(): Promise<void> {
    const { chance } = this.#world
    const products = this.live().slice(-2 - chance.below(3))
    const markers = products.map(() => `mark-${randomUUID()}`)
    const elements = products.map((iri, index) => ({ '@id': iri, vendor: markers[index] }))
    const unknown = { '@id': `/api/products/${randomUUID()}`, title: 'Coat' }
    const body = chance.is(0.2) ? [...elements, unknown] : elements
    if (products.length > 0) await this.ask(markers, 'PATCH', '/api/products', { body })
  }

  /** Sends a change that changes nothing. */
  async dryRun(): Promise<void> {
    const marker = `mark-${randomUUID()}`
    const headers = { 'service-dry-run': 'true' }
    const [iri = null] = this.live().slice(-1)
    if (iri === null || this.#world.chance.is(0.5))
      await this.ask([marker], 'POST', '/api/categories', { body: { title: marker }, headers })
    else await this.ask([marker], 'PATCH', iri, { body: { vendor: marker }, headers })
  }

  /** Makes the markets, and a product with two prices, that every history begins with. */
  async begin(): Promise<void> {
    const { chance, shop } = this.#world
    for (let left = 2 + chance.below(2); left > 0; left -= 1) {
      const { '@id': iri } = await shop.create('/api/markets', { key: `m-${randomUUID()}`, ...this.#place() })
      this.#markets.push(iri)
    }
    const saleOffers = () => [0, 1].map(() => ({ currency: 'EUR', amount: this.#amount() }))
    const body = await shop.create('/api/products', {
      title: 'Coat',
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      variants: ['S', 'M'].map((value) => ({
        optionValues: [{ option: 'Size', value }],
        saleOffers: saleOffers(),
      })),
    })
    this.#keep(body)
    const { member } = await shop.read('/api/sale_offers')
    for (const { '@id': iri, variant } of member) this.#offers.push({ iri, variant, from: 0 })
  }

  /** Makes one change on which prices in markets depend. The service may refuse it. */
  async price(): Promise<void> {
    const { chance } = this.#world
    const marker = `mark-${randomUUID()}`
    const variant = chance.one(this.#variants)
    const kind = chance.weighted({ offer: 4, edit: 6, state: 2, variant: 2, product: 2, market: 3 })
    if (kind === 'offer') {
      const offer = {
        variant: variant.iri,
        currency: chance.one(['EUR', 'EUR', 'USD']),
        amount: this.#amount(),
        ...this.#terms(),
      }
      const made = await this.#ask(marker, 'POST', '/api/sale_offers', { ...offer, externalId: marker })
      if (made) this.#offers.push({ iri: made.body['@id'], variant: variant.iri, from: 0 })
    }
    if (kind === 'edit') await this.#edit(chance.one(this.#offers))
    if (kind === 'state') {
      const status = chance.one(['ACTIVE', 'ARCHIVED'])
      await this.#ask(marker, 'PATCH', chance.one(this.#offers).iri, { status, externalId: marker })
    }
    if (kind === 'variant') {
      variant.archived = !variant.archived
      const status = variant.archived ? 'ARCHIVED' : 'ACTIVE'
      await this.#ask(marker, 'PATCH', variant.iri, { status, sku: marker })
    }
    if (kind === 'product') {
      const product = chance.one(this.#products)
      product.archived = !product.archived
      if (product.archived) await this.#ask(null, 'DELETE', product.iri)
      else await this.#ask(marker, 'PATCH', product.iri, { status: 'ACTIVE', vendor: marker })
    }
    if (kind === 'market') await this.#market(marker)
  }

  /** Edits two offers of a variant at once. */
  async race(): Promise<void> {
    const byVariant = Map.groupBy(this.#offers, ({ variant }) => variant)
    const offers = this.#world.chance.one([...byVariant.values()].filter(({ length }) => length > 1))
    await Promise.all(offers.slice(-2).map((offer) => this.#edit(offer)))
  }

  async #edit({ iri }: KnownOffer): Promise<void> {
    const marker = `mark-${randomUUID()}`
    await this.#ask(marker, 'PATCH', iri, { externalId: marker, amount: this.#amount(), ...this.#terms() })
  }

  async #market(marker: string): Promise<void> {
    const { chance } = this.#world
    const kind = chance.weighted({ create: this.#markets.length < 4 ? 1 : 0, change: 2, remove: 1 })
    const iri = chance.one(this.#markets)
    const body = { key: marker, ...this.#place() }
    if (kind === 'create') {
      const made = await this.#ask(marker, 'POST', '/api/markets', body)
      if (made) this.#markets = [...this.#markets, made.body['@id']]
    } else if (kind === 'change') await this.#ask(marker, 'PATCH', iri, body)
    else if (this.#markets.length > 1) {
      this.#markets = this.#markets.filter((each) => each !== iri)
      await this.#ask(null, 'DELETE', iri)
    }
  }

  #place() {
    const { chance } = this.#world
    return {
      channel: chance.one(['web', 'shop']),
      country: chance.one(['FR', 'DE']),
      currency: chance.one(['EUR', 'EUR', 'USD']),
    }
  }

  #amount(): string {
    return `${1 + this.#world.chance.below(9)}.00`
  }

  /** Some terms of an offer, most of which leave it valid now or later. */
  #terms() {
    const { chance } = this.#world
    const text = (moment: number) => new Date(moment).toISOString()
    const [from, until] = [this.#moment(), this.#moment()].toSorted((a, b) => a - b)
    return {
      ...(chance.is(0.3) && { validFrom: chance.is(0.2) ? null : text(from!) }),
      ...(chance.is(0.3) && { validUntil: chance.is(0.2) ? null : text(until! + 1) }),
      ...(chance.is(0.2) && { channel: chance.one([null, 'web', 'shop']) }),
      ...(chance.is(0.2) && { countries: chance.one([[], ['FR'], ['DE', 'FR']]) }),
      ...(chance.is(0.2) && { compareAtAmount: chance.one([null, '12.00']) }),
      ...(chance.is(0.2) && { priority: chance.below(2) }),
      ...(chance.is(0.1) && { minQuantity: 1 + chance.below(2) }),
    }
  }

  #keep(product: Reply['body']): void {
    this.#products.push({ iri: product['@id'], archived: false })
    for (const { '@id': iri } of product.variants) this.#variants.push({ iri, archived: false })
  }

  /** A moment of the next seconds, minutes or hours, by the history's clock. */
  #moment(): number {
    const { chance } = this.#world
    return this.#world.now() + 1 + chance.below(chance.one([3_000, 6_000, minute, 180 * minute]))
  }

  #ask(marker: string | null, method: string, path: string, body?: unknown): Promise<Reply | null> {
    return this.ask(marker === null ? [] : [marker], method, path, body === undefined ? {} : { body })
  }

  /** Sends a request until it has an answer, four times at most. Returns null without a success. */
  async ask(
    markers: readonly string[],
    method: string,
    path: string,
    { headers: own = {}, ...sent }: Pick<Sent, 'body' | 'headers'> = {},
  ): Promise<Reply | null> {
    const isDryRun = 'service-dry-run' in own
    const asked: Asked = { markers, what: `${method} ${path}`, isDryRun, acknowledged: false }
    this.asked.push(asked)
    const headers = { 'idempotency-key': randomUUID(), ...own }
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const reply = await this.#world.shop
        .request(method, path, { headers, ...sent })
        .catch((error: Error) => {
          if (/ answered 503/.test(error.message)) return null
          throw error
        })
      if (reply === null) this.refused()
      if (reply === null || reply.status === 409) continue
      // Terms that contradict each other, and a resource that was removed.
      if (reply.status === 422 || reply.status === 404) return null
      if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
      asked.acknowledged = true
      return reply
    }
    return null
  }
}
