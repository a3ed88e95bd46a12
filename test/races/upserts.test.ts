/** Random upserts of racing writers, compared with a model: each writer has rows of its own below products that all of them upsert. */
import { expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../support/ledger.ts'
import { openShop, type Reply } from '../support/shop.ts'
import { persistent, race } from './racing.ts'

/** A repeatable sequence of numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The rows of one writer below one product: a variant, and its sale offers by channel. */
type Model = {
  status: string
  barcode: string | null
  offers: Map<string, { amount: string; status: string }>
}

const [writers, turns, products] = [4, 14, ['k/1', 'ключ 2']]
const effectOf = ({ status, headers }: Reply) => `${status} ${headers.get('service-changed')}`

test.each([1, 2, 3])('racing upserts leave the rows of a model, seed %i', async (seed) => {
  const shop = await openShop()
  const randoms = Array.from({ length: writers }, (_, writer) => randomOf(seed * 1000 + writer))
  const models = new Map<string, Model>()
  const replies = await race(writers, turns, async (writer) => {
    const random = randoms[writer]!
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
    const key = pick(products)
    const name = `${key} ${writer}`
    const model: Model = models.get(name) ?? { status: 'NONE', barcode: null, offers: new Map() }
    const body: Record<string, unknown> = { externalId: name }
    const before = JSON.stringify([model.status, model.barcode, [...model.offers]])
    const archives = model.status === 'ACTIVE' && random() < 0.2
    if (archives) Object.assign(body, { status: 'ARCHIVED' })
    else {
      if (random() < 0.5) body.barcode = pick(['a', 'b', null])
      const saleOffers = ['web', 'pos'].flatMap((channel) => {
        if (random() < 0.5) return []
        const known = model.offers.get(channel)
        const isGone = known !== undefined && known.status !== 'ARCHIVED' && random() < 0.2
        const amount = pick(['1.00', '2.00'])
        model.offers.set(channel, isGone ? { ...known, status: 'ARCHIVED' } : { amount, status: 'ACTIVE' })
        return [{ channel, currency: 'EUR', ...(isGone ? { status: 'ARCHIVED' } : { amount }) }]
      })
      if (saleOffers.length > 0 || random() < 0.2) body.saleOffers = saleOffers
    }
    model.status = archives ? 'ARCHIVED' : 'ACTIVE'
    if (Object.hasOwn(body, 'barcode')) model.barcode = body.barcode as string | null
    models.set(name, model)
    const sent = {
      title: `Product ${key}`,
      options: [{ title: 'Writer', values: [{ title: `${writer}` }] }],
      variants: [{ ...body, optionValues: [{ option: 'Writer', value: `${writer}` }] }],
    }
    const path = `/api/products/by-external-id/${encodeURIComponent(key)}`
    const reply = await persistent(() => shop.patch(path, { body: sent }))
    const isChanged = before !== JSON.stringify([model.status, model.barcode, [...model.offers]])
    expect(`${isChanged}`, `${JSON.stringify(sent)} ${reply.text}`).toBe(reply.headers.get('service-changed'))
    return reply
  })
  await shop.rest()
  const effects = replies.map(effectOf)
  const count = (effect: string) => effects.filter((each) => each === effect).length
  expect(count('201 true')).toBe(products.length)
  const topics = (await eventsOf(shop)).map(({ topic }) => topic)
  expect(topics.filter((topic) => topic === 'product/created')).toHaveLength(products.length)
  expect(topics.filter((topic) => topic === 'product/updated')).toHaveLength(count('200 true'))
  for (const key of products) {
    const { member } = await shop.read(`/api/products?externalId=${encodeURIComponent(key)}`)
    expect(member).toHaveLength(1)
    const [product] = member
    const { member: variants } = await shop.read(
      `${product['@id']}/variants?updatedAt[after]=2020-01-01T00:00:00Z`,
    )
    const { member: offers } = await shop.read(
      `/api/sale_offers?product=${product.id}&updatedAt[after]=2020-01-01T00:00:00Z&itemsPerPage=100`,
    )
    const stored = variants.map((variant: Record<string, string>) => [
      variant.externalId,
      variant.status,
      variant.barcode,
      offers
        .filter((offer: Record<string, string>) => offer.variant === variant['@id'])
        .map(({ channel, amount, status }: Record<string, string>) => [channel, amount, status])
        .toSorted(),
    ])
    const expected = [...models]
      .filter(([name]) => name.startsWith(`${key} `))
      .map(([name, { status, barcode, offers: own }]) => [
        name,
        status,
        barcode,
        [...own].map(([channel, offer]) => [channel, offer.amount, offer.status]).toSorted(),
      ])
    expect(stored.toSorted()).toEqual(expected.toSorted())
    expect(product.options[0].values).toHaveLength(expected.length)
  }
  expect(await faultsIn(shop)).toEqual([])
})
