import type { Recorded } from '../../../core/operation.ts'
import { product, productListParameters, productProblems } from '../index.ts'
import { deleteCollection, patchCollection } from './change.ts'
import { createCollection } from './create.ts'
import { collectionKind } from './kind.ts'
import { collectionListParameters, getCollection, listCollections } from './list.ts'
import { addCollectionProducts, listCollectionProducts, removeCollectionProduct } from './members.ts'
import { collectionProblems } from './problems.ts'
import { membership, collection as shape } from './schema.ts'

const common = { shape, notFound: collectionProblems.not_found }
const list = shape.collection
const item = `${list}/{id}`
const members = membership.collection
const { collection: _, ...memberParameters } = productListParameters

export const resource: Recorded = {
  shape,
  kind: collectionKind,
  problems: Object.values(collectionProblems),
  operations: [
    {
      ...common,
      name: 'listCollections',
      summary: 'List collections',
      method: 'GET',
      path: list,
      scope: 'collections:read',
      answers: 'collection',
      query: collectionListParameters,
      run: listCollections,
    },
    {
      ...common,
      name: 'createCollection',
      summary: 'Create a collection',
      method: 'POST',
      path: list,
      scope: 'collections:write',
      answers: 'item',
      query: {},
      body: { mode: 'create' },
      emits: ['collection/created'],
      run: createCollection,
    },
    {
      ...common,
      name: 'getCollection',
      summary: 'Read a collection',
      method: 'GET',
      path: item,
      scope: 'collections:read',
      answers: 'item',
      query: {},
      run: getCollection,
    },
    {
      ...common,
      name: 'patchCollection',
      summary: 'Change a collection',
      method: 'PATCH',
      path: item,
      scope: 'collections:write',
      answers: 'item',
      query: {},
      body: { mode: 'patch' },
      emits: ['collection/updated'],
      run: patchCollection,
    },
    {
      ...common,
      name: 'deleteCollection',
      summary: 'Delete a collection; its products stay',
      method: 'DELETE',
      path: item,
      scope: 'collections:write',
      answers: 'empty',
      query: {},
      emits: ['collection/deleted'],
      run: deleteCollection,
    },
    {
      shape: product,
      notFound: collectionProblems.not_found,
      name: 'listCollectionProducts',
      summary: 'List the products of a collection',
      method: 'GET',
      path: members,
      scope: 'products:read',
      answers: 'collection',
      query: memberParameters,
      run: listCollectionProducts,
    },
    {
      ...common,
      name: 'addCollectionProducts',
      summary: 'Put a product, or up to 100, into a collection',
      method: 'POST',
      path: members,
      scope: 'collections:write',
      answers: 'item',
      query: {},
      body: { mode: 'create', bulk: 100, shape: membership },
      emits: ['product/updated'],
      run: addCollectionProducts,
    },
    {
      ...common,
      notFound: productProblems.not_found,
      name: 'removeCollectionProduct',
      summary: 'Take a product out of a collection',
      method: 'DELETE',
      path: `${members}/{productId}`,
      scope: 'collections:write',
      answers: 'empty',
      query: {},
      emits: ['product/updated'],
      run: removeCollectionProduct,
    },
  ],
}
