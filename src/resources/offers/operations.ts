import { type Operation, operation } from '../../core/operation.ts'
import type { Shape } from '../../core/schema.ts'
import { expandParameter } from '../categories/schema.ts'
import type { OfferValues } from './document.ts'
import type { OfferDefinition } from './kind.ts'
import { getOffer, listOffers, offerListParameters } from './read.ts'
import { createOffers, deleteOffer, patchOffer } from './write.ts'

const query = { expand: expandParameter }

/** Builds the list, create, read, patch and delete operations of one kind of offer. */
export function offerOperations<
  CreateShape extends Shape,
  PatchShape extends Shape,
  Values extends OfferValues,
>(definition: OfferDefinition<CreateShape, PatchShape, Values>): Operation[] {
  const { shape, patch, table, subject, problems } = definition
  const common = { shape, notFound: problems.not_found }
  const readOptions = { ...common, method: 'GET', scope: `${table}:read` } as const
  const writeOptions = { ...common, scope: `${table}:write` } as const
  const label = subject.replace('_', ' ')
  const path = shape.collection
  const itemPath = `${path}/{id}` as const
  return [
    operation({
      ...readOptions,
      name: `list${shape.type}s`,
      summary: `List ${label}s`,
      path,
      answers: 'collection',
      query: offerListParameters(definition),
      run: listOffers(definition),
    }),
    operation({
      ...writeOptions,
      name: `create${shape.type}s`,
      summary: `Create a ${label}, or up to 250`,
      method: 'POST',
      path,
      answers: 'item',
      query,
      body: { mode: 'create', bulk: 250 },
      emits: [`${subject}/created`],
      run: createOffers(definition),
    }),
    operation({
      ...readOptions,
      name: `get${shape.type}`,
      summary: `Read a ${label}`,
      path: itemPath,
      answers: 'item',
      query,
      run: getOffer(definition),
    }),
    operation({
      ...writeOptions,
      name: `patch${shape.type}`,
      summary: `Change a ${label}`,
      method: 'PATCH',
      path: itemPath,
      answers: 'item',
      query,
      body: { mode: 'patch', shape: patch },
      emits: [`${subject}/updated`, `${subject}/deleted`],
      run: patchOffer(definition),
    }),
    operation({
      ...writeOptions,
      name: `delete${shape.type}`,
      summary: `Archive a ${label}`,
      method: 'DELETE',
      path: itemPath,
      answers: 'empty',
      query: {},
      emits: [`${subject}/deleted`],
      run: deleteOffer(definition),
    }),
  ]
}
