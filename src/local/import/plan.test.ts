import { expect, test } from 'vitest'
import { creationBody, pairVariants, planOffer, planUpdate, untranslated } from './plan.ts'
import type { ImportedProduct, ImportedVariant, ProductDocument, SaleOfferDocument } from './product.ts'

const target = { channel: 'web', currency: 'EUR' }

function variant(values: Record<string, string>, rest: Partial<ImportedVariant> = {}): ImportedVariant {
  const optionValues = Object.entries(values).map(([option, value]) => ({ option, value }))
  return { line: 2, optionValues, price: null, compareAt: null, ...rest }
}

function product(rest: Partial<ImportedProduct> = {}): ImportedProduct {
  return { line: 2, rows: [], isPartial: false, handle: 'mug', options: [], variants: [], ...rest }
}

/** A product in the catalogue with one option `Size` of the given values, and a variant for each. */
function current(rest: Partial<ProductDocument> = {}, sizes = ['S', 'M']): ProductDocument {
  return {
    '@id': '/api/products/1',
    id: '1',
    handle: 'mug',
    title: 'Mug',
    status: 'ACTIVE',
    channels: ['web'],
    options: [
      { '@id': '/o/size', title: 'Size', values: sizes.map((title) => ({ '@id': `/v/${title}`, title })) },
    ],
    variants: sizes.map((title) => ({
      '@id': `/api/products/1/variants/${title}`,
      id: title,
      sku: `MUG-${title}`,
      optionValues: [{ '@id': `/v/${title}`, option: '/o/size', title }],
    })),
    ...rest,
  }
}

const planOf = (wanted: Partial<ImportedProduct>, known: Partial<ProductDocument>) =>
  planUpdate(product(wanted), current(known), target)
const patchOf = (wanted: Partial<ImportedProduct>, known: Partial<ProductDocument>) =>
  planOf(wanted, known).patch

test('a product that is not published is created as a draft in no channel', () => {
  expect(creationBody(product({ published: false }), target)).toMatchObject({ status: 'DRAFT' })
  expect(creationBody(product(), target)).not.toHaveProperty('channels')
})

test('images are replaced when their order or a text changed', () => {
  const [a, b] = ['a', 'b'].map((url) => ({ url, alt: null, type: 'IMAGE' as const }))
  expect(patchOf({ media: [a!, b!] }, { media: [{ url: 'a' }, { url: 'b', alt: '' }] })).toBeNull()
  expect(patchOf({ media: [a!, b!] }, { media: [b!, a!] })).toEqual({ media: [a, b] })
  expect(patchOf({ media: [a!] }, { media: [{ url: 'a', alt: 'A' }] })).toEqual({ media: [a] })
})

test('publishing adds the channel, withdrawing removes this channel alone', () => {
  expect(planOf({ published: true }, { status: 'DRAFT', channels: ['pos'] }).placement).toEqual({
    status: 'ACTIVE',
    channels: ['pos', 'web'],
  })
  expect(planOf({ published: false }, { channels: ['pos', 'web'] }).placement).toEqual({ channels: ['pos'] })
  expect(planOf({ published: false }, { channels: ['web'] }).placement).toEqual({
    status: 'DRAFT',
    channels: [],
  })
  expect(planOf({}, { status: 'DRAFT', channels: [] }).placement).toBeNull()
  expect(planOf({ published: false }, { status: 'ARCHIVED', channels: [] }).placement).toBeNull()
})

test('a partial product is created as a draft; an existing one keeps its status and pictures, unless it is withdrawn', () => {
  const partial = { published: true, isPartial: true, keepsMedia: true, media: [], title: 'Cup' }
  const body = creationBody(product(partial), target)
  expect(body).toEqual({ handle: 'mug', title: 'Cup', status: 'DRAFT', options: [], variants: [] })
  const plan = planOf(partial, { status: 'DRAFT', channels: [], media: [{ url: 'https://a.example/1.jpg' }] })
  expect([plan.patch, plan.placement]).toEqual([{ title: 'Cup' }, null])
  expect(planOf({ ...partial, published: false }, {}).placement).toEqual({ status: 'DRAFT', channels: [] })
})

test('a text that is shown in another language is written, a blank one is not', () => {
  const fallbacks = { title: 'en-US', 'seo.title': 'en-US', description: 'en-US' }
  const known = { fallbacks, description: 'Warm', seo: { title: 'Mug!' } }
  expect(patchOf({ title: 'Mug' }, known)).toEqual({ title: 'Mug' })
  expect(patchOf({ description: null, seo: { title: null, description: null } }, known)).toBeNull()
})

const litre = { value: 1, unit: 'l' }

test('a variant is found by its values even when its SKU changed, and patched', () => {
  const { variants } = planUpdate(
    product({
      variants: [variant({ Size: 'M' }, { sku: 'NEW', weight: { value: 1, unit: 'kg' }, measure: litre })],
    }),
    current(),
    target,
  )
  expect(variants).toMatchObject([
    { current: { id: 'M' }, patch: { sku: 'NEW', weight: { value: 1, unit: 'kg' }, measure: litre } },
  ])
})

test('a variant whose value was renamed is found by its SKU', () => {
  const { variants } = planUpdate(
    product({ variants: [variant({ Size: 'Medium' }, { sku: 'MUG-M' })] }),
    current(),
    target,
  )
  expect(variants).toMatchObject([
    { current: { id: 'M' }, patch: { optionValues: [{ option: 'Size', value: 'Medium' }] } },
  ])
})

test('a product that gains an option keeps its variants: the first new combination takes each', () => {
  const wanted = [
    variant({ Size: 'S', Color: 'Red' }),
    variant({ Size: 'S', Color: 'Blue' }),
    variant({ Size: 'M', Color: 'Red' }),
  ]
  expect(pairVariants(wanted, current()).map(({ current: known }) => known?.id)).toEqual([
    'S',
    undefined,
    'M',
  ])
  const bare = current({ options: [], variants: [{ '@id': '/x', id: 'x', optionValues: [] }] })
  expect(
    pairVariants([variant({ Size: 'S' }), variant({ Size: 'M' })], bare).map(
      ({ current: known }) => known?.id,
    ),
  ).toEqual(['x', undefined])
})

test('one variant of the catalogue never matches two of the file', () => {
  const twice = [variant({ Size: 'L' }, { sku: 'MUG-S' }), variant({ Size: 'XL' }, { sku: 'MUG-S' })]
  expect(pairVariants(twice, current()).map(({ current: known }) => known?.id)).toEqual(['S', undefined])
})

test('options that are not translated yet are not taken for missing ones', () => {
  const wanted = product({ options: [{ title: 'Taille', values: ['S'] }] })
  const known = current()
  expect(untranslated(wanted, known)).toBeNull()
  known.options[0]!.fallbacks = { title: 'en-US' }
  expect(untranslated(wanted, known)).toMatchObject({
    line: 2,
    message: expect.stringContaining('"Taille" is not translated'),
  })
  expect(untranslated(product({ options: [{ title: 'Size', values: ['S'] }] }), known)).toBeNull()
})

const iri = '/api/products/1/variants/S'
const offer = (rest: Partial<SaleOfferDocument> = {}): SaleOfferDocument => ({
  '@id': '/api/sale_offers/1',
  variant: iri,
  channel: 'web',
  countries: [],
  currency: 'EUR',
  amount: '9.00',
  priority: 0,
  minQuantity: 1,
  status: 'ACTIVE',
  ...rest,
})
const priced = variant({}, { price: '9', compareAt: '12' })

test('an equal plain offer of every channel is enough; another one gets a second offer', () => {
  const everywhere = { channel: null, compareAtAmount: '12.00' }
  expect(planOffer(priced, iri, [offer(everywhere)], target)).toEqual({ kind: 'unchanged' })
  for (const other of [{ amount: '8' }, { compareAtAmount: null }, { countries: ['FR'] }, { priority: 1 }]) {
    expect(planOffer(priced, iri, [offer({ ...everywhere, ...other })], target)).toMatchObject({
      kind: 'create',
    })
  }
})

test('an offer of an import is found by its external id, also after edits', () => {
  const [narrowed, plain] = [
    offer({
      '@id': '/api/sale_offers/2',
      externalId: 'import:web:EUR:9',
      countries: ['FR'],
      validUntil: '2030-01-01',
    }),
    offer({ compareAtAmount: '12' }),
  ]
  expect(planOffer(priced, iri, [plain, narrowed], target)).toMatchObject({
    kind: 'patch',
    iri: narrowed['@id'],
  })
  const elsewhere = { ...narrowed, externalId: 'import:pos:EUR:9' }
  expect(planOffer(priced, iri, [plain, elsewhere], target)).toEqual({ kind: 'unchanged' })
})

test.each([
  ['of another variant', { variant: '/api/products/1/variants/M' }],
  ['in another currency', { currency: 'USD' }],
  ['in another channel', { channel: 'pos' }],
  ['for a country', { countries: ['FR'] }],
  ['with a window', { validFrom: '2026-01-01T00:00:00Z' }],
  ['from ten pieces', { minQuantity: 10 }],
  ['with a priority', { priority: 5 }],
  ['that is archived', { status: 'ARCHIVED' }],
])('an offer %s is left alone', (_, rest) => {
  expect(planOffer(priced, iri, [offer(rest)], target)).toMatchObject({ kind: 'create' })
})
