/** The largest resource of every kind: the rules that its schema does not contain, and the resources that it needs. */
import { isCountry } from '../../src/core/locale.ts'
import { resources } from '../../src/resources/index.ts'
import type { Custom, Place } from './largest.ts'
import type { Answer, Site } from './site.ts'

/** Makes things of one kind, and answers their addresses in the order in which they were made. */
export type Kind = (site: Site) => Promise<string[]>

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const countries = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry)
const type = (slug: string) => `/api/metafield_definition_types/${slug}`

/** Custom fields without a definition: fifty keys of 64 characters, and 65,535 units of values in all. */
const customFields = ({ isFull, count, text }: Place) => {
  if (!isFull) return undefined
  const length = count(50)
  return Array.from({ length }, (_, index) => ({
    key: `k${index}_`.padEnd(64, 'k'),
    value: text(Math.floor(65_535 / 50)),
    type: type('multi_line_text_field'),
  }))
}

/** The rules of every kind. */
const common: Custom = {
  '*.status': () => 'ACTIVE',
  '*.position': () => undefined,
  '*.fields': customFields,
  '*.categories': () => undefined,
  '*.collections': () => undefined,
  '*.externalId': ({ isFull, standard }) => (isFull ? standard() : undefined),
}

/** The terms of every sale offer. */
const terms: Custom = {
  currency: () => 'EUR',
  amount: () => '999999999999.99',
  compareAtAmount: ({ isFull }) => (isFull ? '9999999999999.99' : undefined),
  countries: ({ isFull, count }) =>
    isFull ? [...new Set(['FR', ...countries.slice(0, count(249))])] : undefined,
  validFrom: () => '2026-01-01T00:00:00Z',
  validUntil: () => '2036-01-01T00:00:00Z',
  priority: () => 0,
}

/** The prices that new variants come with, at a path: one request takes as many as the first alone may have. */
function pricesAt(path: string): Custom {
  const own = Object.entries(terms).map(([name, each]) => [`${path}[].${name}`, each] as const)
  const several: Custom[string] = ({ indices, isFull, standard }) =>
    isFull && (indices.at(-1) ?? 0) === 0 ? standard() : undefined
  return { [path]: several, ...Object.fromEntries(own) }
}

/** A variant's values by their titles: all combinations; the last option varies fastest. */
function combination(options: readonly Titled[], index: number): { option: string; value: string }[] {
  let place = index
  const chosen = options.toReversed().map(({ title, values }) => {
    const value = values[place % values.length]!
    place = Math.floor(place / values.length)
    return { option: title, value: value.title }
  })
  return chosen.toReversed()
}

type Titled = { readonly title: string; readonly values: readonly { readonly title: string }[] }

const iriOf = ({ body }: Answer): string => body['@id']
const irisOf = (answer: Answer | null): string[] =>
  answer === null ? [] : (answer.body.member ?? [answer.body]).map((each: { '@id': string }) => each['@id'])

/** A product of options with short titles, for variants that are large. */
async function matrix(site: Site, options: number, values: number) {
  const made: Titled[] = Array.from({ length: options }, (_, option) => ({
    title: `Option ${option}`,
    values: Array.from({ length: values }, (_, value) => ({ title: `${value}` })),
  }))
  const body = { title: 'Matrix', channels: ['web'], status: 'ACTIVE', options: made }
  const answer = await site.want({ method: 'POST', path: '/api/products', body })
  return { iri: iriOf(answer), options: made, answer }
}

async function plainVariant(site: Site): Promise<{ product: string; variant: string }> {
  const body = { title: 'Plain', status: 'ACTIVE', variants: [{}] }
  const answer = await site.want({ method: 'POST', path: '/api/products', body })
  return { product: iriOf(answer), variant: answer.body.variants[0]['@id'] }
}

/** The texts of something in all ten languages. */
async function translate(site: Site, iri: string): Promise<void> {
  const template = `${iri.replace(/[^/]+$/, '{id}')}/translations`
  const custom: Custom = {
    translations: ({ isFull, text }) => {
      const texts = () => ({
        title: text(255),
        ...(/products|categories|collections/.test(iri) && { description: text(65_535) }),
        ...(/products/.test(iri) && { seo: { title: text(255), description: text(65_535) } }),
      })
      const one = { title: `Title ${site.next()}` }
      return Object.fromEntries(site.locales.map((locale) => [locale, isFull ? texts() : one]))
    },
  }
  await site.largest('PUT', template, { path: `${iri}/translations`, custom })
}

async function product(site: Site): Promise<string[]> {
  const custom = { ...common, options: () => undefined, variants: () => undefined }
  const answer = await site.largest('POST', '/api/products', { custom })
  const [iri] = irisOf(answer)
  if (iri) await translate(site, iri)
  return iri ? [iri] : []
}

/** A product with its options, values and variants in one request. */
async function wholeProduct(site: Site): Promise<string[]> {
  let options: Titled[] = []
  const custom: Custom = {
    ...common,
    options: ({ standard }) => {
      options = standard() as Titled[]
      return options
    },
    // Variants name them, however small the rest is.
    'options[].title': ({ standard }) => standard(),
    'options[].values': ({ standard }) => standard(),
    variants: ({ standard }) => {
      const combinations = options.reduce((product, { values }) => product * values.length, 1)
      return (standard() as unknown[]).slice(0, combinations)
    },
    'variants[].optionValues': ({ indices }) => combination(options, indices.at(-1)!),
    ...pricesAt('variants[].saleOffers'),
    'variants[].barcode': ({ isFull, text }) => (isFull ? `b${text(254)}` : undefined),
  }
  const iris = irisOf(await site.largest('POST', '/api/products', { custom }))
  const [iri] = iris
  if (!iri) return []
  const { body } = await site.want({ method: 'GET', path: iri })
  const parts = [...(body.variants ?? []), ...(body.options ?? [])] as { '@id': string }[]
  return [iri, ...parts.slice(0, 2).map((each) => each['@id']), ...parts.slice(-1).map((each) => each['@id'])]
}

async function productBulk(site: Site): Promise<string[]> {
  const custom = { ...common, options: () => undefined, variants: () => undefined }
  return irisOf(await site.largest('POST', '/api/products', { custom, rows: 50 }))
}

async function options(site: Site): Promise<string[]> {
  const { iri } = await matrix(site, 1, 1)
  const made: string[] = []
  for (let index = 1; index < 10; index += 1) {
    const template = '/api/products/{productId}/product_options'
    made.push(
      ...irisOf(await site.largest('POST', template, { path: `${iri}/product_options`, custom: common })),
    )
  }
  for (const each of made.slice(0, 2)) await translate(site, each)
  return [iri, ...made]
}

async function optionValues(site: Site): Promise<string[]> {
  const { iri, answer } = await matrix(site, site.thorough ? 10 : 3, site.thorough ? 240 : 20)
  const [option] = answer.body.options as { '@id': string }[]
  const custom = { ...common, option: () => option!['@id'] }
  const made: string[] = []
  for (let index = 0; index < (site.thorough ? 11 : 3); index += 1) {
    const answer = await site.largest('POST', '/api/option_values', { custom })
    // The eleventh is one too many.
    made.push(...irisOf(answer))
  }
  for (const each of made.slice(0, 2)) await translate(site, each)
  return [iri, option!['@id'], ...made]
}

async function variants(site: Site): Promise<string[]> {
  const { iri, options } = await matrix(site, site.thorough ? 10 : 3, site.thorough ? 50 : 20)
  let made: string[] = []
  const custom: Custom = {
    ...common,
    ...pricesAt('saleOffers'),
    optionValues: ({ indices }) => combination(options, made.length + (indices[0] ?? 0)),
    barcode: ({ isFull, text }) => (isFull ? `b${text(254)}` : undefined),
  }
  const path = `${iri}/variants`
  const template = '/api/products/{productId}/variants'
  // The largest alone, then as many as a request may have.
  for (const rows of site.thorough ? [1, 1, 1, ...Array<number>(9).fill(250)] : [1, 1, 60]) {
    const answer = await site.largest('POST', template, { path, rows, custom })
    if (answer) made = [...made, ...irisOf(answer)]
  }
  return [iri, ...made]
}

/** A category below each other, ten levels in all, with a product in the deepest. */
async function deepCategories(site: Site): Promise<string[]> {
  const made: string[] = []
  for (let level = 0; level < (site.thorough ? 10 : 3); level += 1) {
    const custom = { ...common, parent: () => made.at(-1), children: () => undefined }
    const answer = await site.largest('POST', '/api/categories', { custom })
    if (!answer) break
    made.push(iriOf(answer))
    if (level === 0 || site.thorough) await translate(site, iriOf(answer))
  }
  const body = { title: 'Deep', status: 'ACTIVE', variants: [{}], categories: made }
  const answer = await site.want({ method: 'POST', path: '/api/products', body })
  return [...made, ...irisOf(answer)]
}

/** Categories in one, as many as a request may have, with products that are in all of them. */
async function wideCategories(site: Site): Promise<string[]> {
  const custom = { ...common, parent: () => undefined, children: () => undefined }
  const root = await site.largest('POST', '/api/categories', { custom })
  if (!root) return []
  const made: string[] = []
  for (let bulk = 0; bulk < (site.thorough ? 8 : 1); bulk += 1) {
    const below = { ...custom, parent: () => iriOf(root) }
    made.push(...irisOf(await site.largest('POST', '/api/categories', { custom: below, rows: 250 })))
  }
  const categories = made.slice(0, 250)
  const rows = Array.from({ length: site.thorough ? 50 : 4 }, (_, index) => ({
    title: `Wide ${index}`,
    status: 'ACTIVE',
    variants: [{}],
    categories,
  }))
  const products = await site.want({ method: 'POST', path: '/api/products', body: rows })
  await site.want({ method: 'PATCH', path: iriOf(root), body: { children: made.toReversed() } })
  const [variant] = products.body?.member?.[0]?.variants ?? []
  const offer = { variant: variant?.['@id'], currency: 'EUR', amount: '1.00' }
  const sold = await site.want({ method: 'POST', path: '/api/sale_offers', body: offer })
  return [iriOf(root), ...made, ...irisOf(products), ...irisOf(sold)]
}

async function manualCollection(site: Site): Promise<string[]> {
  const custom = { ...common, type: () => 'MANUAL', rules: () => undefined }
  const answer = await site.largest('POST', '/api/collections', { custom })
  if (!answer) return []
  const iri = iriOf(answer)
  await translate(site, iri)
  let last: string[] = []
  for (let bulk = 0; bulk < (site.thorough ? 10 : 1); bulk += 1) {
    const rows = Array.from({ length: 50 }, (_, index) => ({ title: `Chosen ${bulk} ${index}` }))
    last = irisOf(await site.want({ method: 'POST', path: '/api/products', body: rows }))
    const body = last.map((each) => ({ product: each }))
    await site.want({ method: 'POST', path: `${iri}/products`, body })
  }
  return [iri, ...last.slice(0, 1)]
}

async function ruledCollection(site: Site): Promise<string[]> {
  const fields = ['title', 'vendor', 'productType', 'tag'] as const
  const custom: Custom = {
    ...common,
    type: () => 'RULE_BASED',
    rules: ({ isFull, count, text }) => ({
      match: 'ANY',
      conditions: Array.from({ length: isFull ? count(60) : 1 }, (_, index) => {
        const field = fields[index % fields.length]!
        const operator = field === 'tag' ? 'NOT_EQUALS' : 'NOT_CONTAINS'
        return { field, operator, value: isFull ? text(255) : `v${index}` }
      }),
    }),
  }
  const made: string[] = []
  for (let index = 0; index < (site.thorough ? 40 : 2); index += 1) {
    const answer = await site.largest('POST', '/api/collections', { custom })
    if (!answer) break
    made.push(iriOf(answer))
  }
  // The parts that every write of a product has to check.
  const row = { ...common, options: () => undefined, variants: () => undefined }
  const products = irisOf(
    await site.largest('POST', '/api/products', { custom: row, rows: site.thorough ? 50 : 10 }),
  )
  await site.world.shop.rest()
  return [...made, ...products.slice(0, 1)]
}

/** Offers of one variant: half of them in the requested channel, each from another quantity on. */
async function saleOffers(site: Site): Promise<string[]> {
  const { product, variant } = await plainVariant(site)
  let before = 0
  const custom: Custom = {
    ...common,
    variant: () => variant,
    ...terms,
    channel: ({ indices, isFull, standard }) => {
      if ((indices[0] ?? 0) % 2 === 0) return 'web'
      return isFull ? standard() : undefined
    },
    minQuantity: ({ indices }) => 1 + Math.floor((before + (indices[0] ?? 0)) / 2),
  }
  const made: string[] = []
  for (let bulk = 0; bulk < (site.thorough ? 4 : 1); bulk += 1) {
    made.push(...irisOf(await site.largest('POST', '/api/sale_offers', { custom, rows: 250 })))
    before = made.length
  }
  return [product, variant, ...made]
}

async function purchaseOffers(site: Site): Promise<string[]> {
  const { product, variant } = await plainVariant(site)
  const custom: Custom = {
    ...common,
    variant: () => variant,
    currency: () => 'EUR',
    cost: () => '999999999999.99',
    validFrom: () => '2026-01-01T00:00:00Z',
    validUntil: () => '2036-01-01T00:00:00Z',
  }
  const made: string[] = []
  for (let bulk = 0; bulk < (site.thorough ? 4 : 1); bulk += 1)
    made.push(...irisOf(await site.largest('POST', '/api/purchase_offers', { custom, rows: 250 })))
  return [product, variant, ...made]
}

async function definition(site: Site): Promise<string[]> {
  const custom: Custom = {
    ...common,
    displayNameField: () => undefined,
    'fieldDefinitions[].key': ({ indices }) => `k${indices.at(-1)}_`.padEnd(64, 'k'),
    'fieldDefinitions[].type': () => type('single_line_text_field'),
    'fieldDefinitions[].required': () => false,
    'fieldDefinitions[].validations': ({ isFull, text }) =>
      isFull ? [{ name: 'choices', value: JSON.stringify([text(4_000)]).slice(0, 10_000) }] : undefined,
  }
  const made: string[] = []
  for (let index = 0; index < (site.thorough ? 20 : 2); index += 1)
    made.push(...irisOf(await site.largest('POST', '/api/metaobject_definitions', { custom })))
  return made
}

/** Metaobjects of every language that refer to as many others, and a product and a category that refer to them too. */
async function metaobjects(site: Site): Promise<string[]> {
  const texts = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7']
  const lists = ['list.single_line_text_field', 'list.number_decimal', 'list.json', 'json']
  const body = {
    type: 'large',
    displayNameField: 'title',
    fieldDefinitions: [
      { key: 'title', type: type('single_line_text_field'), translatable: true },
      ...texts.map((key) => ({ key, type: type('multi_line_text_field'), translatable: true })),
      ...lists.map((slug, index) => ({ key: `l${index}`, type: type(slug) })),
      { key: 'r0', type: type('list.metaobject_reference') },
      { key: 'r1', type: type('list.metaobject_reference') },
    ],
  }
  const defined = iriOf(await site.want({ method: 'POST', path: '/api/metaobject_definitions', body }))
  const made: string[] = []
  const values = ({ isFull, text, count }: Place, refers: boolean) => {
    const half = (from: number) => JSON.stringify(made.slice(from, from + 125))
    const list = <Each>(each: () => Each) => JSON.stringify(Array.from({ length: count(128) }, each))
    const all = {
      title: text(1_000),
      ...Object.fromEntries(texts.map((key) => [key, text(65_535)])),
      l0: list(() => text(100)),
      l1: list(() => 123456789012345),
      l2: list(() => ({ deep: [[text(50)]] })),
      l3: JSON.stringify({ text: text(20_000) }),
    }
    const references = refers ? { r0: half(0), r1: half(125) } : {}
    return Object.entries(isFull ? { ...all, ...references } : { title: text(8), ...references }).map(
      ([key, value]) => ({ key, value }),
    )
  }
  const custom = (refers: boolean): Custom => ({
    ...common,
    definition: () => defined,
    fields: (place) => values(place, refers),
  })
  const oneLine = /controls/.test(site.filling.alphabet)
  const amount = site.thorough ? 250 : 6
  for (let index = 0; index < amount; index += 1) {
    // Most are small, so that as many as may be can be referred to.
    const small = { ...custom(false), fields: () => [{ key: 'title', value: `Small ${index}` }] }
    const answer = await site.largest('POST', '/api/metaobjects', {
      custom: index < (site.thorough ? 4 : 1) ? custom(false) : small,
    })
    if (answer) made.push(iriOf(answer))
  }
  const largest = await site.largest('POST', '/api/metaobjects', { custom: custom(true) })
  const main = irisOf(largest)
  for (const locale of site.locales.slice(1, site.thorough ? 10 : 3)) {
    const fields = { t0: 'x'.repeat(oneLine ? 10_000 : 20_000), title: `Title in ${locale}` }
    const headers = { 'service-locale': locale }
    for (const path of main) await site.ask({ method: 'PATCH', path, body: { fields }, headers })
  }
  const refers = [
    { key: 'all', type: type('list.metaobject_reference'), value: JSON.stringify(made.slice(0, 128)) },
  ]
  const product = await site.want({
    method: 'POST',
    path: '/api/products',
    body: { title: 'Refers', fields: refers },
  })
  const category = { title: 'Refers', fields: refers }
  const sorted = await site.want({ method: 'POST', path: '/api/categories', body: category })
  return [defined, ...made.slice(0, 2), ...main, ...irisOf(product), ...irisOf(sorted)]
}

async function subscriptions(site: Site): Promise<string[]> {
  const made: string[] = []
  for (let index = 0; index < (site.thorough ? 19 : 3); index += 1) {
    const custom: Custom = {
      topic: () => '*',
      callbackUrl: ({ isFull }) => `http://127.0.0.1:9/${'c'.repeat(isFull ? 2028 : 8)}`,
      version: () => '2026-04',
      locale: () => 'fi-FI',
      status: () => 'PAUSED',
      includeFields: ({ isFull, count }) =>
        Array.from({ length: isFull ? count(100) : 1 }, (_, path) =>
          [
            `*`,
            ...Array.from({ length: 7 }, (_, deep) => `p${path}${deep}`.padEnd(isFull ? count(255) : 8, 'p')),
          ].join('.'),
        ),
    }
    const answer = await site.largest('POST', '/api/webhook_subscriptions', { custom })
    if (answer) made.push(`/api/webhook_subscriptions/${answer.body.id}`)
  }
  return made
}

/** By list, the rules that a schema does not contain: every relevant way to create the resource. */
const custom: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  '/api/products': { product, 'whole product': wholeProduct, '50 products': productBulk },
  '/api/option_values': { options, 'option values': optionValues, variants },
  '/api/categories': { 'deep categories': deepCategories, 'wide categories': wideCategories },
  '/api/collections': { 'manual collection': manualCollection, 'ruled collection': ruledCollection },
  '/api/sale_offers': { 'sale offers': saleOffers },
  '/api/purchase_offers': { 'purchase offers': purchaseOffers },
  '/api/metaobject_definitions': { definition },
  '/api/metaobjects': { metaobjects },
  '/api/webhook_subscriptions': { subscriptions },
}

/** Lists whose resources need no further rules: the schema has them all. */
const untold = resources
  .flatMap(({ operations }) => operations)
  .filter(
    ({ method, path, body, emits }) =>
      method === 'POST' && body && emits && !path.includes('{') && !Object.hasOwn(custom, path),
  )
  .map(({ path }) => [path.slice('/api/'.length), (site: Site) => largestIn(site, path)] as const)

async function largestIn(site: Site, list: string): Promise<string[]> {
  return irisOf(await site.largest('POST', list, { custom: common }))
}

/** Every kind that can be made, by the name under which a case asks for it. */
export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries([
  ...Object.values(custom).flatMap((each) => Object.entries(each)),
  ...untold,
])
