/** Active products that customers cannot buy: the list and the page of a product show each reason. */
import { beforeAll, expect, test } from 'vitest'
import { seriousIn } from './axe.ts'
import { type Stage, signIn } from './chromium.ts'
import { fitsOnPhone, onDesktop } from './in-browser.ts'

type Offer = Readonly<Record<string, unknown>>

const wares = (title: string, offers: readonly Offer[] | null, channels = ['web'], status = 'ACTIVE') => ({
  title,
  status,
  channels,
  vendor: 'Kiln',
  variants:
    offers === null
      ? []
      : [{ sku: title, saleOffers: offers.map((offer) => ({ amount: '9.00', currency: 'EUR', ...offer })) }],
})

/** A product with one variant for each size, each with its own offers. */
const sized = (title: string, sizes: Readonly<Record<string, readonly Offer[]>>, channels = ['web']) => ({
  ...wares(title, null, channels),
  options: [{ title: 'Size', values: Object.keys(sizes).map((value) => ({ title: value })) }],
  variants: Object.entries(sizes).map(([value, offers]) => ({
    sku: `${title} ${value}`,
    optionValues: [{ option: 'Size', value }],
    saleOffers: offers.map((offer) => ({ amount: '9.00', currency: 'EUR', ...offer })),
  })),
})

const later = { validFrom: '2099-12-01T09:00:00Z' }

/** A reason, which the list and the page of a product show alike unless it is about some variants. */
type Reason = string | readonly [list: string, page: string]

/** Products with the reasons why customers cannot buy them. */
const shelf: readonly (readonly [ReturnType<typeof wares>, ...Reason[]])[] = [
  [wares('Lamp without offers', []), 'No price in web'],
  [wares('Frame without variants', null), 'No variant'],
  [wares('Coat for winter', [later, { validFrom: '2100-01-01T00:00:00Z' }]), 'Starts Dec 1, 2099'],
  [wares('Cup with a draft', [{ status: 'DRAFT' }]), 'Draft price only'],
  [wares('Chair without channels', [{}], []), 'In no channel'],
  [wares('Stool with neither', null, []), 'In no channel', 'No variant'],
  [wares('Sign for the web', [{ channel: 'web' }], ['web', 'pos']), 'No price in pos'],
  [
    wares(
      'Gate of three',
      [
        { channel: 'pos', ...later },
        { channel: 'web', status: 'DRAFT' },
      ],
      ['web', 'pos', 'fair'],
    ),
    'Draft price only in web',
    'Starts Dec 1, 2099 in pos',
    'No price in fair',
  ],
  [wares('Nails by the dozen', [{ minQuantity: 12 }]), 'No price in web'],
  [wares('Vase for every channel', [{}], ['web', 'pos'])],
  [wares('Plate for Germany', [{ countries: ['DE'] }])],
  [wares('Sketch of a bowl', [], [], 'DRAFT')],
  [
    sized('Shirt in two sizes', { Small: [{}], Large: [] }),
    ['No price in web (1 of 2 variants)', 'No price in web: Large'],
  ],
  [
    sized(
      'Sock in five sizes',
      {
        S: [{}],
        M: [{ channel: 'web' }],
        L: [later],
        XL: [{ channel: 'web' }, { channel: 'pos', status: 'DRAFT' }],
        XXL: [{ channel: 'web' }],
      },
      ['web', 'pos'],
    ),
    ['Starts Dec 1, 2099 (1 of 5 variants)', 'Starts Dec 1, 2099: L'],
    ['No price in pos (2 of 5 variants)', 'No price in pos: M, XXL'],
    ['Draft price only in pos (1 of 5 variants)', 'Draft price only in pos: XL'],
  ],
]

onDesktop((of) => {
  let stage: Stage
  const iris = new Map<string, string>()

  beforeAll(async () => {
    stage = of()
    await signIn(stage)
    const body = shelf.map(([product]) => product)
    const { member } = (await stage.shop.post('/api/products', { body, status: 201 })).body
    for (const product of member) iris.set(product.title, product['@id'])
  })

  const listOf = (vendor: string) =>
    `/products?perPage=25&filter=${encodeURIComponent(JSON.stringify({ vendor }))}`

  /** Opens an address of the admin; gives the requests to the API until the page is still. */
  async function requestsOf(path: string): Promise<string[]> {
    const { page, origin, settled } = stage
    await page.goto(`${origin}/admin#/categories`)
    await page.getByText('Tableware').first().waitFor()
    await settled()
    const requests: string[] = []
    const listen = (request: { url(): string }) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.startsWith('/api/')) requests.push(pathname + search)
    }
    page.on('request', listen)
    await page.goto(`${origin}/admin#${path}`)
    await expect.poll(() => requests.length).toBeGreaterThan(0)
    await settled()
    page.off('request', listen)
    return requests
  }

  const chipsOf = (title: string) =>
    stage.page.getByRole('row', { name: title }).locator('.MuiChip-colorError').allInnerTexts()

  const alert = () => stage.page.getByRole('alert').filter({ hasText: /^This product is active/ })

  async function openProduct(title: string) {
    const { page, origin, settled } = stage
    await page.goto(`${origin}/admin#/products/${encodeURIComponent(iris.get(title)!)}`)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await settled()
  }

  test('the list shows why a product cannot be bought, with two requests', async () => {
    const requests = await requestsOf(listOf('Kiln'))
    await stage.page.getByText('Draft price only in web').waitFor()
    expect(requests.map((each) => each.split('?')[0])).toEqual(['/api/products', '/api/sale_offers'])
    for (const [{ title }, ...reasons] of shelf) {
      const shown = reasons.map((reason) => (typeof reason === 'string' ? reason : reason[0]))
      expect([title, ...(await chipsOf(title))]).toEqual([title, ...shown])
    }
    await stage.picture('admin-not-sold')
    await fitsOnPhone(stage.page)
  })

  const onPage = (reason: Reason) => (typeof reason === 'string' ? reason : reason[1])
  test.each(shelf.map(([{ title }, ...reasons]) => ({ title, reasons: reasons.map(onPage) })))(
    'the page of $title shows $reasons',
    async ({ title, reasons }) => {
      await openProduct(title)
      if (reasons.length === 0) return expect(await alert().count()).toBe(0)
      await alert().waitFor()
      const text = await alert().innerText()
      for (const reason of reasons) expect(text).toContain(reason)
      await stage.picture(`admin-not-sold ${title}`)
    },
  )

  test('each reason leads to where it is changed', async () => {
    const { page } = stage
    const follow = async (title: string, name: string) => {
      await openProduct(title)
      await alert().getByRole('link', { name }).or(alert().getByRole('button', { name })).first().click()
    }
    await follow('Chair without channels', 'Choose channels')
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('channels')
    await follow('Frame without variants', 'Add a variant')
    await page.getByText('New variant of Frame without variants').first().waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(false)
    await follow('Cup with a draft', 'Open the price')
    await page.getByLabel('Amount').first().waitFor()
    await follow('Shirt in two sizes', 'Add a price')
    await page.getByLabel('Variant').getByText('Large').waitFor()
    await follow('Lamp without offers', 'Add a price')
    await page.getByLabel('Variant').click()
    await page.getByRole('option', { name: 'Lamp without offers' }).click()
    await page.getByLabel('Amount').first().fill('19.00')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/ created$/).waitFor()
    await openProduct('Lamp without offers')
    expect(await alert().count()).toBe(0)
  })

  test('products that are older than the newest hundred offers are judged by their prices in two channels', async () => {
    const { shop, page } = stage
    const { variants } = (await shop.get(iris.get('Plate for Germany')!, { status: 200 })).body
    const offer = {
      variant: variants[0]['@id'],
      amount: '8.00',
      currency: 'EUR',
      countries: ['DE'],
      priority: -1,
    }
    await shop.post('/api/sale_offers', { body: Array.from({ length: 120 }, () => offer), status: 201 })
    await page.reload()
    const requests = await requestsOf(listOf('Kiln'))
    expect(requests.map((each) => each.split('?')[0])).toEqual([
      '/api/products',
      '/api/sale_offers',
      '/api/products',
    ])
    await page.getByText('No price in pos · FR').first().waitFor()
    expect(await chipsOf('Sign for the web')).toEqual(['No price in pos · FR'])
    expect(await chipsOf('Gate of three')).toEqual(['No price in web · FR, pos · FR'])
    expect(await chipsOf('Cup with a draft')).toEqual(['No price in web · FR'])
    expect(await chipsOf('Shirt in two sizes')).toEqual(['No price in web · FR (1 of 2 variants)'])
    expect(await chipsOf('Vase for every channel')).toEqual([])
    expect(await chipsOf('Chair without channels')).toEqual(['In no channel'])
  })

  test('a list of products with prices makes one request', async () => {
    expect(await requestsOf(listOf('Atelier Brume'))).toHaveLength(1)
    expect(await chipsOf('Stoneware mug')).toEqual([])
  })

  test('the page names the markets in which a product is sold, and why not in the others', async () => {
    const { page, shop } = stage
    const market = { channel: 'web', currency: 'EUR' }
    await shop.post('/api/markets', { body: { ...market, key: 'france', country: 'FR' }, status: 201 })
    await shop.post('/api/markets', {
      body: { ...market, key: 'us', country: 'US', currency: 'USD' },
      status: 201,
    })
    await shop.post('/api/markets', {
      body: { ...market, key: 'fair', channel: 'fair', country: 'FR' },
      status: 201,
    })
    await openProduct('Sign for the web')
    const line = page.getByRole('region', { name: 'Where it is sold' })
    await expect
      .poll(() => line.innerText())
      .toBe('Sold in web: FR; not fair: not in the channel, no price; not us: price in another currency.')
    await stage.picture('admin-where-sold')
    await line.getByRole('button', { name: 'not in the channel' }).click()
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('channels')
    await line.getByRole('link', { name: 'price in another currency' }).click()
    await page.getByLabel('Amount').first().waitFor()
  })

  test('issues are counted, and each leads to where it is resolved', async () => {
    const { page, origin } = stage
    await page.goto(`${origin}/admin#/attention`)
    await page.getByRole('link', { name: /^No variant/ }).click()
    const issues = page.getByRole('region', { name: 'No variant' })
    await issues.getByRole('row', { name: 'Frame without variants' }).getByRole('link').click()
    await page.getByText('New variant of Frame without variants').first().waitFor()
    await fitsOnPhone(page)
  })

  test('the week shows when prices begin, and who made the latest changes', async () => {
    const { page, origin, shop, mug } = stage
    const tomorrow = new Date(Date.now() + 864e5).toISOString()
    for (const variant of mug.variants.slice(0, 2))
      await shop.create('/api/sale_offers', {
        variant: variant['@id'],
        currency: 'SEK',
        amount: '90.00',
        validFrom: tomorrow,
      })
    await page.goto(`${origin}/admin#/attention`)
    await page.getByRole('region', { name: 'Webhooks that fail' }).getByText('All webhooks').waitFor()
    const people = page.getByRole('region', { name: 'Latest changes by user' })
    await people.getByRole('link', { name: /changes, the latest/ }).waitFor()
    expect(await seriousIn(page)).toEqual([])
    const week = page.getByRole('region', { name: 'Prices that change in the next seven days' })
    await week.getByRole('link', { name: /2 prices begin/ }).click()
    await page.getByText('1-2 of 2').waitFor()
    await page.goto(`${origin}/admin#/sale_offers?filter=%7B%7D`)
  })

  test('each button has a text, also on a phone', async () => {
    const { page, origin } = stage
    const widthOf = async (name: string) =>
      (await page.getByRole('button', { name, exact: true }).first().boundingBox())?.width ?? 0
    await page.goto(`${origin}/admin#${listOf('Nobody')}`)
    await page.getByText('Nothing matches these filters.').waitFor()
    expect(await widthOf('Clear filters')).toBeGreaterThan(80)
    await page.goto(`${origin}/admin#/metaobject_definitions/create`)
    await page.getByLabel('External ID').waitFor()
    expect(await widthOf('Add')).toBeGreaterThan(50)
  })

  test('an address without a page, and a product that does not exist, are explained', async () => {
    const { page, origin } = stage
    await page.goto(`${origin}/admin#/none/none/none`)
    await page.getByText('There is no page at this address.').waitFor()
    await page.goto(`${origin}/admin#/products/${encodeURIComponent('/api/products/none')}`)
    await page.getByText('Not found: it was deleted, or the link is incomplete.').waitFor()
  })

  test('the filter by vendor offers existing vendors and accepts others', async () => {
    const { page, origin } = stage
    await page.goto(
      `${origin}/admin#${listOf('Kiln')}&displayedFilters=${encodeURIComponent('{"vendor":true}')}`,
    )
    const vendor = page.getByRole('combobox', { name: 'Vendor' })
    await vendor.fill('')
    await vendor.click()
    await page.getByRole('option', { name: 'Atelier Brume' }).waitFor()
    await vendor.fill('kil')
    await page.getByRole('option', { name: 'Kiln', exact: true }).click()
    await page.getByText(`1-${shelf.length} of ${shelf.length}`).waitFor()
    await vendor.fill('Atelier Brume')
    await page.getByText('1-1 of 1').waitFor()
    await stage.picture('admin-vendors', false)
  })

  test('without permission to read prices, only missing channels and variants are shown', async () => {
    const { page, origin, shop } = stage
    const token = await shop.token({ scope: 'products:read categories:read' })
    await page.evaluate(`sessionStorage.setItem('catalogue.token', ${JSON.stringify(token)})`)
    await page.reload()
    const requests = await requestsOf(listOf('Kiln'))
    expect(requests).toHaveLength(1)
    expect(await chipsOf('Cup with a draft')).toEqual([])
    expect(await chipsOf('Stool with neither')).toEqual(['In no channel', 'No variant'])
    await openProduct('Cup with a draft')
    expect(await alert().count()).toBe(0)
    await page.evaluate(`sessionStorage.setItem('catalogue.token', ${JSON.stringify(await shop.token())})`)
    await page.goto('about:blank')
    await page.goto(`${origin}/admin#/products`)
  })

  test('the reasons are in French as well', async () => {
    const { page, origin, settled } = stage
    await page.evaluate(`localStorage.setItem('RaStore.locale', '"fr"')`)
    await page.goto('about:blank')
    await page.goto(`${origin}/admin#${listOf('Kiln')}`)
    await page.getByText('Aucune variante').first().waitFor()
    await page.goto(`${origin}/admin#/products/${encodeURIComponent(iris.get('Gate of three')!)}`)
    const notice = page.getByRole('alert').filter({ hasText: 'Ce produit est actif' })
    await notice.waitFor()
    await settled()
    const text = await notice.innerText()
    for (const reason of [
      'Prix en brouillon seulement dans web',
      'Commence le 1 déc. 2099 dans pos',
      'Pas de prix dans fair',
    ])
      expect(text).toContain(reason)
    await stage.picture('admin-not-sold-fr')
    await page.evaluate(`localStorage.setItem('RaStore.locale', '"en"')`)
  })
})
