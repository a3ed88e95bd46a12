/** One resource of each kind that has events, each with a text that no other shows: where the text is, the resource was seen. */

import type { Scope } from '../../src/core/scopes.ts'
import { type Kind, kindOf, topics } from '../../src/resources/events/index.ts'
import type { World } from '../support/webhooks.ts'

/** What events are about, with how it is read: generated, so that a new kind of resource is asked for here too. */
export const subjects = [...new Set(topics.map(({ subject }) => subject))].map((subject) => {
  const kind = kindOf(`${subject}/created`) as Kind
  return { subject, kind, scope: kind.shape.readWith as Scope, canary: `canary-${subject}` }
})

/** The scopes that read something that has events. */
export const guards = [...new Set(subjects.map(({ scope }) => scope))]

const draftCanary = 'canary-draft'

/** The texts that may be seen with some scopes. */
export function canariesSeenWith(grants: readonly Scope[]): string[] {
  const seen = subjects.filter(({ scope }) => grants.includes(scope)).map(({ canary }) => canary)
  const drafts = grants.includes('metaobjects:read') && grants.includes('metaobjects:write')
  return [...seen, ...(drafts ? [draftCanary] : [])].sort()
}

/** The texts that stand in an answer. */
export function canariesIn(text: string): string[] {
  return [...subjects.map(({ canary }) => canary), draftCanary].filter((each) =>
    new RegExp(`${each}(?![a-z_])`).test(text),
  )
}

/** Makes them, and answers their documents by subject. */
export async function makeCanaries({ shop }: World) {
  const made = async (path: string, body: object) => (await shop.post(path, { body, status: 201 })).body
  const type = '/api/metafield_definition_types/single_line_text_field'
  const product = await made('/api/products', {
    title: 'canary-product',
    options: [{ title: 'canary-product_option', values: [{ title: 'canary-option_value' }] }],
    variants: [
      {
        sku: 'canary-variant',
        optionValues: [{ option: 'canary-product_option', value: 'canary-option_value' }],
      },
    ],
  })
  const variant = product.variants[0]
  const definition = await made('/api/metaobject_definitions', {
    type: 'recipe',
    name: 'canary-metaobject_definition',
    fieldDefinitions: [{ key: 'title', type }],
  })
  const recipe = (handle: string, status: string, title: string) =>
    made('/api/metaobjects', { definition: definition['@id'], handle, status, fields: { title } })
  return {
    product,
    variant,
    product_option: product.options[0],
    option_value: product.options[0].values[0],
    category: await made('/api/categories', { title: 'canary-category' }),
    collection: await made('/api/collections', { title: 'canary-collection' }),
    sale_offer: await made('/api/sale_offers', {
      variant: variant['@id'],
      currency: 'EUR',
      amount: '10.00',
      channel: 'canary-sale_offer',
    }),
    purchase_offer: await made('/api/purchase_offers', {
      variant: variant['@id'],
      currency: 'EUR',
      cost: '4.00',
      supplier: 'canary-purchase_offer',
    }),
    metaobject_definition: definition,
    metaobject: await recipe('soup', 'ACTIVE', 'canary-metaobject'),
    draft: await recipe('stew', 'DRAFT', draftCanary),
  }
}
