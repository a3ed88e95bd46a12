import type { EventedResource } from '../../core/operation.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
import { marketProblems } from './problems.ts'
import { getMarket, listMarkets, marketKind, marketListParameters } from './read.ts'
import { maximumMarkets, market as shape } from './schema.ts'
import { createMarket, deleteMarket, patchMarket } from './write.ts'

const { listOperation, createOperation, getOperation, patchOperation, deleteOperation } = operationsOf({
  shape,
  notFound: marketProblems.not_found,
  list: '/api/markets',
  item: '/api/markets/{id}',
  readScope: 'sale_offers:read',
  writeScope: 'sale_offers:write',
})

export const resource: EventedResource = {
  shape,
  kind: marketKind,
  problems: Object.values(marketProblems),
  operations: [
    listOperation({
      name: 'listMarkets',
      summary: 'List markets',
      query: marketListParameters,
      run: listMarkets,
    }),
    createOperation({
      name: 'createMarket',
      summary: 'Create a market',
      description: `A tenant has at most ${maximumMarkets} markets.`,
      body: { mode: 'create' },
      emits: ['market/created'],
      run: createMarket,
    }),
    getOperation({ name: 'getMarket', summary: 'Read a market', run: getMarket }),
    patchOperation({
      name: 'patchMarket',
      summary: 'Change a market',
      body: { mode: 'patch' },
      emits: ['market/updated'],
      run: patchMarket,
    }),
    deleteOperation({
      name: 'deleteMarket',
      summary: 'Delete a market',
      emits: ['market/deleted'],
      run: deleteMarket,
    }),
  ],
}
