import type { Canaries, Samples } from '../support/sampling.ts'
import { definitionCanary, sampleDefinition } from './definitions.ts'

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const definition = (await sampleDefinition(shop))['@id']
  const { id } = await make('/api/metaobjects', { definition, handle: 'soup' })
  const spare = await make('/api/metaobjects', { definition })
  await make('/api/metaobjects', { definition, externalId: 'keyed' })
  return {
    listMetaobjects: () => ({ params: {} }),
    createMetaobject: () => ({ params: {}, body: { definition, fields: { title: next() } } }),
    getMetaobject: () => ({ params: { id } }),
    getMetaobjectByHandle: () => ({ params: { type: 'recipe', handle: 'soup' } }),
    upsertMetaobject: () => ({ params: { externalId: 'keyed' }, body: { fields: { title: next() } } }),
    patchMetaobject: () => ({ params: { id }, body: { fields: { title: next() } } }),
    patchMetaobjects: () => ({
      params: {},
      body: [{ '@id': `/api/metaobjects/${id}`, fields: { title: next() } }],
    }),
    deleteMetaobject: () => ({ params: { id: spare.id } }),
  }
}

/** One that all readers see, and one that shows `canary-draft` to those who see drafts. */
export const canaries: Canaries = async (shop) => {
  const definition = (await definitionCanary(shop))['@id']
  const recipe = (handle: string, status: string, title: string) =>
    shop.make('/api/metaobjects', { definition, handle, status, fields: { title } })
  const metaobject = await recipe('soup', 'ACTIVE', 'canary-metaobject')
  await recipe('stew', 'DRAFT', 'canary-draft')
  return { metaobject }
}
