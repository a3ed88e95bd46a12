/**
 * A storefront in one file: categories with filters and an order by price, products, and a search, in two markets and two
 * languages. Each page needs one or two requests to the catalogue. README.md starts it.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'

type Bindings = {
  /** The address of the storefront host, such as `http://shop.acme.localhost:8787`. */
  readonly CATALOGUE: string
  /** Its publishable key. */
  readonly KEY: string
  /** Sends requests to the catalogue, by default `fetch`. */
  readonly SEND?: (request: Request) => Promise<Response>
}
type Page = Context<{ Bindings: Bindings }>
type Html = ReturnType<typeof html>
// Responses are the catalogue's JSON; src/client has types for all of it.
type Json = ReturnType<typeof JSON.parse>

const markets: Record<string, string> = { fr: 'France', us: 'United States' }
const words = {
  en: {
    locale: 'en-US',
    search: 'Search',
    results: 'products',
    sort: 'Order',
    relevance: 'Recommended',
    ascending: 'Price, low to high',
    descending: 'Price, high to low',
    reduced: 'Reduced',
    from: 'from',
    unsold: 'Not sold here',
    next: 'More products',
    missing: 'This page does not exist.',
    facets: { vendor: 'Brand', productType: 'Kind', price: 'Price', 'option.Size': 'Size' },
  },
  fr: {
    locale: 'fr-FR',
    search: 'Rechercher',
    results: 'produits',
    sort: 'Trier',
    relevance: 'Recommandés',
    ascending: 'Prix croissant',
    descending: 'Prix décroissant',
    reduced: 'En promotion',
    from: 'dès',
    unsold: 'Pas en vente ici',
    next: 'Plus de produits',
    missing: 'Cette page n’existe pas.',
    facets: { vendor: 'Marque', productType: 'Type', price: 'Prix', 'option.Size': 'Taille' },
  },
} as const
type Language = keyof typeof words
/** The parameter by which a facet filters. A range of prices has two of its own. */
const filterOf: Record<string, string> = {
  vendor: 'vendor[]',
  productType: 'productType[]',
  'option.Size': 'option[Size][]',
}
const filters = [
  'price[from]',
  'price[until]',
  'reduced',
  'order[price]',
  'cursor',
  ...Object.values(filterOf),
]

const app = new Hono<{ Bindings: Bindings }>()
export default app

app.get('/', (page) => page.redirect('/fr/en'))

app.use('/:market/:language/*', async (page, next) => {
  const { market, language } = page.req.param()
  return market in markets && language in words ? next() : page.notFound()
})

app.get('/:market/:language', async (page) => {
  const list = await read(page, '/api/categories', { parent: 'null', 'properties[]': ['title', 'handle'] })
  return layout(page, 'Acme', categoryLinks(page, list?.member ?? []))
})

app.get('/:market/:language/c/:path{.+}', async (page) => {
  const path = page.req.param('path')
  const category = await read(page, `/api/categories/by-path/${encodeURIComponent(path)}`, {
    expand: 'children',
    breadcrumbs: 'true',
    'properties[]': ['title', 'breadcrumbs'],
    'properties[children][]': ['title', 'handle'],
  })
  if (!category) return missing(page)
  const list = await products(page, { category: category['@id'], 'category[descendants]': 'true' })
  return layout(
    page,
    category.title,
    breadcrumbLinks(page, category.breadcrumbs.slice(0, -1)),
    categoryLinks(page, category.children ?? [], `/c/${path}`),
    productList(page, list),
  )
})

app.get('/:market/:language/search', async (page) => {
  const q = page.req.query('q') ?? ''
  const list = await products(page, { q })
  return layout(page, `${wordsOf(page).search}: ${q}`, productList(page, list))
})

app.get('/:market/:language/p/:handle', async (page) => {
  const handle = page.req.param('handle')
  const product = await read(page, `/api/products/by-handle/${encodeURIComponent(handle)}`, {
    market: page.req.param('market') as string,
    breadcrumbs: 'true',
    'properties[]': ['title', 'description', 'handle', 'media', 'breadcrumbs'],
    'properties[variants][]': ['sku', 'title', 'optionValues', 'resolvedPrice'],
  })
  if (!product) return missing(page)
  if (product.handle !== handle) return page.redirect(pathOf(page, `/p/${product.handle}`), 301)
  return layout(
    page,
    product.title,
    breadcrumbLinks(page, product.breadcrumbs[0] ?? []),
    picture(product),
    html`<p>${product.description}</p>
      <ul class="variants">${product.variants.map(
        (variant: Json) => html`<li>
          ${variant.optionValues.map(({ title }: Json) => title).join(' / ')} ${price(page, variant.resolvedPrice)}
        </li>`,
      )}</ul>`,
  )
})

app.notFound((page) => page.text('This page does not exist.', 404))

type Query = Readonly<Record<string, string | readonly string[]>>

/** Reads a document in the language of the page. Null if it does not exist. */
async function read(page: Page, path: string, query: Query): Promise<Json | null> {
  const address = new URL(path, page.env.CATALOGUE)
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) address.searchParams.append(name, each)
  const headers = { authorization: `Bearer ${page.env.KEY}`, 'service-locale': wordsOf(page).locale }
  const response = await (page.env.SEND ?? fetch)(new Request(address, { headers }))
  if (response.status === 404) return null
  if (!response.ok)
    throw new Error(`${address.pathname} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Reads a page of products with its filters and its order, which are the same in the address of the page. */
function products(page: Page, query: Query): Promise<Json> {
  const chosen = Object.entries(page.req.queries()).filter(([name]) => filters.includes(name))
  return read(page, '/api/products', {
    ...query,
    ...Object.fromEntries(chosen),
    market: page.req.param('market') as string,
    itemsPerPage: '24',
    'facets[]': ['vendor', 'productType', 'price', 'option.Size'],
    'properties[]': ['title', 'handle', 'media', 'priceRange'],
  })
}

function productList(page: Page, list: Json): Html {
  const text = wordsOf(page)
  const order = page.req.query('order[price]')
  const orders = [
    [text.relevance, undefined],
    [text.ascending, 'asc'],
    [text.descending, 'desc'],
  ] as const
  const cursor = list.view?.next && new URL(list.view.next, page.env.CATALOGUE).searchParams.get('cursor')
  return html`<p class="total">${list.totalItems} ${text.results}</p>
    <nav aria-label="${text.sort}">${orders.map(([title, value]) =>
      link(page, { 'order[price]': value ? [value] : [] }, title, value === order),
    )} ${link(page, { reduced: page.req.query('reduced') ? [] : ['true'] }, text.reduced, !!page.req.query('reduced'))}</nav>
    ${list.facets.map((facet: Json) => facetLinks(page, facet))}
    <ul class="products">${list.member.map(
      (product: Json) => html`<li>
        <a href="${pathOf(page, `/p/${product.handle}`)}">${picture(product)} ${product.title}</a>
        ${priceRange(page, product.priceRange)}
      </li>`,
    )}</ul>
    ${cursor ? link(page, { cursor: [cursor] }, text.next, false) : ''}`
}

/** The values of a facet with their numbers. A click adds a value to the filter or removes it. */
function facetLinks(page: Page, { name, values }: Json): Html {
  const text = wordsOf(page)
  return html`<nav aria-label="${(text.facets as Record<string, string>)[name]}">${values.map(
    (each: Json) => {
      if (name === 'price') {
        const range = {
          'price[from]': each.from ? [each.from] : [],
          'price[until]': each.until ? [each.until] : [],
        }
        return link(
          page,
          each.selected ? { 'price[from]': [], 'price[until]': [] } : range,
          `${each.from ?? ''}–${each.until ?? ''} (${each.count})`,
          each.selected,
        )
      }
      const parameter = filterOf[name] as string
      const chosen = page.req.queries(parameter) ?? []
      const values = each.selected ? chosen.filter((value) => value !== each.value) : [...chosen, each.value]
      return link(page, { [parameter]: values }, `${each.title ?? each.value} (${each.count})`, each.selected)
    },
  )}</nav>`
}

/** A link to this page with other values of some parameters. It begins at the first product again. */
function link(
  page: Page,
  change: Record<string, readonly string[]>,
  title: string,
  isCurrent: boolean,
): Html {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries({ ...page.req.queries(), cursor: [], ...change }))
    for (const value of values) query.append(name, value)
  return html`<a href="${page.req.path}?${query}" aria-current="${isCurrent}">${title}</a> `
}

function price(page: Page, resolved: Json): Html {
  if (!resolved) return html`<b>${wordsOf(page).unsold}</b>`
  const before = resolved.compareAtAmount
    ? html`<s>${money(page, resolved.compareAtAmount, resolved.currency)}</s>`
    : ''
  return html`<b>${money(page, resolved.amount, resolved.currency)}</b> ${before}`
}

function priceRange(page: Page, range: Json): Html {
  if (!range) return html`<b>${wordsOf(page).unsold}</b>`
  const from = range.from === range.until ? '' : wordsOf(page).from
  return html`<b>${from} ${money(page, range.from, range.currency)}</b>`
}

const money = (page: Page, amount: string, currency: string) =>
  new Intl.NumberFormat(wordsOf(page).locale, { style: 'currency', currency }).format(Number(amount))

function picture({ media }: Json): Html | string {
  const [first] = media ?? []
  return first ? html`<img src="${first.url}" alt="${first.alt ?? ''}" loading="lazy" width="160">` : ''
}

function categoryLinks(page: Page, categories: Json[], path = '/c'): Html {
  return html`<nav>${categories.map(
    ({ title, handle }) => html`<a href="${pathOf(page, `${path}/${handle}`)}">${title}</a> `,
  )}</nav>`
}

function breadcrumbLinks(page: Page, breadcrumbs: Json[]): Html {
  let path = '/c'
  return html`<nav>${breadcrumbs.map(({ title, handle }) => {
    path += `/${handle}`
    return html`<a href="${pathOf(page, path)}">${title}</a> `
  })}</nav>`
}

function pathOf(page: Page, path: string): string {
  return `/${page.req.param('market')}/${page.req.param('language')}${path}`
}

function wordsOf(page: Page): (typeof words)[Language] {
  return words[page.req.param('language') as Language] ?? words.en
}

async function missing(page: Page): Promise<Response> {
  page.status(404)
  return layout(page, wordsOf(page).missing)
}

async function layout(page: Page, title: string, ...content: (Html | string)[]): Promise<Response> {
  const { market, language } = page.req.param() as { market: string; language: string }
  const { pathname, searchParams } = new URL(page.req.url)
  // A cursor is a position in the list of this market.
  searchParams.delete('cursor')
  const rest = `${pathname.split('/').slice(3).join('/')}?${searchParams}`
  const others = Object.entries(markets).flatMap(([key, name]) =>
    Object.keys(words).map(
      (each) =>
        html`<a href="/${key}/${each}/${rest}" aria-current="${key === market && each === language}">${name} ${each}</a> `,
    ),
  )
  page.header('Cache-Control', 'public, max-age=30')
  return page.html(html`<!doctype html>
    <html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
    <style>body{font:16px system-ui;max-width:60rem;margin:auto;padding:1rem}a{margin-right:.5rem}[aria-current=true]{font-weight:bold}.products{display:grid;grid-template-columns:repeat(auto-fill,10rem);gap:1rem;list-style:none;padding:0}img{display:block}</style>
    <header><a href="/${market}/${language}">Acme</a> ${others}
      <form action="/${market}/${language}/search"><input name="q" type="search" aria-label="${wordsOf(page).search}"><button>${wordsOf(page).search}</button></form></header>
    <main><h1>${title}</h1>${content}</main></html>`)
}
