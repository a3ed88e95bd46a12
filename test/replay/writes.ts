/** Requests that change the catalogue, one after the other, by topic. Each topic has its own tenant, which is empty at first. */

/** The parts of a response that the next requests need. */
type Reply = {
  readonly status: number
  readonly etag: string
  // Any JSON: the requests read ids from it.
  readonly body: ReturnType<typeof JSON.parse>
}

type Options = {
  readonly caller?: 'full' | 'reader' | 'person' | 'editor' | 'nobody'
  readonly locale?: string
  readonly version?: string
  /** Null omits a default header. */
  readonly headers?: Readonly<Record<string, string | null>>
}

/** Sends a request, such as `POST /api/categories`. The body is a string, bytes, or a value that becomes JSON. */
export type Call = (request: string, body?: unknown, options?: Options) => Promise<Reply>

export type Site = {
  readonly call: Call
  /** Sets the tenant's clock in the database. */
  readonly setClock: (moment: string) => Promise<void>
  readonly runScheduled: () => Promise<void>
  readonly passTime: (milliseconds: number) => Promise<void>
  /** From now on, receivers whose address contains the text respond with the status. */
  readonly failReceivers: (text: string, status: number) => void
}

const unknown = '01900000-0000-7000-8000-000000000000'

type Exercise = {
  readonly collection: string
  /** Bodies of different things, the first one valid. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[]
  readonly patches: readonly unknown[]
  readonly bulk: boolean
  readonly translations?: unknown
}

/** Sends the same kinds of requests to any resource. Returns the response to the first creation. */
async function exercise({ call }: Site, { collection, bodies, patches, bulk, translations }: Exercise) {
  const [good = {}, ...others] = bodies
  const create = `POST ${collection}`
  const first = await call(create, good)
  for (const body of others) await call(create, body)
  await call(create, good)
  await refusedCreations(call, create, good)
  await call(create, [good, { colour: 'red' }])
  if (bulk) {
    const copies = bodies
      .slice(0, 2)
      .map((body, index) => ({ ...body, ...freshNames(body, `bulk-${index}`) }))
    await call(create, copies)
    await call(create, [...copies, { nothing: 1 }])
    await call(create, [])
    await call(create, Array(251).fill({}))
  }
  for (const options of [
    { locale: 'fr-FR' },
    { locale: 'ja-JP' },
    { version: '2026-04' },
    { version: 'unstable' },
  ])
    await call(create, { ...good, ...freshNames(good, Object.values(options).join().toLowerCase()) }, options)
  await repeats(call, create, { ...good, ...freshNames(good, 'repeated') })
  const path: string = first.body['@id']
  await changes(call, path, patches)
  for (const name of Object.keys(first.body).filter((each) => !each.startsWith('@')))
    for (const value of [null, 7, ['x']]) await call(`PATCH ${path}`, { [name]: value })
  if (translations !== undefined) {
    await call(`PUT ${path}/translations`, translations)
    await call(`PUT ${path}/translations`, { translations: {} })
    await call(`PUT ${path}/translations`, {
      translations: { 'ja-JP': { title: 'x' }, 'en-US': { title: 7 } },
    })
    await call(`PUT ${path}/translations`, translations, { headers: { 'if-match': '"1.AAAAAAAAAAAAAAAA"' } })
    await call(`GET ${path}/translations`)
  }
  for (const version of ['2026-04', '2026-10'])
    await call(`GET ${path}`, undefined, { version, locale: 'fr-FR' })
  await call(`GET ${collection}?itemsPerPage=50`)
  await call(`GET ${collection}?itemsPerPage=2&order[createdAt]=asc`)
  return first
}

/** New values for the properties that are unique in a tenant. */
function freshNames(body: Readonly<Record<string, unknown>>, name: string): object {
  const suffix = name.replace(/[^a-z0-9]+/g, '-')
  return {
    ...('handle' in body && { handle: suffix }),
    ...('externalId' in body && { externalId: `external-${suffix}` }),
    ...('type' in body && 'fieldDefinitions' in body && { type: `kind_${suffix.replaceAll('-', '_')}` }),
  }
}

async function refusedCreations(call: Call, create: string, good: object): Promise<void> {
  await call(create, {})
  await call(create, Object.fromEntries(Object.keys(good).map((name) => [name, [7]])))
  for (const caller of ['reader', 'person', 'nobody'] as const) await call(create, good, { caller })
  for (const text of [
    '{',
    '',
    'null',
    '"a"',
    '1',
    '{"title":"a",}',
    '{"title":"\\u0000"}',
    '{"title":"\\ud800"}',
  ])
    await call(create, text)
  await call(create, `{"title":${'['.repeat(40)}${']'.repeat(40)}}`)
  await call(create, `{"title":"${'x'.repeat(2_000)}"}`)
  await call(create, new Uint8Array([123, 255, 125]))
  await call(create, good, { headers: { 'content-type': 'text/plain' } })
  await call(create, good, { headers: { 'content-encoding': 'gzip' } })
  await call(create, good, { headers: { accept: 'text/html' } })
  await call(create, good, { version: '2020-01' })
  await call(
    create,
    { ...good, colour: 'red', id: unknown, createdAt: '2020-01-01T00:00:00Z', version: 9 },
    {
      headers: { prefer: 'handling=strict' },
    },
  )
  await call(create, {
    ...good,
    ...freshNames({ handle: '', externalId: '' }, 'lenient'),
    colour: 'red',
    id: unknown,
  })
}

/** Repeats an idempotency key: with the same body, with another body, and as another caller. */
async function repeats(call: Call, create: string, body: object): Promise<void> {
  const headers = { 'idempotency-key': 'replay-1' }
  await call(create, body, { headers })
  await call(create, body, { headers })
  await call(create, { ...body, colour: 'red' }, { headers })
  await call(create, body, { headers, caller: 'editor' })
  for (const key of ['', 'x'.repeat(300), 'ü', '"quoted"'])
    await call(create, { colour: 'red' }, { headers: { 'idempotency-key': key } })
}

async function changes(call: Call, path: string, patches: readonly unknown[]): Promise<void> {
  const patch = `PATCH ${path}`
  for (const body of patches) await call(patch, body)
  const [body] = patches
  await call(patch, body)
  await call(patch, {})
  for (const text of ['[]', 'null', '{']) await call(patch, text)
  await call(patch, body, { headers: { 'content-type': 'application/json' } })
  await call(patch, body, { headers: { 'content-type': 'text/plain' } })
  await call(patch, { colour: 'red' })
  await call(patch, { colour: 'red' }, { headers: { prefer: 'handling=strict' } })
  for (const caller of ['reader', 'person', 'nobody'] as const) await call(patch, body, { caller })
  const { etag } = await call(`GET ${path}`)
  await call(patch, { externalId: 'matched' }, { headers: { 'if-match': etag } })
  await call(patch, { externalId: 'stale' }, { headers: { 'if-match': etag } })
  for (const match of ['*', 'W/"1.AAAAAAAAAAAAAAAA"', '"', '"99.AAAAAAAAAAAAAAAA"', '"AAAAAAAAAAAAAAAA"'])
    await call(patch, { externalId: 'condition' }, { headers: { 'if-match': match } })
  const headers = { 'idempotency-key': 'replay-patch' }
  await call(patch, { externalId: 'repeated' }, { headers })
  await call(patch, { externalId: 'repeated' }, { headers })
  await call(patch, { externalId: 'other' }, { headers })
  await call(patch, body, { locale: 'fr-FR' })
  await call(patch, body, { version: '2026-01' })
  await call(`PATCH ${path.replace(/[^/]+$/, unknown)}`, body)
}

/** Deletes a resource, and reads it afterwards. */
async function deletion({ call }: Site, path: string): Promise<void> {
  await call(`DELETE ${path}`, undefined, { headers: { 'if-match': '"1.AAAAAAAAAAAAAAAA"' } })
  await call(`DELETE ${path}`, undefined, { caller: 'person' })
  await call(`DELETE ${path}`, undefined, { headers: { 'idempotency-key': 'replay-delete' } })
  await call(`DELETE ${path}`, undefined, { headers: { 'idempotency-key': 'replay-delete' } })
  await call(`DELETE ${path}`)
  await call(`GET ${path}`)
  await call(`PATCH ${path}`, { externalId: 'late' })
  await call(`DELETE ${path.replace(/[^/]+$/, unknown)}`)
}

const typeOf = (slug: string) => `/api/metafield_definition_types/${slug}`

async function categories(site: Site): Promise<void> {
  const { call } = site
  const { body: first } = await exercise(site, {
    collection: '/api/categories',
    bodies: [
      {
        title: 'Shoes',
        handle: 'shoes',
        description: '<p>All</p>',
        externalId: 'c-1',
        fields: { season: 'winter' },
      },
      { title: 'Hats', position: 0 },
      { title: 'Chaussures', children: [] },
    ],
    patches: [
      { title: 'Boots' },
      { description: null, handle: 'boots' },
      { fields: { season: { value: '7', type: typeOf('number_integer') }, other: 'x' } },
      { fields: { season: null } },
      { position: -1 },
      { handle: 'Not A Handle' },
    ],
    bulk: true,
    translations: {
      translations: { 'en-US': { title: 'Boots' }, 'fr-FR': { title: 'Bottes', description: null } },
    },
  })
  const make = async (body: unknown, options?: Options) =>
    (await call('POST /api/categories', body, options)).body
  const parent = await make({ title: 'Parent' })
  const child = await make({ title: 'Child', parent: parent['@id'] })
  const leaf = await make({ title: 'Leaf', parent: child['@id'], position: 0 })
  await make({ title: 'Adopter', children: [leaf['@id'], first['@id']] })
  await make({ title: 'Adopter', childrens: [leaf['@id']] }, { version: '2026-04' })
  await make({ title: 'Orphan', parent: `/api/categories/${unknown}` })
  await make({ title: 'Orphan', parent: 'nothing' })
  await call(`PATCH ${parent['@id']}`, { parent: leaf['@id'] })
  await call(`PATCH ${parent['@id']}`, { parent: parent['@id'] })
  await call(`PATCH ${child['@id']}`, { parent: null, position: 0 })
  await call(`PATCH ${leaf['@id']}`, { parent: parent['@id'] })
  await call(`PATCH ${parent['@id']}?expand=children`, { children: [first['@id'], leaf['@id']] })
  await call(`PATCH ${parent['@id']}?expand=childrens`, { childrens: [leaf['@id']] }, { version: '2026-04' })
  let deep = parent['@id']
  for (let depth = 0; depth < 12; depth += 1) {
    const { body, status } = await call('POST /api/categories', { title: `Depth ${depth}`, parent: deep })
    if (status !== 201) break
    deep = body['@id']
  }
  await call(`DELETE ${parent['@id']}`)
  await deletion(site, child['@id'])
}

const shirt = {
  title: 'Shirt',
  handle: 'shirt',
  description: '<p>Soft</p>',
  externalId: 'p-1',
  status: 'ACTIVE',
  channels: ['web', 'store'],
  vendor: 'Acme',
  productType: 'Shirts',
  tags: ['soft', 'linen'],
  media: [{ url: 'https://www.example.com/a.jpg', alt: 'Red', type: 'IMAGE' }],
  seo: { title: 'Shirt', description: 'Soft' },
  fields: {
    fabric: 'linen',
    care: { value: '["cold","dark"]', type: typeOf('list.single_line_text_field') },
  },
}
const sized = {
  title: 'Sized',
  options: [
    { title: 'Size', externalId: 'size', values: [{ title: 'S', externalId: 's' }, { title: 'M' }] },
    { title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] },
  ],
  variants: ['Red', 'Blue'].map((colour) => ({
    sku: `SIZED-${colour}`,
    barcode: '4006381333931',
    weight: { value: 1.5, unit: 'kg' },
    fields: { fit: 'slim' },
    optionValues: [
      { option: 'Size', value: 'S' },
      { option: 'Colour', value: colour },
    ],
    saleOffers: [{ currency: 'EUR', amount: '19.90', channel: 'web' }],
    purchaseOffers: [{ currency: 'EUR', cost: '7.25', supplier: 'mill' }],
  })),
}

async function products(site: Site): Promise<void> {
  const { call } = site
  const category = (await call('POST /api/categories', { title: 'Tops' })).body['@id']
  const collection = (await call('POST /api/collections', { title: 'Summer' })).body['@id']
  const { body: first } = await exercise(site, {
    collection: '/api/products',
    bodies: [shirt, sized, { title: 'Placed', categories: [category], collections: [collection] }],
    patches: [
      { title: 'Blouse' },
      { tags: ['a', 'b', 'a'], channels: [] },
      { tags: ['z'], vendor: null },
      { seo: { title: null } },
      { fields: { fabric: null, care: 'text' } },
      { fields: [{ key: 'fabric', value: '12.50', type: typeOf('number_decimal') }] },
      { status: 'DRAFT' },
      { status: 'GONE' },
      { categories: [category] },
      { categories: [`/api/categories/${unknown}`], collections: ['nothing'] },
      { collections: [collection] },
      { media: [{ url: 'javascript:alert(1)' }] },
      { handle: 'blouse', description: 'Plain & simple' },
    ],
    bulk: true,
    translations: {
      translations: {
        'en-US': { title: 'Blouse' },
        'fr-FR': { title: 'Chemisier', seo: { title: 'Chemisier' } },
      },
    },
  })
  for (const body of [
    { ...sized, variants: [{ optionValues: [] }] },
    { ...sized, variants: [...sized.variants, sized.variants[0]] },
    { ...sized, options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'S' }] }], variants: [] },
    { title: 'Priced', variants: [{ saleOffers: [{ currency: 'EUR', amount: '1.999' }] }] },
    { title: 'Priced', variants: [{ saleOffers: [{ currency: 'JPY', amount: '19.90' }] }] },
    { title: 'x'.repeat(1000) },
    { title: 'Copy', handle: 'blouse', externalId: 'p-1' },
  ])
    await call('POST /api/products', body)
  await call(`POST /api/products?expand=categories`, { title: 'Shown', categories: [category] })
  await call(`PATCH ${first['@id']}?expand=categories,collections`, { vendor: 'Expanded' })
  await call(`GET ${first['@id']}/audit_trail`)
  await deletion(site, first['@id'])
  await call(`PATCH ${first['@id']}`, { status: 'ACTIVE' })
  await call(`GET ${first['@id']}/audit_trail?itemsPerPage=5`)
  await call('GET /api/products?status=ARCHIVED')
  await call('GET /api/products?q=blouse&properties[]=title')
}

async function ownedByProducts(site: Site): Promise<void> {
  const { call } = site
  const product = (await call('POST /api/products', sized)).body
  const { body: option } = await exercise(site, {
    collection: `${product['@id']}/product_options`,
    bodies: [{ title: 'Fit', externalId: 'fit' }, { title: 'Length', position: 0 }, { title: 'Fit' }],
    patches: [{ title: 'Cut' }, { position: 0 }, { position: -1 }, { title: null }],
    bulk: false,
    translations: { translations: { 'en-US': { title: 'Cut' }, 'fr-FR': { title: 'Coupe' } } },
  })
  const values = await exercise(site, {
    collection: '/api/option_values',
    bodies: [
      { option: option['@id'], title: 'Slim', externalId: 'slim' },
      { option: option['@id'], title: 'Wide', position: 0 },
      { option: `/api/product_options/${unknown}`, title: 'Nowhere' },
    ],
    patches: [{ title: 'Narrow' }, { position: 0 }, { position: -1 }, { title: '' }],
    bulk: false,
    translations: { translations: { 'en-US': { title: 'Narrow' }, 'fr-FR': { title: 'Étroit' } } },
  })
  await deletion(site, values.body['@id'])
  await call(`DELETE ${product.options[0].values[0]['@id']}`)
  await call(`DELETE ${product.options[0]['@id']}`)
  await deletion(site, option['@id'])
  await call(`GET ${product['@id']}`)
  await call(`GET ${product['@id']}/audit_trail`)
}

async function variants(site: Site): Promise<void> {
  const { call } = site
  const options = [{ title: 'Size', values: Array.from({ length: 16 }, (_, n) => ({ title: `Size ${n}` })) }]
  const product = (await call('POST /api/products', { title: 'Boot', status: 'ACTIVE', options })).body
  const at = (n: number) => [{ option: 'Size', value: `Size ${n}` }]
  const collection = `${product['@id']}/variants`
  const { body: first } = await exercise(site, {
    collection,
    bodies: [
      {
        sku: 'BOOT-0',
        externalId: 'v-0',
        barcode: '4006381333931',
        weight: { value: 2, unit: 'kg' },
        optionValues: at(0),
      },
      { sku: 'BOOT-1', optionValues: at(1), position: 0, saleOffers: [{ currency: 'EUR', amount: '99.00' }] },
      { sku: 'BOOT-0', optionValues: at(2) },
      { optionValues: [{ option: 'Size', value: 'None' }] },
      { optionValues: [{ option: 'Colour', value: 'Red' }] },
      { optionValues: [{ option: product.options[0]['@id'], value: product.options[0].values[3]['@id'] }] },
    ],
    patches: [
      { sku: 'BOOT-X' },
      { barcode: '4006381333932' },
      { weight: { value: 0.333, unit: 'lb' } },
      { optionValues: at(4) },
      { optionValues: at(1) },
      { position: -1 },
      { fields: { lining: 'wool' } },
      { media: [{ url: 'https://www.example.com/b.jpg', alt: null, type: 'IMAGE' }] },
    ],
    bulk: true,
  })
  await call(
    `POST ${collection}`,
    Array.from({ length: 5 }, (_, n) => ({ sku: `B-${n}`, optionValues: at(10 + n) })),
  )
  await call(`POST /api/products/${unknown}/variants`, { optionValues: at(0) })
  await deletion(site, first['@id'])
  await call(`PATCH ${first['@id']}`, { status: 'ACTIVE' })
  await call(`GET ${collection}?status=ARCHIVED`)
  await call(`GET ${product['@id']}`)
  await call(`DELETE ${product['@id']}`)
  await call(`GET ${collection}?itemsPerPage=3`)
}

async function productOfOffers(call: Call) {
  return (
    await call('POST /api/products', {
      ...sized,
      variants: sized.variants.map(({ saleOffers: _, ...rest }) => rest),
    })
  ).body
}

async function saleOffers(site: Site): Promise<void> {
  const { call } = site
  const product = await productOfOffers(call)
  const variant = product.variants[0]['@id']
  const base = { variant, currency: 'EUR', amount: '10.00' }
  const { body: first } = await exercise(site, {
    collection: '/api/sale_offers',
    bodies: [
      {
        ...base,
        externalId: 'o-1',
        channel: 'web',
        countries: ['FR', 'BE'],
        compareAtAmount: '12.50',
        priority: 5,
      },
      { ...base, amount: 10, minQuantity: 6, taxIncluded: false },
      { ...base, currency: 'JPY', amount: '1990' },
      { ...base, currency: 'KWD', amount: '1.234' },
      { ...base, validFrom: '2026-01-01', validUntil: '2026-06-01T00:00:00+02:00' },
      { ...base, validFrom: '2090-06-01T00:00:00Z', validUntil: '2090-01-01T00:00:00Z' },
      { ...base, amount: '10.001' },
      { ...base, amount: '-1' },
      { ...base, amount: '1e3' },
      { ...base, currency: 'XXX' },
      { ...base, countries: ['ZZ'] },
      { ...base, variant: `${product['@id']}/variants/${unknown}` },
      { ...base, compareAtAmount: '5.00' },
    ],
    patches: [
      { amount: '9.99' },
      { compareAtAmount: null },
      { countries: ['FR', 'FR'] },
      { currency: 'USD' },
      { validFrom: '2026-01-01T12:00:00.123456789Z' },
      { validUntil: '2026-01-01' },
      { priority: -1 },
      { status: 'DRAFT' },
      { status: 'ACTIVE' },
      { variant: product.variants[1]['@id'] },
      { amount: 0.1 },
    ],
    bulk: true,
  })
  const context =
    'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-11-20T12:00:00Z'
  await call(`GET ${variant}?${context}&explain=price`)
  await call(`GET ${product['@id']}?${context}&expand=priorPrice`)
  await deletion(site, first['@id'])
  await call('GET /api/market_suggestions')
  await call('GET /api/sale_offers?status=ARCHIVED')
}

/** Offers begin and end while the tenant's clock moves. */
async function boundaries(site: Site): Promise<void> {
  const { call } = site
  const product = await productOfOffers(call)
  const base = { variant: product.variants[0]['@id'], currency: 'EUR', channel: 'web' }
  for (const [amount, from, until] of [
    ['20.00', null, '2090-01-02T00:00:00Z'],
    ['15.00', '2090-01-02T00:00:00Z', '2090-01-04T00:00:00Z'],
    ['17.00', '2090-01-02T00:00:00Z', null],
    ['18.00', '2090-01-03T00:00:00Z', '2090-01-05T00:00:00Z'],
  ])
    await call('POST /api/sale_offers', { ...base, amount, validFrom: from, validUntil: until })
  for (const moment of ['2090-01-01T12:00:00Z', '2090-01-02T12:00:00Z', '2090-01-04T12:00:00Z']) {
    await site.setClock(moment)
    await site.runScheduled()
    await call('GET /api/events?topic=sale_offer/*&after=0')
  }
  await call('PATCH /api/sale_offers/nothing', {})
}

async function purchaseOffers(site: Site): Promise<void> {
  const { call } = site
  const product = await productOfOffers(call)
  const base = { variant: product.variants[0]['@id'], currency: 'EUR', cost: '5.50', supplier: 'weaver' }
  const { body: first } = await exercise(site, {
    collection: '/api/purchase_offers',
    bodies: [
      {
        ...base,
        externalId: 'b-1',
        supplierSku: 'TW-77',
        minQuantity: 10,
        quantityIncrement: 5,
        leadTimeDays: 14,
        preferred: true,
      },
      { ...base, supplier: 'loom', status: 'DRAFT', validFrom: '2026-01-01' },
      { ...base, minQuantity: 0, quantityIncrement: -1, leadTimeDays: 1.5 },
      { ...base, supplier: '' },
      { ...base, preferred: true },
    ],
    patches: [
      { cost: '5.10' },
      { supplierSku: null },
      { minQuantity: 7 },
      { preferred: false },
      { currency: 'CHF', cost: 3 },
      { status: 'DRAFT' },
    ],
    bulk: true,
  })
  await deletion(site, first['@id'])
  await call(`GET ${product['@id']}`)
}

async function content(site: Site): Promise<void> {
  const { call } = site
  const line = typeOf('single_line_text_field')
  const { body: kind } = await exercise(site, {
    collection: '/api/metaobject_definitions',
    bodies: [
      {
        type: 'look',
        name: 'Look',
        externalId: 'd-1',
        displayNameField: 'name',
        fieldDefinitions: [
          {
            key: 'name',
            name: 'Name',
            type: line,
            required: true,
            translatable: true,
            validations: [{ name: 'max', value: '20' }],
          },
          { key: 'weight', type: typeOf('number_decimal') },
          { key: 'price', type: typeOf('money') },
          { key: 'day', type: typeOf('date') },
          { key: 'others', type: typeOf('list.metaobject_reference') },
        ],
      },
      { type: 'bare' },
      { type: 'Not A Type' },
      {
        type: 'twice',
        fieldDefinitions: [
          { key: 'a', type: line },
          { key: 'a', type: line },
        ],
      },
      {
        type: 'strange',
        displayNameField: 'none',
        fieldDefinitions: [{ key: 'a', type: typeOf('nothing') }],
      },
    ],
    patches: [{ name: 'Style' }, { displayNameField: null }, { type: 'other' }, { displayNameField: 'name' }],
    bulk: false,
  })
  const definition = kind['@id']
  await call(`PATCH ${definition}`, { fieldDefinitions: kind.fieldDefinitions })
  const { body: first } = await exercise(site, {
    collection: '/api/metaobjects',
    bodies: [
      {
        definition,
        handle: 'linen',
        externalId: 'm-1',
        status: 'ACTIVE',
        fields: {
          name: 'Linen',
          weight: '12.50',
          price: '{"amount":"19.90","currency":"EUR"}',
          day: '2026-10-01',
        },
      },
      { definition, fields: [{ key: 'name', value: 'Wool' }] },
      { definition, fields: { name: 'x'.repeat(30) } },
      {
        definition,
        fields: { weight: 'heavy', day: '2026-02-30', price: '{"amount":"1.999","currency":"EUR"}' },
      },
      { definition, fields: { nothing: '1' } },
      { definition: `/api/metaobject_definitions/${unknown}` },
    ],
    patches: [
      { fields: { name: 'Flax' } },
      { fields: { weight: null } },
      { fields: { name: null } },
      { status: 'DRAFT' },
      { handle: 'flax' },
      { status: 'ACTIVE' },
    ],
    bulk: false,
  })
  await call(`PATCH ${first['@id']}`, { fields: { others: JSON.stringify([first['@id']]) } })
  await call(`PATCH ${first['@id']}`, { fields: { others: JSON.stringify([`/api/metaobjects/${unknown}`]) } })
  await call('GET /api/metaobjects/look/flax')
  const fields = { look: { value: first['@id'], type: typeOf('metaobject_reference') } }
  const product = (await call('POST /api/products', { title: 'Dressed', fields })).body['@id']
  await call(`PATCH ${definition}`, { fieldDefinitions: [{ key: 'name', type: line, translatable: true }] })
  await call(`PATCH ${definition}`, {
    fieldDefinitions: [...kind.fieldDefinitions, { key: 'must', type: line, required: true }],
  })
  await call(`DELETE ${definition}`)
  await deletion(site, first['@id'])
  await call(`GET ${product}`)
  const bare = (await call('POST /api/metaobject_definitions', { type: 'gone' })).body['@id']
  await deletion(site, bare)
}

async function collections(site: Site): Promise<void> {
  const { call } = site
  const category = (await call('POST /api/categories', { title: 'Tops' })).body['@id']
  const inside = (
    await call('POST /api/products', { title: 'Red shirt', tags: ['red'], categories: [category] })
  ).body['@id']
  const outside = (await call('POST /api/products', { title: 'Blue mug', vendor: 'Acme' })).body['@id']
  const rule = (field: string, operator: string, value: string) => ({ field, operator, value })
  const { body: first } = await exercise(site, {
    collection: '/api/collections',
    bodies: [
      { title: 'Summer', handle: 'summer', description: 'Hot', externalId: 's-1', type: 'MANUAL' },
      { title: 'Red', rules: { match: 'ALL', conditions: [rule('tag', 'EQUALS', 'red')] } },
      {
        title: 'Any',
        rules: {
          match: 'ANY',
          conditions: [rule('category', 'EQUALS', category), rule('title', 'CONTAINS', 'MUG')],
        },
      },
      { title: 'Wrong', rules: { match: 'SOME', conditions: [rule('colour', 'EQUALS', 'red')] } },
      { title: 'Empty', rules: { match: 'ALL', conditions: [] } },
      { title: 'Wrong', rules: { match: 'ALL', conditions: [rule('createdAt', 'CONTAINS', 'now')] } },
      { title: 'Both', type: 'MANUAL', rules: { match: 'ALL', conditions: [rule('tag', 'EQUALS', 'red')] } },
    ],
    patches: [{ title: 'Autumn' }, { description: null }, { handle: 'autumn' }, { type: 'AUTOMATED' }],
    bulk: false,
    translations: { translations: { 'en-US': { title: 'Autumn' }, 'fr-FR': { title: 'Automne' } } },
  })
  const members = `${first['@id']}/products`
  await call(`POST ${members}`, { product: inside })
  await call(`POST ${members}`, { product: inside })
  await call(`POST ${members}`, [{ product: outside }, { product: inside }])
  await call(`POST ${members}`, { product: `/api/products/${unknown}` })
  await call(`POST ${members}`, {})
  await call(`GET ${members}`)
  await call(`DELETE ${members}/${inside.split('/').at(-1)}`)
  await call(`DELETE ${members}/${inside.split('/').at(-1)}`)
  const red = (
    await call('POST /api/collections', {
      title: 'Rouge',
      rules: { match: 'ALL', conditions: [rule('tag', 'EQUALS', 'red')] },
    })
  ).body
  await call(`POST ${red['@id']}/products`, { product: outside })
  await call(`PATCH ${outside}`, { tags: ['red', 'cup'] })
  await call(`GET ${red['@id']}/products?properties[]=title`)
  await call(`PATCH ${red['@id']}`, {
    rules: { match: 'ALL', conditions: [rule('vendor', 'EQUALS', 'acme')] },
  })
  await call(`GET ${red['@id']}/products?properties[]=title`)
  await call(`PATCH ${inside}`, { collections: [red['@id']] })
  await call(`DELETE ${category}`)
  await deletion(site, red['@id'])
  await deletion(site, first['@id'])
  await call(`GET ${outside}`)
}

async function webhooks(site: Site): Promise<void> {
  const { call } = site
  const collection = '/api/webhook_subscriptions'
  const { body: first } = await exercise(site, {
    collection,
    bodies: [
      {
        topic: 'product/*',
        callbackUrl: 'https://hooks.shop.dev/own',
        version: '2026-04',
        includeFields: ['title'],
      },
      { topic: 'category/created', callbackUrl: 'https://hooks.shop.dev/flaky', locale: 'fr-FR' },
      { topic: 'nothing/*', callbackUrl: 'https://hooks.shop.dev/x' },
      { topic: '*', callbackUrl: 'http://hooks.shop.dev/plain' },
      { topic: '*', callbackUrl: 'https://inside.private.shop.dev/' },
      { topic: '*', callbackUrl: 'https://user:pass@hooks.shop.dev/' },
      {
        topic: '*',
        callbackUrl: 'https://hooks.shop.dev/v',
        version: '2020-01',
        locale: 'French',
        includeFields: ['..'],
      },
      { topic: null, callbackUrl: null },
    ],
    patches: [
      { topic: 'product/*', callbackUrl: 'https://hooks.shop.dev/moved' },
      { includeFields: ['title', 'variants.*.sku'] },
      { status: 'PAUSED' },
      { status: 'ACTIVE', locale: 'fr-FR' },
      { version: null },
    ],
    bulk: false,
  })
  const path: string = first['@id']
  await call(`PATCH ${path}`, {
    topic: '*',
    callbackUrl: 'https://hooks.shop.dev/moved',
    status: 'ACTIVE',
    version: null,
    includeFields: null,
  })
  site.failReceivers('/flaky', 500)
  const category = (await call('POST /api/categories', { title: 'Fails first' })).body['@id']
  const { body: list } = await call(`GET ${collection}?topic=category/created`)
  const flaky: string = list.member.find(({ callbackUrl }: { callbackUrl: string }) =>
    callbackUrl.endsWith('/flaky'),
  )['@id']
  await call(`GET ${flaky}/deliveries`)
  site.failReceivers('/flaky', 204)
  await site.passTime(3_600_000)
  await site.runScheduled()
  const { body: deliveries } = await call(`GET ${flaky}/deliveries`)
  const delivery: string = deliveries.member[0]['@id']
  await call(`GET ${delivery}`)
  await call(`GET ${delivery}/body`)
  await call(`GET ${delivery}/body`, undefined, { caller: 'reader' })
  await call(`POST ${delivery}/retry`)
  site.failReceivers('/flaky', 410)
  await call('POST /api/categories', { title: 'Fails permanently' })
  await call(`GET ${flaky}`)
  await call(`GET ${flaky}/deliveries?status=FAILED`)
  await call(`POST ${path}/preview`, { resource: category })
  await call(`POST ${path}/preview`, { resource: `/api/categories/${unknown}` })
  await call(`POST ${path}/test`)
  await call(`POST ${path}/rotate_secret`)
  await call('POST /api/categories', { title: 'Signed twice' })
  await call(`POST ${path}/replay`, { afterSequence: 0 })
  await call(`POST ${path}/replay`, { afterSequence: -1 })
  await call(`POST ${path}/replay`, { resources: [category] })
  await call(`GET ${path}/deliveries?itemsPerPage=100&properties[]=sequence&properties[]=status`)
  await call(`POST ${path}/replay`, { afterSequence: 0 }, { headers: { 'idempotency-key': 'replay-replay' } })
  await call(`POST ${path}/replay`, { afterSequence: 0 }, { headers: { 'idempotency-key': 'replay-replay' } })
  await deletion(site, path)
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

async function pictures({ call }: Site): Promise<void> {
  const file = new Uint8Array(Buffer.from(pixel, 'base64'))
  const length = String(file.length)
  const png = { 'content-type': 'image/png', 'content-length': length }
  const { body } = await call('POST /api/pictures', file, { headers: png })
  await call('POST /api/pictures', file, { headers: { ...png, 'content-type': 'image/jpeg' } })
  await call('POST /api/pictures', file, { headers: { ...png, 'content-type': 'image/svg+xml' } })
  await call('POST /api/pictures', new Uint8Array([1, 2, 3]), {
    headers: { 'content-type': 'image/png', 'content-length': '3' },
  })
  for (const caller of ['reader', 'person', 'nobody'] as const)
    await call('POST /api/pictures', file, { headers: png, caller })
  const { pathname } = new URL(body.url ?? 'http://nothing.test/nothing')
  await call(`GET ${pathname}`)
  await call('GET /pictures/nothing.png')
}

export const writes: Readonly<Record<string, (site: Site) => Promise<void>>> = {
  categories,
  products,
  'owned-by-products': ownedByProducts,
  variants,
  'sale-offers': saleOffers,
  boundaries,
  'purchase-offers': purchaseOffers,
  content,
  collections,
  webhooks,
  pictures,
}
