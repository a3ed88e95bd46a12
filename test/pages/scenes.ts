/** The pages of /admin, their dialogs and their states, in the order in which one comes by them. */
import type { Page } from 'playwright-core'
import { lists } from './lists.ts'
import { settled } from './settled.ts'
import { empty, filled, type Shown } from './shots-catalogue.ts'

/** A page as it is to be seen, by its address behind `#`, and what opens a part of it. */
export type Scene = {
  readonly name: string
  readonly path: string
  readonly act?: (page: Page) => Promise<void>
}

/** Scenes that one person sees in one tab. */
export type Visit = {
  readonly host: string
  readonly theme: 'light' | 'dark'
  readonly language: 'de' | 'en' | 'fr'
  readonly isSignedIn: boolean
  readonly scenes: readonly Scene[]
}

/** Every page once, the busiest also in dark and in French, the lists also without a row, and signing in. */
export async function visitsOf(
  { shirt, apron, hook, client }: Shown,
  look: Partial<Pick<Visit, 'theme' | 'language'>>,
): Promise<Visit[]> {
  const iri = ({ '@id': id }: { '@id': string }) => encodeURIComponent(id)
  const first = async (name: string, query = '') => {
    const [found] = (
      await client.read<{ member: { '@id': string }[] }>(`/api/${name}?itemsPerPage=1${query}`)
    ).member
    return found ? iri(found) : ''
  }
  const things = await Promise.all(
    lists
      .filter((name) => name !== 'products' && name !== 'webhook_subscriptions')
      .map(async (name): Promise<Scene> => ({ name: `${name}-one`, path: `/${name}/${await first(name)}` })),
  )
  const [variant] = shirt.variants
  const product = `/products/${iri(shirt)}`
  const scenes: Scene[] = [
    { name: 'latest-changes', path: '/latest-changes' },
    { name: 'untranslated', path: '/untranslated?kind=products&missing=de-DE' },
    ...lists.map((name): Scene => ({ name, path: `/${name}` })),
    ...lists.map((name): Scene => ({ name: `${name}-new`, path: `/${name}/create` })),
    ...things,
    { name: 'products-one', path: product },
    { name: 'products-all-parts', path: product, act: openAll },
    { name: 'products-one-draft', path: `/products/${iri(apron)}`, act: openAll },
    { name: 'products-options', path: product, act: press('Edit options') },
    { name: 'products-collision', path: product, act: (page) => collide(page, shirt, client) },
    { name: 'products-mistakes', path: product, act: mistake },
    { name: 'products-restore', path: product, act: restore },
    { name: 'products-export', path: '/products', act: press('Export') },
    { name: 'products-bulk', path: '/products', act: chooseTwo },
    { name: 'products-prices-of', path: '/products', act: press(/^Prices:/) },
    { name: 'products-menu', path: '/products', act: press(/^Account:/) },
    { name: 'products-nothing-found', path: `/products?filter=${encodeURIComponent('{"q":"zzzz"}')}` },
    { name: 'variants-one', path: `/variants/${variant ? iri(variant) : ''}`, act: openAll },
    { name: 'variants-new', path: `/variants/create?product=${iri(shirt)}` },
    { name: 'collections-rules', path: `/collections/${await first('collections', '&type=RULE_BASED')}` },
    { name: 'collections-by-hand', path: `/collections/${await first('collections', '&type=MANUAL')}` },
    { name: 'translate', path: `/translate/${iri(apron)}?into=fr-FR` },
    { name: 'price-grid', path: `/price_grid/${iri(shirt)}` },
    { name: 'grid', path: '/grid/%7B%7D' },
    { name: 'grid-rows', path: '/grid' },
    { name: 'sale', path: `/sale?product=${iri(shirt)}` },
    { name: 'sale-table', path: `/sale?product=${iri(shirt)}`, act: workOutSale },
    { name: 'webhook_subscriptions-one', path: `/webhook_subscriptions/${iri(hook)}` },
    { name: 'webhook_subscriptions-body', path: `/webhook_subscriptions/${iri(hook)}`, act: deliveryBody },
    ...(['Send test', 'Preview', 'Replay', 'Replace the secret'] as const).map((name) => ({
      name: `webhook_subscriptions-${name.toLowerCase().replaceAll(' ', '-')}`,
      path: `/webhook_subscriptions/${iri(hook)}`,
      act: press(name),
    })),
    { name: 'not-found', path: '/products/none' },
  ]
  const standard = { host: filled, theme: 'light', language: 'en', isSignedIn: true } as const
  // The acts name what they press in English.
  const own =
    look.language !== undefined ? scenes.filter(({ act }) => act === undefined || act === openAll) : scenes
  const main: Visit = { ...standard, ...look, scenes: own }
  if (Object.keys(look).length > 0) return [main]
  const some = (suffix: string, ...names: string[]) =>
    scenes.filter(({ name }) => names.includes(name)).map((each) => ({ ...each, name: each.name + suffix }))
  const busiest = ['products', 'products-all-parts', 'sale_offers', 'latest-changes', 'price-grid']
  const nothing = [
    { name: 'latest-changes', path: '/latest-changes' },
    { name: 'untranslated', path: '/untranslated' },
    ...lists.map((name) => ({ name, path: `/${name}` })),
    ...lists.map((name) => ({ name: `${name}-new`, path: `/${name}/create` })),
    { name: 'sale', path: '/sale' },
  ].map((each) => ({ ...each, name: `${each.name}-empty` }))
  return [
    main,
    {
      ...standard,
      theme: 'dark',
      scenes: some('-dark', ...busiest, 'products-collision', 'sale-table', 'webhook_subscriptions-body'),
    },
    {
      ...standard,
      language: 'fr',
      scenes: some(
        '-fr',
        ...busiest,
        ...lists.flatMap((name) => [name, `${name}-new`, `${name}-one`]),
        'untranslated',
        'translate',
        'sale',
        'variants-one',
        'collections-rules',
      ),
    },
    { ...standard, host: empty, scenes: nothing },
    { ...standard, isSignedIn: false, scenes: [{ name: 'sign-in', path: '' }] },
  ]
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()

/** Opens the closed sections of a page. */
async function openAll(page: Page): Promise<void> {
  const folded = page.getByRole('main').locator('h3 > button[aria-expanded=false]')
  for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click()
}

/** Saves a concurrent change. */
async function collide(
  page: Page,
  { '@id': iri }: { '@id': string },
  client: Shown['client'],
): Promise<void> {
  const { vendor } = await client.read<{ vendor: string }>(iri)
  await page.getByLabel('Vendor').fill('Mine & Co')
  await page.getByLabel('Type', { exact: true }).fill('Tee')
  const theirs = vendor === 'Acme Basics' ? 'Acme Basics, Lyon' : 'Acme Basics'
  const tags = ['organic', ...(vendor === 'Acme Basics' ? ['unisex'] : [])]
  await client.write('PATCH', iri, { vendor: theirs, tags })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').waitFor()
}

async function mistake(page: Page): Promise<void> {
  await page.getByLabel('Handle').fill('No Handle!')
  await page.getByLabel('Title').first().fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /^Not saved/ })
    .waitFor()
}

async function restore(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'History' }).click()
  await page
    .getByRole('button', { name: /^Restore .+ to / })
    .first()
    .click()
}

async function chooseTwo(page: Page): Promise<void> {
  // The choice stays at the other size, at which the list is drawn again.
  for (const at of [1, 2]) await page.getByRole('checkbox').nth(at).check()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
}

async function workOutSale(page: Page): Promise<void> {
  await page.getByLabel('From').fill('2030-03-01T00:00')
  await page.getByLabel('Until').fill('2030-03-04T00:00')
  await page.getByLabel(/^Reduction in/).fill('20')
  await page.getByRole('button', { name: 'Calculate the new prices' }).click()
  await page.getByRole('table', { name: 'New prices' }).waitFor()
}

async function deliveryBody(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Details / })
    .first()
    .click()
  await page.getByRole('button', { name: 'Show the body' }).click()
  await settled(page)
}
