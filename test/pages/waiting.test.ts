/** Pages that people wait for: the form for signing in, and the latest changes. */
import { beforeAll, expect, test } from 'vitest'
import type { Stage } from './chromium.ts'
import { onDesktop } from './in-browser.ts'

onDesktop((of) => {
  let stage: Stage
  let token: string

  beforeAll(async () => {
    stage = of()
    token = await stage.shop.token()
  })

  /** Shows the form by an action; gives the addresses and the requests until a second after it. */
  async function showForm(name: string, act: () => Promise<unknown>) {
    const { page, origin } = stage
    const addresses: string[] = []
    const requests: string[] = []
    const onAddress = (frame: { url(): string }) => addresses.push(frame.url().slice(origin.length))
    const onRequest = (request: { url(): string }) => requests.push(request.url().slice(origin.length))
    page.on('framenavigated', onAddress)
    page.on('request', onRequest)
    const begin = performance.now()
    await act()
    await page.getByLabel('Access token').waitFor()
    const time = performance.now() - begin
    console.log(`${name}: the sign-in form is visible after ${Math.round(time)} ms`)
    await page.waitForTimeout(1000)
    page.off('framenavigated', onAddress)
    page.off('request', onRequest)
    expect(await page.getByLabel('Access token').isVisible()).toBe(true)
    return { addresses, requests }
  }

  test.each(['', '#/products', '#/latest-changes', '#/login'])(
    '/admin%s shows the form for signing in, with one request for each file and no redirects',
    async (hash) => {
      const { page, origin } = stage
      await page.goto('about:blank')
      const { addresses, requests } = await showForm(`/admin${hash}`, () =>
        page.goto(`${origin}/admin${hash}`),
      )
      expect(requests).toEqual([...new Set(requests)])
      expect(requests.filter((each) => each.startsWith('/api'))).toEqual(['/api'])
      // The page asks for its settings while the browser loads the scripts.
      const script = requests.findIndex((each) => each.endsWith('.js'))
      expect(requests.slice(0, script)).toEqual(expect.arrayContaining(['/api', '/admin/catalogue.json']))
      expect([...new Set(addresses)]).toEqual([expect.stringContaining('/admin')])
      expect(addresses.length).toBeLessThanOrEqual(3)
    },
  )

  test('the form for signing in needs 24 kB, and is there while the pages are still loading', async () => {
    const { page, origin } = stage
    const pages = Promise.withResolvers<void>()
    await page.route(/\/admin\/first-/, (route) => pages.promise.then(() => route.continue()))
    await page.goto('about:blank')
    await page.goto(`${origin}/admin#/latest-changes`, { waitUntil: 'commit' })
    await page.getByLabel('Access token').fill(token)
    const files = 'performance.getEntries().map((each) => each.encodedBodySize ?? 0)'
    const bytes = (await page.evaluate<number[]>(files)).reduce((sum, each) => sum + each, 0)
    expect(bytes).toBeLessThanOrEqual(24_000)
    await page.getByRole('button', { name: 'Sign in' }).click()
    pages.resolve()
    await page.getByLabel('User or client').waitFor()
    await page.unrouteAll()
    await page.evaluate('sessionStorage.clear()')
    await page.goto('about:blank')
    await page.goto(`${origin}/admin`)
  })

  test('a person who signed out gets the form at each address, and then the page of that address', async () => {
    const { page, origin } = stage
    await page.getByLabel('Access token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Plate 30', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^(Account: |Profile$)/ }).click()
    await showForm('signing out', () => page.getByRole('menuitem', { name: 'Sign out' }).click())
    // react-admin would sign out in a loop here, which kept the router from showing the form for ten seconds.
    for (const path of ['/products', '/latest-changes']) {
      const { addresses, requests } = await showForm(path, () => page.goto(`${origin}/admin#${path}`))
      expect(requests).toEqual([])
      expect(addresses.length).toBeLessThanOrEqual(2)
    }
    await page.getByLabel('Access token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('User or client').waitFor()
    expect(page.url()).toBe(`${origin}/admin#/latest-changes`)
  })

  test('the latest changes appear before their titles, and all titles of a list take one request', async () => {
    const { page, origin, shop } = stage
    const categories = Array.from({ length: 20 }, (_, at) => ({ title: `Shelf ${at}` }))
    const { member } = await shop.create('/api/categories', categories)
    const body = member.map((category: { '@id': string }, at: number) => ({
      title: `Jar ${at}`,
      categories: [category['@id']],
      variants: [{ sku: `JAR-${at}`, saleOffers: [{ amount: '3.00', currency: 'EUR' }] }],
    }))
    await shop.create('/api/products', body)
    const events = Promise.withResolvers<void>()
    const titles = Promise.withResolvers<void>()
    await page.route(/\/api\/events/, (route) => events.promise.then(() => route.continue()))
    await page.route(/\/api\/(?!events).*id\[\]=/, (route) => titles.promise.then(() => route.continue()))
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.goto('about:blank')
    await page.goto(`${origin}/admin#/latest-changes`)
    await page.getByRole('main').getByRole('progressbar', { name: 'Loading' }).waitFor()
    await stage.picture('admin-latest-changes-waiting')
    events.resolve()
    const rows = page.getByRole('list', { name: 'Changes' }).getByRole('listitem')
    await rows.first().waitFor()
    const jar = page.getByRole('link', { name: 'Jar 7, JAR-7' })
    expect(await jar.count()).toBe(0)
    titles.resolve()
    await jar.first().waitFor()
    await stage.settled()
    const lists = requests.filter((path) => path.startsWith('/api/') && path !== '/api/events')
    expect(lists.length).toBeLessThanOrEqual(6)
    expect(lists.filter((path) => path.split('/').length > 3)).toEqual([])
    await page.unrouteAll()
  })
})
