import { type EventedResource, operation } from '../../core/operation.ts'
import { productProblems } from '../products/problems.ts'
import { product } from '../products/schema.ts'
import { operationsOf, upsertDescription } from '../shared/ordinary-operations.ts'
import { textsOf } from '../shared/translations.ts'
import { collectionKind } from './document.ts'
import {
  addCollectionProducts,
  listCollectionProducts,
  memberParameters,
  removeCollectionProduct,
} from './members.ts'
import { collectionProblems } from './problems.ts'
import { collectionListParameters, getCollection, listCollections } from './read.ts'
import { membership, collection as shape } from './schema.ts'
import {
  createCollection,
  deleteCollection,
  patchCollection,
  translateCollection,
  upsertCollection,
} from './write.ts'

const {
  listOperation,
  createOperation,
  getOperation,
  patchOperation,
  batchOperation,
  upsertOperation,
  deleteOperation,
} = operationsOf({
  shape,
  notFound: collectionProblems.not_found,
  list: '/api/collections',
  item: '/api/collections/{id}',
  readScope: 'collections:read',
  writeScope: 'collections:write',
})
const members = '/api/collections/{id}/products'

export const resource: EventedResource = {
  shape,
  kind: collectionKind,
  problems: Object.values(collectionProblems),
  texts: textsOf(shape, {
    noun: 'a collection',
    scope: 'collections:write',
    emits: ['collection/updated'],
    notFound: collectionProblems.not_found,
    translate: translateCollection,
  }),
  operations: [
    listOperation({
      name: 'listCollections',
      summary: 'List collections',
      query: collectionListParameters,
      run: listCollections,
    }),
    createOperation({
      name: 'createCollection',
      summary: 'Create a collection',
      description: 'Without `type` it is RULE_BASED where there are `rules`, else MANUAL.',
      body: { mode: 'create' },
      emits: ['collection/created'],
      run: createCollection,
    }),
    getOperation({
      name: 'getCollection',
      summary: 'Read a collection',
      run: getCollection,
    }),
    patchOperation({
      name: 'patchCollection',
      summary: 'Change a collection',
      description:
        'Changed rules sort all products after the answer; `rebuilding` is true until that is done, and each product that moves records `product/updated`.',
      body: { mode: 'patch' },
      emits: ['collection/updated'],
      run: patchCollection,
    }),
    batchOperation({
      name: 'patchCollections',
      summary: 'Change several collections',
      emits: ['collection/updated'],
    }),
    upsertOperation({
      name: 'upsertCollection',
      summary: 'Create or change the collection with an external id',
      description: upsertDescription,
      body: { mode: 'patch' },
      emits: ['collection/created', 'collection/updated'],
      run: upsertCollection,
    }),
    deleteOperation({
      name: 'deleteCollection',
      summary: 'Delete a collection; its products stay',
      description: 'It is gone at once; its products record `product/updated` afterwards.',
      emits: ['collection/deleted'],
      run: deleteCollection,
    }),
    operation({
      shape: product,
      notFound: collectionProblems.not_found,
      name: 'listCollectionProducts',
      summary: 'List the products of a collection',
      description: 'Archived products keep their place in it and are hidden until they are restored.',
      method: 'GET',
      isCacheable: true,
      path: members,
      scope: 'products:read',
      answers: 'collection',
      query: memberParameters,
      run: listCollectionProducts,
    }),
    operation({
      shape,
      notFound: collectionProblems.not_found,
      name: 'addCollectionProducts',
      summary: 'Put a product, or up to 100, into a collection',
      description:
        'Takes `{"product": IRI}` or an array, and answers the collection. A product that is in it already stays without a change.',
      method: 'POST',
      path: members,
      scope: 'collections:write',
      answers: 'item',
      body: { mode: 'create', bulk: 100, shape: membership },
      emits: ['product/updated'],
      comparesIfMatch: true,
      run: addCollectionProducts,
    }),
    operation({
      shape,
      notFound: productProblems.not_found,
      name: 'removeCollectionProduct',
      summary: 'Take a product out of a collection',
      description: 'A product that is not in it is 404.',
      method: 'DELETE',
      path: '/api/collections/{id}/products/{productId}',
      scope: 'collections:write',
      answers: 'empty',
      emits: ['product/updated'],
      run: removeCollectionProduct,
    }),
  ],
}
