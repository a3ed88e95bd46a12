/** The catalogues of the pictures: tenants of their own, so that no other catalogue changes. */
import { withDatabase } from '../../src/local/cli/database.ts'
import { type Client, openClient } from '../../src/local/cli/http.ts'
import { restoreDemo } from '../../src/local/demo.ts'
import { tenantCommand } from '../../src/local/tenant/command.ts'
import { findTenant } from '../../src/local/tenant/stored.ts'
import { tokenFor } from '../../src/local/token.ts'

export const filled = 'shots.localhost'
export const empty = 'shots-empty.localhost'

type Made = { '@id': string }
type Product = Made & { handle: string; variants: Made[] }
type Offer = Made & { amount: string }

/** The resources of the pages to be shown. */
export type Shown = {
  readonly shirt: Product
  readonly apron: Product
  readonly hook: Made
  readonly client: Client
}

/** Creates both tenants unless they exist: one with the demo's catalogue and resources of every kind, and an empty one. */
export async function shownCatalogue(port: number, print: (text: string) => void): Promise<Shown> {
  for (const host of [filled, empty]) await makeTenant(host)
  const token = await tokenFor(filled)
  const restored = await withDatabase(undefined, async (client) => {
    const { id } = await findTenant(client, filled)
    return restoreDemo(client, 'acme', { tenantId: id, port })
  })
  print(`${restored} rows restored`)
  const client = openClient({ port, host: filled, token })
  const products = await client.list<Product>('/api/products?itemsPerPage=100')
  const product = (handle: string) => {
    const found = products.find((each) => each.handle === handle)
    if (!found) throw new Error(`There is no product ${handle}.`)
    return found
  }
  const shirt = product('organic-cotton-t-shirt')
  const hooks = await client.list<Made>('/api/webhook_subscriptions?status=ACTIVE')
  const [hook] = hooks.length > 0 ? hooks : [await fill(client, shirt, products)]
  if (!hook) throw new Error('There is no subscription.')
  const [apron] = await client.list<Product>('/api/products?q=apron')
  return { shirt, apron: apron ?? shirt, hook, client }
}

const timeZone = 'Europe/Paris'

async function makeTenant(host: string): Promise<void> {
  const lines: string[] = []
  const silent = {
    print: () => {},
    printError: (text: string) => void lines.push(text),
    ask: async () => null,
    env: {},
  }
  if ((await tenantCommand.run(['show', host], silent)) === 0) return
  const locales = ['en-US', 'fr-FR', 'de-DE', 'es-ES'].flatMap((each) => ['--locale', each])
  const name = host === filled ? 'Acme Outfitters' : 'New Shop'
  const made = await tenantCommand.run(
    ['create', '--host', host, '--name', name, '--time-zone', timeZone, ...locales],
    silent,
  )
  if (made !== 0) throw new Error(lines.at(-1))
}

/** One of everything that the demo lacks. Gives a subscription that fails. */
async function fill(client: Client, shirt: Product, products: readonly Product[]): Promise<Made> {
  const make = (path: string, body: unknown) => client.write<Made>('POST', path, body)
  const type = (slug: string) => `/api/metafield_definition_types/${slug}`
  const hook = await make('/api/webhook_subscriptions', {
    topic: 'product/*',
    callbackUrl: 'http://127.0.0.1:9/webhooks/products',
    includeFields: ['title', 'version'],
  })
  await make('/api/webhook_subscriptions', {
    topic: 'sale_offer/*',
    callbackUrl: 'http://127.0.0.1:9/a-receiver-with-a-long-address/prices?shop=acme',
    status: 'PAUSED',
  })
  await make('/api/products', {
    title: 'Linen apron with two pockets and a strap that crosses at the back',
    description: 'Cut from one piece.',
    productType: 'Apron',
    options: [{ title: 'Length', values: [{ title: 'Short' }, { title: 'Long' }] }],
    variants: ['Short', 'Long'].map((value) => ({
      sku: `APRON-${value}`,
      optionValues: [{ option: 'Length', value }],
    })),
  })
  const favourites = await make('/api/collections', { title: 'Favourites', description: 'Chosen by hand.' })
  for (const each of products.slice(0, 3))
    await make(`${favourites['@id']}/products`, { product: each['@id'] })
  await make('/api/collections', {
    title: 'Organic',
    type: 'RULE_BASED',
    rules: {
      match: 'ANY',
      conditions: [
        { field: 'tag', operator: 'EQUALS', value: 'organic' },
        { field: 'createdAt', operator: 'AFTER', value: '2026-01-01T00:00:00Z' },
      ],
    },
  })
  const field = (key: string, slug: string, more: object = {}) => ({ key, type: type(slug), ...more })
  const kind = await make('/api/metaobject_definitions', {
    type: 'workshop',
    name: 'Workshop',
    displayNameField: 'name',
    fieldDefinitions: [
      field('name', 'single_line_text_field', {
        name: 'Name',
        translatable: true,
        validations: [{ name: 'max', value: '40' }],
      }),
      field('story', 'multi_line_text_field', { name: 'Story', translatable: true }),
      field('since', 'date', { name: 'Since' }),
      field('fair', 'boolean', { name: 'Fair trade' }),
      field('fee', 'money', { name: 'Fee' }),
      field('colour', 'color', { name: 'Colour' }),
      field('best', 'product_reference', { name: 'Best known for' }),
      field('also', 'list.product_reference', { name: 'Also makes' }),
      field('steps', 'list.single_line_text_field', { name: 'Steps' }),
    ],
  })
  const maker = await make('/api/metaobjects', {
    definition: kind['@id'],
    status: 'ACTIVE',
    fields: {
      name: 'Atelier Brume',
      story: 'Two sisters and a loom.',
      since: '1998-05-01',
      fair: 'true',
      fee: '{"amount":"1250.00","currency":"EUR"}',
      colour: '#0f766e',
      best: shirt['@id'],
      also: JSON.stringify(products.slice(1, 3).map((each) => each['@id'])),
      steps: '["Weave","Cut","Sew"]',
    },
  })
  await make('/api/metaobjects', { definition: kind['@id'], fields: { name: 'Filature du Nord' } })
  const [first] = shirt.variants
  if (!first) throw new Error('The shirt has no variant.')
  for (const [supplier, cost] of [
    ['brume-textiles', '8.40'],
    ['nord-cotton', '7.95'],
  ]) {
    await make('/api/purchase_offers', {
      variant: first['@id'],
      supplier,
      cost,
      currency: 'EUR',
      leadTimeDays: 12,
    })
  }
  const [standing] = await client.list<Offer>(`/api/sale_offers?variant=${encodeURIComponent(first['@id'])}`)
  for (const amount of ['26.90', '25.90']) {
    if (standing) await client.write('PATCH', standing['@id'], { amount, compareAtAmount: null })
  }
  await client.write('PATCH', shirt['@id'], {
    vendor: 'Acme Basics & Co',
    fields: {
      'care.washing': 'Wash at 30 °C, inside out',
      'care.maker': { value: maker['@id'], type: type('metaobject_reference') },
      weight_of_cotton: { value: '220.5', type: type('number_decimal') },
    },
  })
  await client.write('PATCH', shirt['@id'], { vendor: 'Acme Basics', tags: ['organic', 'unisex', 'heavy'] })
  return hook
}
