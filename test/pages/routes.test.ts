/** Every route of /admin shows its content, opened by its address and by clicking. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { byMenu, type Stage, signIn } from './chromium.ts'
import { inBrowser } from './in-browser.ts'
import { lists } from './lists.ts'

type Step = (page: Page) => Promise<void>
type Route = {
  /** Behind `#`. */
  readonly path: string
  /** The parts of the tab's title before the name of the catalogue; the first is the only first heading. */
  readonly title: readonly string[]
  /** Texts and values of inputs that the page has to show. */
  readonly shows: readonly (string | RegExp)[]
  /** Goes there from the list of products. */
  readonly click: Step
}

/** The ids that addresses have, by the resource that they are of. */
type Ids = Readonly<Record<string, string>>
type Pages = Readonly<Record<string, (ids: Ids) => Route>>

const menu = (name: string) => (page: Page) => byMenu(page, name)
const choose = (text: string) => (page: Page) =>
  page.getByRole('main').getByText(text, { exact: true }).first().click()
const press = (name: string | RegExp) => (page: Page) => {
  const place = page.getByRole('main')
  return place.getByRole('link', { name }).or(place.getByRole('button', { name })).first().click()
}
const steps =
  (...all: readonly Step[]) =>
  async (page: Page) => {
    for (const step of all) await step(page)
  }

type Shown = {
  readonly create: string
  readonly cell: string
  readonly title: string
  readonly shows: Route['shows']
}

/** The pages of a resource: its list, a new record, and one record, which a cell of the list opens. */
function pagesOf(resource: string, name: string, { create, cell, title, shows }: Shown): Pages {
  return {
    [resource]: () => ({ path: `/${resource}`, title: [name], shows: [cell], click: menu(name) }),
    [`${resource}, a new record`]: () => ({
      path: `/${resource}/create`,
      title: [create, name],
      shows: ['Save'],
      click: steps(menu(name), press(create)),
    }),
    [`${resource}, one record`]: (ids) => ({
      path: `/${resource}/${ids[resource]}`,
      title: [title, name],
      shows,
      click: steps(menu(name), choose(cell)),
    }),
  }
}

const jug = choose('Enamel jug')

const routes: Pages = {
  ...pagesOf('products', 'Products', {
    create: 'New product',
    cell: 'Enamel jug',
    title: 'Enamel jug',
    shows: ['Atelier Brume', 'JUG-S', '€12.00', '€15.50', 'every', 'Tableware'],
  }),
  ...pagesOf('categories', 'Categories', {
    create: 'New category',
    cell: 'Tableware',
    title: 'Tableware',
    shows: ['Tableware', 'tableware'],
  }),
  ...pagesOf('collections', 'Collections', {
    create: 'New collection',
    cell: 'Favourites',
    title: 'Favourites',
    shows: ['Favourites', 'Enamel jug'],
  }),
  ...pagesOf('sale_offers', 'Prices', {
    create: 'New price',
    cell: '€15.50',
    title: 'Price (Enamel jug)',
    shows: ['15.50', 'EUR'],
  }),
  ...pagesOf('price_policies', 'Price policies', {
    create: 'New price policy',
    cell: 'Germany (DE)',
    title: 'Price policy of Germany (DE)',
    shows: ['Preisangabenverordnung', '30'],
  }),
  ...pagesOf('purchase_offers', 'Supplier costs', {
    create: 'New supplier cost',
    cell: 'kiln-and-co',
    title: 'Supplier cost (Stoneware mug)',
    shows: ['kiln-and-co', '6.10'],
  }),
  ...pagesOf('metaobjects', 'Content entries', {
    create: 'New content entry',
    cell: 'Ada',
    title: 'Ada',
    shows: ['Ada'],
  }),
  ...pagesOf('metaobject_definitions', 'Content types', {
    create: 'New content type',
    cell: 'Maker',
    title: 'Maker',
    shows: ['Maker', 'name'],
  }),
  ...pagesOf('webhook_subscriptions', 'Webhooks', {
    create: 'New subscription',
    cell: 'category/*',
    title: 'Subscription (category/*)',
    shows: ['category/*', 'http://127.0.0.1:9/first', 'category/created'],
  }),
  'variants, one record': ({ variants }) => ({
    path: `/variants/${variants}`,
    title: ['Small', 'Products'],
    shows: ['JUG-S'],
    click: steps(jug, press(/^Edit$/)),
  }),
  'variants, a new record': ({ products }) => ({
    path: `/variants/create?product=${products}`,
    title: ['New variant of Enamel jug', 'Products'],
    shows: ['New variant of Enamel jug', 'Size'],
    click: steps(jug, press('Add a variant')),
  }),
  attention: () => ({
    path: '/attention',
    title: ['Needs attention'],
    shows: ['No picture'],
    click: menu('Needs attention'),
  }),
  campaigns: () => ({
    path: '/campaigns',
    title: ['Campaigns'],
    shows: ['Spring sale'],
    click: menu('Campaigns'),
  }),
  'campaigns, one record': ({ campaigns }) => ({
    path: `/campaigns/${campaigns}`,
    title: ['Spring sale', 'Campaigns'],
    shows: ['End now', '110.00'],
    click: steps(menu('Campaigns'), choose('Spring sale')),
  }),
  import: () => ({
    path: '/import',
    title: ['Import products'],
    shows: ['Choose a file'],
    click: steps(press('Export'), (page) => page.getByRole('dialog').getByText('Import products').click()),
  }),
  price_grid: ({ products }) => ({
    path: `/price_grid/${products}`,
    title: ['Prices of Enamel jug', 'Prices'],
    shows: ['12.00', '15.50'],
    click: steps(jug, press('Edit prices in a grid')),
  }),
  grid: ({ products }) => ({
    path: `/grid/${encodeURIComponent(
      JSON.stringify({
        'id[]': [
          decodeURIComponent(products ?? '')
            .split('/')
            .at(-1),
        ],
      }),
    )}`,
    title: ['Products in a grid', 'Products'],
    shows: ['JUG-S', '12.00', '15.50'],
    click: steps(menu('Products'), press('Edit in grid')),
  }),
  sale: ({ products }) => ({
    path: `/sale?product=${products}`,
    title: ['Sale', 'Prices'],
    shows: ['Enamel jug'],
    click: steps(jug, press(/\bsale\b/i)),
  }),
  'latest-changes': () => ({
    path: '/latest-changes',
    title: ['Latest changes'],
    shows: ['Enamel jug'],
    click: menu('Latest changes'),
  }),
  untranslated: () => ({
    path: '/untranslated?kind=products&missing=fr-FR',
    title: ['Untranslated'],
    shows: ['Plate 1'],
    click: steps(menu('Untranslated'), press(/^Products, French/)),
  }),
  translate: ({ products }) => ({
    path: `/translate/${products}?into=fr-FR`,
    title: ['Translate Enamel jug'],
    shows: ['Enamel jug', 'Cruche émaillée'],
    click: steps(jug, press('Languages'), press(/French/)),
  }),
}

const inMenu = [...lists, 'price_policies', 'latest-changes', 'untranslated', 'attention', 'campaigns']

/** Fills what the stage has none of yet; the ids of what the routes show. */
async function fill({ shop }: Stage): Promise<Ids> {
  const create = shop.create
  const firstOf = async (name: string) => (await shop.read(`/api/${name}?itemsPerPage=1`)).member[0]['@id']
  const definition = await create('/api/metaobject_definitions', {
    type: 'maker',
    name: 'Maker',
    displayNameField: 'name',
    fieldDefinitions: [
      { key: 'name', name: 'Name', type: '/api/metafield_definition_types/single_line_text_field' },
    ],
  })
  await create('/api/metaobjects', { definition: definition['@id'], fields: { name: 'Ada' } })
  const product = await create('/api/products', {
    title: 'Enamel jug',
    description: 'Fired twice.',
    status: 'ACTIVE',
    channels: ['web'],
    vendor: 'Atelier Brume',
    categories: [await firstOf('categories')],
    collections: [await firstOf('collections')],
    fields: { 'care.washing': 'By hand' },
    options: [{ title: 'Size', values: [{ title: 'Small' }, { title: 'Large' }] }],
    variants: [
      { sku: 'JUG-S', optionValues: [{ option: 'Size', value: 'Small' }] },
      { sku: 'JUG-L', optionValues: [{ option: 'Size', value: 'Large' }] },
    ],
  })
  await shop.update(product['@id'], { title: 'Cruche émaillée' }, { locale: 'fr-FR' })
  const [small, large] = product.variants
  // Older than the other prices, which lists show first.
  const campaign = await create('/api/campaigns', { name: 'Spring sale' })
  const reduced = { variant: small['@id'], currency: 'SEK', amount: '110.00', campaign: campaign['@id'] }
  await create('/api/sale_offers', reduced)
  for (const [variant, amount] of [
    [small, '12.00'],
    [large, '15.50'],
  ])
    await create('/api/sale_offers', { variant: variant['@id'], currency: 'EUR', amount })
  const since = { from: new Date(Date.now() - 3_600_000).toISOString() }
  await shop.post(`${await firstOf('webhook_subscriptions')}/replay`, { body: since, status: 202 })
  const ids: Record<string, string> = {
    variants: encodeURIComponent(small['@id']),
    price_policies: encodeURIComponent('/api/price_policies/DE'),
    campaigns: campaign.id,
  }
  for (const name of lists) ids[name] = encodeURIComponent(await firstOf(name))
  return ids
}

/** The texts of a page that has failed, or has found nothing. */
const failures =
  /There (?:is|was) no |\bNo [\w ]+ (?:yet|found)\b|\bNothing (?:was|has been) .* yet\b|Not Found|went wrong|Error|Loading/

/** The texts of a page and the values of its inputs, one on each line. */
function contentOf(page: Page): Promise<string> {
  return page.evaluate<string>(`[
    document.querySelector('main')?.innerText,
    ...[...document.querySelectorAll('main :is(input, textarea)')].map((input) => input.value),
    ...[...document.querySelectorAll('[role=alert]:not(.MuiAlert-colorInfo)')].map((alert) => 'Error: ' + alert.innerText),
  ].join('\\n')`)
}

inBrowser((of, size) => {
  let ids: Ids

  beforeAll(async () => {
    of().page.setDefaultTimeout(15_000)
    await signIn(of())
    ids = await fill(of())
    // The list that signing in opens is from before.
    await of().page.reload()
  })

  // A phone has another menu. test/pages/accessible.ts looks at each page at its size.
  const tested = Object.entries(routes).filter(([name]) => size === 'wide' || inMenu.includes(name))
  test.each(tested)(
    '%s shows its content, one first heading and its title by its address and by clicking',
    async (_, route) => {
      const { page, origin, settled } = of()
      const { path, title, shows, click } = route(ids)
      const demandContent = async () => {
        for (const text of shows) await expect.poll(() => contentOf(page)).toMatch(text)
        await settled()
        expect(await contentOf(page)).not.toMatch(failures)
        await expect.poll(() => page.locator('h1').allInnerTexts()).toEqual([title[0]])
        expect(await page.title()).toBe([...title, 'Corner Shop'].join(' · '))
      }
      if (size === 'wide') {
        // Another document in between: nothing of an earlier page is left in memory.
        await page.goto('about:blank')
        await page.goto(`${origin}/admin#${path}`)
        await demandContent()
      }
      await page.goto(`${origin}/admin#/products?filter=%7B%7D`)
      // The page before can have the same text.
      await page.getByRole('heading', { level: 1, name: 'Products', exact: true }).waitFor()
      await page.getByRole('main').getByText('Enamel jug', { exact: true }).first().waitFor()
      await settled()
      await click(page)
      await demandContent()
    },
  )

  if (size === 'phone') return

  test('rows have links, and open in new tabs by Ctrl+click, by the middle button and by Ctrl+Enter', async () => {
    const { page, origin } = of()
    for (const name of lists) {
      await page.goto(`${origin}/admin#/${name}?filter=%7B%7D`)
      await page.getByRole('main').locator(`a[href^="#/${name}/%2Fapi%2F"]`).first().waitFor()
    }
    await page.goto(`${origin}/admin#/products?filter=%7B%7D`)
    const row = page.getByRole('row', { name: /Enamel jug/ })
    const opens: readonly (() => Promise<void>)[] = [
      () => row.getByRole('link').click({ modifiers: ['ControlOrMeta'] }),
      () => row.getByText('€12.00').click({ modifiers: ['ControlOrMeta'] }),
      () => row.getByRole('link').click({ button: 'middle' }),
      () => row.press('Control+Enter'),
    ]
    for (const open of opens) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), open()])
      await tab.getByRole('heading', { name: 'Enamel jug', level: 1 }).waitFor()
      await tab.close()
    }
    expect(page.url()).toContain('/admin#/products?')
  })

  test.each(lists)('the list of %s makes at most three requests', async (name) => {
    const { page, origin, settled } = of()
    await page.goto('about:blank')
    await page.goto(`${origin}/admin#/latest-changes`)
    await page.getByRole('main').getByText('Enamel jug', { exact: true }).first().waitFor()
    await settled()
    const requests: string[] = []
    const listen = (request: { url(): string; method(): string }) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.startsWith('/api/')) requests.push(`${request.method()} ${pathname}${search}`)
    }
    page.on('request', listen)
    await page.evaluate(`location.hash = '#/${name}?perPage=25'`)
    await expect.poll(() => requests.length).toBeGreaterThan(0)
    await settled()
    page.off('request', listen)
    expect(requests.slice(3)).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
  })
})

test('the table has each route of the pages', () => {
  const source = readFileSync(join(import.meta.dirname, '../../src/admin/App.tsx'), 'utf8')
  const named = [...source.matchAll(/<(?:Resource name="|Route path="\/)([\w-]+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(4)
  const tested = Object.keys(routes).map((name) => name.split(',')[0])
  expect([...lists, ...named].filter((name) => !tested.includes(name))).toEqual([])
})
