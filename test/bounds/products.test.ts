import { beforeAll, describe, expect, it } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { asOwner } from '../support/database.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { html, options, pictures, variants } from './large.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const bytesOf = ({ text }: Reply) => Buffer.byteLength(text)

/** Adds variants in bulks, since a body ends at 1 MiB. */
async function addVariants(product: string, bodies: readonly object[], atOnce: number): Promise<void> {
  for (let from = 0; from < bodies.length; from += atOnce) {
    await shop.create(`${product}/variants`, bodies.slice(from, from + atOnce))
  }
}

describe('a product with 30 variants of 250 pictures each', () => {
  let product: string
  beforeAll(async () => {
    const made = options(1, 30)
    const created = await shop.create('/api/products', { title: 'Heavy', options: made })
    product = created['@id']
    await addVariants(product, variants(30, made, { media: pictures(250, 1500) }), 2)
  }, 120_000)

  it('returns an item within its byte limit without variants, with their total and a link', async () => {
    const { body, ...reply } = await shop.get(product, { status: 200 })
    expect(bytesOf({ body, ...reply })).toBeLessThanOrEqual(byteLimits.item)
    expect(body.variantsTotal).toBe(30)
    expect(body.variants).toEqual([])
    expect(body.variantsView.next).toContain('position%5Bfrom%5D=0')
  })

  it('shows every variant once to who follows the links', async () => {
    const seen: string[] = []
    const { body } = await shop.get(product)
    seen.push(...body.variants.map((each: { id: string }) => each.id))
    for (let next = body.variantsView.next; next; ) {
      const page = await shop.get(next, { status: 200 })
      expect(bytesOf(page)).toBeLessThanOrEqual(byteLimits.answer)
      seen.push(...page.body.member.map((each: { id: string }) => each.id))
      next = page.body.view.next
    }
    expect(seen.length).toBe(30)
    expect(new Set(seen).size).toBe(30)
  })

  it('is in a list within its limit, can be changed, and archived', async () => {
    const list = await shop.get('/api/products', { status: 200 })
    expect(bytesOf(list)).toBeLessThan(2 * byteLimits.variantsInList + 100_000)
    const patched = await shop.patch(product, { body: { title: 'Heavier' }, status: 200 })
    expect(patched.body.title).toBe('Heavier')
    expect(bytesOf(patched)).toBeLessThanOrEqual(byteLimits.item)
    await shop.delete(product, { status: 204 })
    expect((await shop.read(product)).status).toBe('ARCHIVED')
  })
})

describe('a product of 10 options with 250 values each', () => {
  let product: string
  const made = options(10, 250, 12)
  beforeAll(async () => {
    const created = await shop.create('/api/products', {
      title: 'Wide',
      options: made,
      variants: variants(20, made),
    })
    product = created['@id']
  }, 60_000)

  it('leaves the values out of an item, with totals and links, and shows the variants in full', async () => {
    const reply = await shop.get(product, { status: 200 })
    expect(bytesOf(reply)).toBeLessThanOrEqual(byteLimits.item)
    expect(reply.body.options).toHaveLength(10)
    for (const option of reply.body.options) {
      expect(option).not.toHaveProperty('values')
      expect(option.valuesTotal).toBe(250)
      const values = await shop.read(`${option.valuesView.next}&itemsPerPage=0`)
      expect(values.totalItems).toBe(250)
    }
    expect(reply.body.variants).toHaveLength(20)
    expect(reply.body.variants[0].optionValues).toHaveLength(10)
    expect(reply.body.variants[0].title).toBe(made.map(({ values }) => values[0]!.title).join(' / '))
  })

  it('reads the same in a list, where only the values of its variants are read', async () => {
    const body = await shop.read('/api/products?handle=wide')
    const item = await shop.get(product)
    expect(body.member[0].options).toEqual(item.body.options)
    expect(body.member[0].variants).toEqual(item.body.variants)
  })

  it('shows all values on the option itself, and takes a change of any', async () => {
    const { body } = await shop.get(product)
    const option = await shop.read(body.options[9]['@id'])
    expect(option.values).toHaveLength(250)
    const patched = await shop.update(option.values[249]['@id'], { title: 'last' })
    expect(patched.title).toBe('last')
  })

  it('keeps the values of an option where they have room', async () => {
    const body = await shop.create('/api/products', { title: 'Narrow', options: options(2, 100) })
    expect((await shop.get(body['@id'])).body.options[1].values).toHaveLength(100)
    const list = await shop.get('/api/products?handle=narrow')
    expect(list.body.member[0].options[1].valuesTotal).toBe(100)
  })
})

describe('options of a product', () => {
  it('weigh no more than is read whole with every write, in all languages', async () => {
    const created = await shop.create('/api/products', { title: 'Texts', options: options(10, 240, 250) })
    const [first] = created.options
    const value = { option: first['@id'], title: 'one more' }
    await shop.create('/api/option_values', value)
    // As ten languages would leave them, which takes as many thousand writes.
    await asOwner(
      `update option_values set translations = translations || jsonb_build_object('fr-FR', jsonb_build_object('title', repeat('v', 200)))
        where product_id = $1`,
      [created.id],
    )
    const refused = await shop.post('/api/option_values', { body: { ...value, title: 'too many' } })
    expect([refused.status, refused.body.slug]).toEqual([422, 'validation.document_too_large'])
    await shop.delete(created['@id'], { status: 204 })
  }, 60_000)
})

describe('a row', () => {
  it('accepts no more than its limit, and an accepted one can be read and sent back', async () => {
    const media = (count: number) => ({ media: pictures(count, 1960) })
    const refused = await shop.post('/api/products', { body: { title: 'Too many pictures', ...media(250) } })
    expect(refused.status).toBe(201)
    const description = html(60_000)
    const beyond = await shop.patch(refused.body['@id'], { body: { description } })
    expect([beyond.status, beyond.body.slug]).toEqual([422, 'validation.document_too_large'])
    expect(beyond.body.violations[0].propertyPath).toBe('')
    const within = await shop.update(refused.body['@id'], { description, ...media(200) })
    const { body, text } = await shop.get(refused.body['@id'], { status: 200 })
    expect(body.media).toHaveLength(200)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(byteLimits.item)
    const again = await shop.update(body['@id'], body)
    expect(again.version).toBe(within.version)
  })

  it('has a bound in all its languages together', async () => {
    const many = await openShop({
      locales: ['en-US', 'fr-FR', 'de-DE', 'es-ES', 'it-IT', 'nl-NL', 'pl-PL', 'sv-SE', 'da-DK', 'fi-FI'],
    })
    const created = await many.create('/api/products', {
      title: 'Many tongues',
      description: 'é'.repeat(60_000),
    })
    const statuses: number[] = []
    for (const locale of many.tenant.locales.slice(1)) {
      const { status } = await many.patch(created['@id'], {
        locale,
        body: { description: 'é'.repeat(60_000) },
      })
      statuses.push(status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 422, 422, 422])
    await many.get(`${created['@id']}/translations`, { status: 200 })
  })
})

describe('a write', () => {
  it('of 50 products with 17 kB of HTML each and an idempotency key is made, and replayed', async () => {
    const body = Array.from({ length: 50 }, (_, index) => ({
      title: `HTML ${index}`,
      description: html(17_000),
    }))
    const asked = { body, headers: { 'idempotency-key': '"fifty"' } }
    const first = await shop.post('/api/products', asked)
    expect(first.status).toBe(201)
    const again = await shop.post('/api/products', asked)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body.member.map((each: { id: string }) => each.id)).toEqual(
      first.body.member.map((each: { id: string }) => each.id),
    )
  }, 60_000)

  it('that makes more than the database takes at once is 413 without being sent, and is made in parts', async () => {
    const wide = (title: string) => ({ title, options: options(10, 250) })
    const refused = await shop.post('/api/products', { body: ['a', 'b', 'c'].map(wide) })
    expect([refused.status, refused.body.slug]).toEqual([413, 'http.batch_too_large'])
    expect(refused.headers.get('server-timing')).toContain('desc="2"')
    expect((await shop.get('/api/products?handle=a')).body.totalItems).toBe(0)
    expect((await shop.post('/api/products', { body: wide('a') })).status).toBe(201)
  }, 60_000)

  it('of one product with 2,500 variants over 10 × 250 values is refused at once, and made in parts', async () => {
    const made = options(10, 250, 4)
    const all = variants(2500, made)
    const whole = await shop.post('/api/products', { body: { title: 'All', options: made, variants: all } })
    expect([whole.status, whole.body.slug]).toEqual([413, 'http.batch_too_large'])
    const body = await shop.create('/api/products', { title: 'All', options: made })
    await addVariants(body['@id'], all, 250)
    const read = await shop.get(body['@id'], { status: 200 })
    expect(read.body.variantsTotal).toBe(2500)
    expect(bytesOf(read)).toBeLessThanOrEqual(byteLimits.item)
    await shop.update(body['@id'], { title: 'Whole' })
    await shop.delete(body['@id'], { status: 204 })
  }, 120_000)
})
