import { type Operation, operation } from '../../core/operation.ts'
import type { Shape } from '../../core/schema.ts'
import { expandParameter } from '../categories/schema.ts'
import type { OfferValues } from './document.ts'
import type { Offering } from './kind.ts'
import { getOffer, listOffers, offerListParameters } from './read.ts'
import { createOffers, deleteOffer, patchOffer } from './write.ts'

const query = { expand: expandParameter }

/** What a caller can do with offers of a kind: list, create, read, change and archive them. */
export function offerOperations<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
): Operation[] {
  const { shape, patch, table, subject, problems } = offering
  const common = { shape, notFound: problems.not_found }
  const reading = { ...common, method: 'GET', scope: `${table}:read` } as const
  const writing = { ...common, scope: `${table}:write` } as const
  const noun = subject.replace('_', ' ')
  const path = shape.collection
  const itemPath = `${path}/{id}` as const
  return [
    operation({
      ...reading,
      name: `list${shape.type}s`,
      summary: `List ${noun}s`,
      path,
      answers: 'collection',
      query: offerListParameters(offering),
      run: listOffers(offering),
    }),
    operation({
      ...writing,
      name: `create${shape.type}s`,
      summary: `Create a ${noun}, or up to 250`,
      method: 'POST',
      path,
      answers: 'item',
      query,
      body: { mode: 'create', bulk: 250 },
      emits: [`${subject}/created`],
      run: createOffers(offering),
    }),
    operation({
      ...reading,
      name: `get${shape.type}`,
      summary: `Read a ${noun}`,
      path: itemPath,
      answers: 'item',
      query,
      run: getOffer(offering),
    }),
    operation({
      ...writing,
      name: `patch${shape.type}`,
      summary: `Change a ${noun}`,
      method: 'PATCH',
      path: itemPath,
      answers: 'item',
      query,
      body: { mode: 'patch', shape: patch },
      emits: [`${subject}/updated`, `${subject}/deleted`],
      run: patchOffer(offering),
    }),
    operation({
      ...writing,
      name: `delete${shape.type}`,
      summary: `Archive a ${noun}`,
      method: 'DELETE',
      path: itemPath,
      answers: 'empty',
      query: {},
      emits: [`${subject}/deleted`],
      run: deleteOffer(offering),
    }),
  ]
}
