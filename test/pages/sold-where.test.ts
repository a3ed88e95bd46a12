/** Active products that customers cannot buy: the list and the page of a product show each reason. */
import { beforeAll, expect, test } from 'vitest'
import { type Stage, sideways, signIn } from './chromium.ts'
import { inBrowser } from './in-browser.ts'

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

const later = { validFrom: '2099-12-01T09:00:00Z' }

/** Products with the reasons that the list shows. */
const shelf: readonly (readonly [ReturnType<typeof wares>, ...string[]])[] = [
  [wares('Lamp without offers', []), 'No price in web'],
  [wares('Frame without variants', null), 'No variant'],
  [wares('Coat for winter', [later, { validFrom: '2100-01-01T00:00:00Z' }]), 'Starts Dec 1, 2099'],
  [wares('Cup with a draft', [{ status: 'DRAFT' }]), 'Draft price only'],
  [wares('Chair without channels', [{}], []), 'In no channel'],
  [wares('Stool with neither', null, []), 'In no channel', 'No variant'],
  [wares('Door to the web', [{ channel: 'web' }], ['web', 'pos']), 'No price in pos'],
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
]

inBrowser((of) => {
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

  test('the list shows why a product cannot be bought, with at most three requests', async () => {
    const requests = await requestsOf(listOf('Kiln'))
    await stage.page.getByText('Draft price only in web').waitFor()
    expect(requests.length).toBeLessThanOrEqual(3)
    for (const [{ title }, ...reasons] of shelf)
      expect([title, ...(await chipsOf(title))]).toEqual([title, ...reasons])
    await stage.picture('admin-not-sold')
    await expect.poll(() => sideways(stage.page)).toBe(0)
  })

  test.each(shelf.map(([{ title }, ...reasons]) => ({ title, reasons })))(
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
})
