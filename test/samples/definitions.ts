import { type Canaries, once, type Samples } from '../support/sampling.ts'
import { lineOfText } from './field-types.ts'

const fieldDefinitions = [{ key: 'title', type: lineOfText }]

/** The definition that sample metaobjects are of. */
export const sampleDefinition = once(({ make }) =>
  make('/api/metaobject_definitions', { type: 'recipe', fieldDefinitions }),
)

export const samples: Samples = async (shop) => {
  const { make, count, next } = shop
  const { id } = await sampleDefinition(shop)
  const spare = await make('/api/metaobject_definitions', { type: 'unused' })
  return {
    listMetaobjectDefinitions: () => ({ params: {} }),
    createMetaobjectDefinition: () => ({ params: {}, body: { type: `kind_${count()}` } }),
    getMetaobjectDefinition: () => ({ params: { id } }),
    patchMetaobjectDefinition: () => ({ params: { id }, body: { name: next() } }),
    deleteMetaobjectDefinition: () => ({ params: { id: spare.id } }),
  }
}

/** The definition that the metaobjects among the canaries are of. */
export const definitionCanary = once(({ make }) =>
  make('/api/metaobject_definitions', {
    type: 'recipe',
    name: 'canary-metaobject_definition',
    fieldDefinitions,
  }),
)

export const canaries: Canaries = async (shop) => ({ metaobject_definition: await definitionCanary(shop) })
