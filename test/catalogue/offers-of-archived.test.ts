/** Offers of an archived product or variant: INACTIVE while it is archived, and only archiving is accepted. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

type Item = Record<string, unknown> & { '@id': string; id: string; version: number }

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const newProduct = async (title: string) =>
  (await shop.create('/api/products', { title, variants: [{}] })) as Item & {
    variants: [Item]
  }

const kinds = [
  ['/api/sale_offers', { amount: '10.00' }],
  ['/api/purchase_offers', { cost: '4.00', supplier: 'acme' }],
] as const

describe.each(kinds)('%s', (path, terms) => {
  describe.each(['product', 'variant'] as const)('of an archived %s', (owner) => {
    let archivedOwner: Item
    let offer: Item
    let draft: Item
    let other: Item
    let listOf: (state: string) => Promise<string[]>

    beforeAll(async () => {
      const product = await newProduct(`Shirt ${path} ${owner}`)
      const [variant] = product.variants
      archivedOwner = owner === 'product' ? product : variant
      const create = async (of: Item, more: object = {}) => {
        const body = { variant: of['@id'], currency: 'EUR', ...terms, ...more }
        return (await shop.create(path, body)) as Item
      }
      offer = await create(variant)
      draft = await create(variant, { status: 'DRAFT' })
      other = await create((await newProduct(`Other ${path} ${owner}`)).variants[0])
      listOf = async (state) => {
        const ids = [offer, draft, other].map(({ id }) => `id[]=${id}`).join('&')
        const body = await shop.read(`${path}?state=${state}&${ids}`)
        return (body.member as Item[]).map(({ id }) => id).sort()
      }
      await shop.delete(archivedOwner['@id'], { status: 204 })
    })

    test('the state is INACTIVE in items, lists and filters, and version and status stay', async () => {
      const body = await shop.read(offer['@id'])
      expect(body).toMatchObject({ state: 'INACTIVE', status: 'ACTIVE', version: offer.version })
      expect(await listOf('INACTIVE')).toEqual([offer.id, draft.id].sort())
      expect(await listOf('LIVE')).toEqual([other.id])
      const list = await shop.read(`${path}?variant=${offer.variant}`)
      expect((list.member as Item[]).map(({ state }) => state)).toEqual(['INACTIVE', 'INACTIVE'])
    })

    test('a change is 409 and names the archived resource; the same values again are no change', async () => {
      const { body } = await shop.patch(offer['@id'], { body: { minQuantity: 5 }, status: 409 })
      expect(body).toMatchObject({
        slug: `${owner}.archived`,
        detail: expect.stringContaining(`${archivedOwner['@id']} is archived`),
        violations: [{ propertyPath: 'variant' }],
      })
      await shop.patch(draft['@id'], { body: { status: 'ACTIVE' }, status: 409 })
      const same = await shop.update(offer['@id'], { currency: 'EUR' })
      expect(same).toMatchObject({ state: 'INACTIVE', version: offer.version })
    })

    test('archiving is accepted; restoring waits for the owner, and brings the state back', async () => {
      await shop.delete(draft['@id'], { status: 204 })
      await shop.patch(draft['@id'], { body: { status: 'DRAFT' }, status: 409 })
      await shop.update(archivedOwner['@id'], { status: 'ACTIVE' })
      expect((await shop.get(offer['@id'])).body).toMatchObject({ state: 'LIVE', version: offer.version })
      expect(await listOf('LIVE')).toEqual([offer.id, other.id].sort())
      const changed = await shop.update(offer['@id'], { minQuantity: 5 })
      expect(changed).toMatchObject({ state: 'LIVE', minQuantity: 5 })
    })
  })
})
