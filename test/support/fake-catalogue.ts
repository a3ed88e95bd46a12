import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Body = Record<string, unknown>
type Row = Body & { '@id': string; id: string }
type Violation = { propertyPath: string; message: string }
type Answer = { status: number; body: unknown; headers?: Record<string, string> }

export type Call = {
  method: string
  path: string
  locale: string | undefined
  key: string | undefined
  body: unknown
}

const translatable = new Set(['title', 'description', 'seo'])

/**
 * A stand-in for the service, for tests of its local clients. It stores products, categories and offers in memory,
 * knows the few rules that the tests need, and records its requests. `troubles` are its first responses, in turn.
 */
export async function startFakeCatalogue({
  locales = ['en-US', 'fr-FR'],
  token = 'good',
  pageSize = 30,
} = {}) {
  const products: Row[] = []
  const categories: Row[] = []
  const offers: Row[] = []
  const calls: Call[] = []
  const troubles: (Answer | 'hang up')[] = []
  let lastId = 0
  let validToken = token

  const mint = (path: string): { '@id': string; id: string } => {
    lastId += 1
    const id = `00000000-0000-7000-8000-${String(lastId).padStart(12, '0')}`
    return { '@id': `${path}/${id}`, id }
  }
  const written = (value: unknown, locale: string, known?: unknown) => ({
    ...(known as Body),
    [locale]: value,
  })
  const store = (row: Body, body: Body, locale: string) => {
    for (const [name, value] of Object.entries(body)) {
      row[name] = translatable.has(name) ? written(value, locale, row[name]) : value
    }
    return row
  }
  const shown = (row: Body, locale: string): Body => {
    const fallbacks: Record<string, string> = {}
    const entries = Object.entries(row).map(([name, value]): [string, unknown] => {
      if (Array.isArray(value) && ['options', 'values', 'variants', 'optionValues'].includes(name)) {
        return [name, value.map((item: Body) => shown(item, locale))]
      }
      if (!translatable.has(name)) return [name, value]
      const texts = value as Record<string, string | null>
      const from = [locale, ...locales].find((candidate) => texts[candidate])
      if (from && from !== locale) fallbacks[name] = from
      return [name, from ? texts[from] : null]
    })
    return { ...Object.fromEntries(entries), ...(Object.keys(fallbacks).length > 0 && { fallbacks }) }
  }

  const addOption = (product: Row, body: Body, locale: string): Row => {
    const option: Row = { ...mint('/api/product_options'), values: [] }
    store(option, { title: body.title }, locale)
    for (const value of (body.values as Body[] | undefined) ?? []) addValue(option, value, locale)
    ;(product.options as Row[]).push(option)
    return option
  }
  const addValue = (option: Row, body: Body, locale: string): Row => {
    const value: Row = { ...mint('/api/option_values'), option: option['@id'] }
    store(value, { title: body.title }, locale)
    ;(option.values as Row[]).push(value)
    return value
  }
  const resolve = (product: Row, wanted: { option: string; value: string }[], locale: string) =>
    wanted.map((pair) => {
      const option = (product.options as Row[]).find((row) => shown(row, locale).title === pair.option)
      const value = (option?.values as Row[] | undefined)?.find(
        (row) => shown(row, locale).title === pair.value,
      )
      return value ?? null
    })
  const offerStandards = { channel: null, countries: [], priority: 0, minQuantity: 1, status: 'ACTIVE' }
  const addOffer = (body: Body): Row => {
    const offer = { ...mint('/api/sale_offers'), ...offerStandards, ...body }
    offers.push(offer)
    return offer
  }
  const addVariant = (
    product: Row,
    { optionValues = [], saleOffers = [], ...body }: Body,
    locale: string,
  ): Row => {
    const values = resolve(product, optionValues as { option: string; value: string }[], locale)
    const variant: Row = { ...mint(`${product['@id']}/variants`), ...body, optionValues: values }
    ;(product.variants as Row[]).push(variant)
    for (const offer of saleOffers as Body[]) addOffer({ ...offer, variant: variant['@id'] })
    return variant
  }

  const variantViolations = (product: Row | null, body: Body, path: string, locale: string): Violation[] => [
    ...(typeof body.barcode === 'string' && !/^\d{8}$|^\d{12,14}$/.test(body.barcode)
      ? [{ propertyPath: `${path}barcode`, message: 'This is no GTIN.' }]
      : []),
    ...(product && resolve(product, (body.optionValues ?? []) as [], locale).includes(null)
      ? [{ propertyPath: `${path}optionValues`, message: 'There is no such value.' }]
      : []),
    ...((body.saleOffers ?? []) as Body[]).flatMap((offer, index) =>
      offerViolations(offer, `${path}saleOffers[${index}].`),
    ),
  ]
  const productViolations = (body: Body, path: string): Violation[] => [
    ...(body.title ? [] : [{ propertyPath: `${path}title`, message: 'This is required.' }]),
    ...(String(body.title).length > 255
      ? [{ propertyPath: `${path}title`, message: 'This is too long.' }]
      : []),
    ...((body.variants ?? []) as Body[]).flatMap((variant, index) =>
      variantViolations(null, variant, `${path}variants[${index}].`, ''),
    ),
  ]
  const offerViolations = ({ amount, compareAtAmount }: Body, path: string): Violation[] => [
    ...(/^\d+(\.\d{1,2})?$/.test(String(amount))
      ? []
      : [{ propertyPath: `${path}amount`, message: 'This is no amount.' }]),
    ...(compareAtAmount && Number(compareAtAmount) <= Number(amount)
      ? [{ propertyPath: `${path}compareAtAmount`, message: 'This is not more than the amount.' }]
      : []),
  ]
  const invalid = (violations: Violation[]): Answer => ({
    status: 422,
    body: { slug: 'validation.failed', message: 'Not valid.', violations },
  })
  const list = (rows: Row[], url: URL, locale: string): Answer => {
    const [size, page] = [
      Number(url.searchParams.get('itemsPerPage') ?? pageSize),
      Number(url.searchParams.get('page') ?? 1),
    ]
    const end = page * Math.min(size, pageSize)
    const next = new URL(url)
    next.searchParams.set('page', String(page + 1))
    const member = rows.slice(end - Math.min(size, pageSize), end).map((row) => shown(row, locale))
    const view = size > 0 && end < rows.length ? { next: next.pathname + next.search } : {}
    return { status: 200, body: { member, totalItems: rows.length, view } }
  }
  const collection = (rows: Row[], locale: string): Answer => ({
    status: 201,
    body: { member: rows.map((row) => shown(row, locale)) },
  })

  /** Rows in the form of `properties[]=id`. */
  const ofIds = ({ status, body }: Answer): Answer => {
    const { member } = body as { member?: Row[] }
    return member
      ? { status, body: { member: member.map((row) => ({ '@id': row['@id'], id: row.id })) } }
      : { status, body }
  }

  const productAt = (id: string | undefined) => products.find((product) => product.id === id)

  function create(path: string, bodies: Body[], locale: string): Answer {
    const [, , resource, id, nested] = path.split('/')
    const at = (index: number) => `[${index}].`
    if (resource === 'products' && nested === 'variants') {
      const product = productAt(id)!
      const wrong = bodies.flatMap((body, index) => variantViolations(product, body, at(index), locale))
      return wrong.length > 0
        ? invalid(wrong)
        : collection(
            bodies.map((body) => addVariant(product, body, locale)),
            locale,
          )
    }
    if (resource === 'products') {
      const wrong = bodies.flatMap((body, index) => productViolations(body, at(index)))
      if (wrong.length > 0) return invalid(wrong)
      const skus = [...products, ...bodies].flatMap(({ variants }) =>
        ((variants ?? []) as Body[]).flatMap(({ sku }) => sku ?? []),
      )
      // A conflict that names no row, as a unique index reports it.
      if (new Set(skus).size < skus.length) {
        return { status: 409, body: { slug: 'variant.sku_taken', message: 'The SKU is taken.' } }
      }
      const made = bodies.map(({ options = [], variants = [], ...body }) => {
        const product: Row = { ...mint('/api/products'), channels: [], options: [], variants: [] }
        store(product, body, locale)
        for (const option of options as Body[]) addOption(product, option, locale)
        for (const variant of variants as Body[]) addVariant(product, variant, locale)
        products.push(product)
        return product
      })
      return collection(made, locale)
    }
    if (resource === 'sale_offers') {
      const wrong = bodies.flatMap((body, index) => offerViolations(body, at(index)))
      if (wrong.length > 0) return invalid(wrong)
      return collection(bodies.map(addOffer), locale)
    }
    const made = bodies.map((body) => store(mint('/api/categories'), body, locale) as Row)
    categories.push(...made)
    return collection(made, locale)
  }

  function createOne(path: string, body: Body, locale: string): Answer {
    const option = products
      .flatMap(({ options }) => options as Row[])
      .find((row) => row['@id'] === body.option)
    const made = path.endsWith('/product_options')
      ? addOption(productAt(path.split('/')[3])!, body, locale)
      : addValue(option!, body, locale)
    return { status: 201, body: shown(made, locale) }
  }

  function patch(path: string, body: Body, locale: string): Answer {
    const options = products.flatMap((product) => product.options as Row[])
    const everything = [
      ...products,
      ...categories,
      ...offers,
      ...options,
      ...options.flatMap(({ values }) => values as Row[]),
      ...products.flatMap(({ variants }) => variants as Row[]),
    ]
    const row = everything.find((candidate) => candidate['@id'] === path)!
    const product = productAt(path.split('/')[3]) ?? null
    const wrong = path.startsWith('/api/sale_offers')
      ? offerViolations({ ...row, ...body }, '')
      : row === product
        ? productViolations({ title: 'kept', ...body }, '')
        : variantViolations(product, body, '', locale)
    if (wrong.length > 0) return invalid(wrong)
    const { optionValues, ...plain } = body
    store(row, plain, locale)
    if (optionValues) row.optionValues = resolve(product!, optionValues as [], locale)
    return { status: 200, body: shown(row, locale) }
  }

  /** The row whose translations are at a path. */
  function translatedAt(path: string): Row {
    const options = products.flatMap((product) => product.options as Row[])
    const rows = [...products, ...categories, ...options, ...options.flatMap(({ values }) => values as Row[])]
    return rows.find((candidate) => `${candidate['@id']}/translations` === path)!
  }

  /** The texts of a row by locale, after those of a body have replaced them. */
  function translations(row: Row, written?: Record<string, Body>): Answer {
    const named = [...translatable]
    for (const name of written ? named : []) {
      const texts = Object.entries(written!).flatMap(([locale, each]) =>
        each[name] === undefined ? [] : [[locale, each[name]]],
      )
      if (row[name] !== undefined || texts.length > 0) row[name] = Object.fromEntries(texts)
    }
    const found: Record<string, Body> = {}
    for (const name of named)
      for (const [locale, text] of Object.entries((row[name] ?? {}) as Body))
        found[locale] = { ...found[locale], [name]: text }
    return { status: 200, body: { translations: found } }
  }

  function answer(call: Call, authorization: string | undefined, url: URL): Answer {
    if (authorization !== `Bearer ${validToken}`)
      return { status: 401, body: { message: 'The token is not valid.' } }
    const locale = call.locale ?? locales[0]!
    const asked = url.searchParams
    if (call.method === 'PATCH') return patch(call.path, call.body as Body, locale)
    if (call.path.endsWith('/translations')) {
      const body = call.body as { translations: Record<string, Body> } | undefined
      return translations(translatedAt(call.path), body?.translations)
    }
    if (call.method === 'POST') {
      const written = Array.isArray(call.body)
        ? create(call.path, call.body, locale)
        : createOne(call.path, call.body as Body, locale)
      return asked.get('properties[]') === 'id' ? ofIds(written) : written
    }
    const product = url.pathname.startsWith('/api/products/') && productAt(url.pathname.split('/').at(-1))
    if (product) return { status: 200, body: shown(product, locale) }
    if (url.pathname === '/api/categories') return list(categories, url, locale)
    if (url.pathname === '/api/products') {
      return list(
        products.filter(({ handle }) => !asked.has('handle') || handle === asked.get('handle')),
        url,
        locale,
      )
    }
    const variants = (productAt(asked.get('product')?.split('/').at(-1))?.variants ?? []) as Row[]
    const mine = offers.filter(
      ({ variant, channel }) =>
        (!asked.has('product') || variants.some((row) => row['@id'] === variant)) &&
        (!asked.has('channel') || channel === asked.get('channel')),
    )
    return list(mine, url, locale)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const call: Call = {
      method: request.method ?? '',
      path: url.pathname,
      locale: request.headers['service-locale'] as string | undefined,
      key: request.headers['idempotency-key'] as string | undefined,
      body: text === '' ? undefined : JSON.parse(text),
    }
    calls.push(call)
    const trouble = troubles.shift()
    if (trouble === 'hang up') {
      request.socket.destroy()
      return
    }
    const { status, body, headers } = trouble ?? answer(call, request.headers.authorization, url)
    response.writeHead(status, { 'content-type': 'application/ld+json', ...headers })
    response.end(JSON.stringify(body))
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    products,
    categories,
    offers,
    calls,
    troubles,
    /** The writes since the last call. */
    takeWrites: () => calls.splice(0).filter(({ method }) => method !== 'GET'),
    expireToken: (next: string) => {
      validToken = next
    },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}
