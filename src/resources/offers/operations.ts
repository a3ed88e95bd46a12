import { parseEventDocument } from '../../core/kind.ts'
import type { EventedResource } from '../../core/operation.ts'
import { expandParameter } from '../categories/schema.ts'
import { operationsOf, upsertDescription } from '../shared/ordinary-operations.ts'
import { eventOffer, offerDocument } from './document.ts'
import type { OfferKind } from './kind.ts'
import { getOffer, listOffers, offerListParameters } from './read.ts'
import { createOffers, deleteOffer, patchOffer, upsertOffer } from './write.ts'

/** Builds the resource of one kind of offer. */
export function offerResource(kind: OfferKind): EventedResource {
  const { shape, name, subject, noun, boundaries, problems } = kind
  const label = subject.replace('_', ' ')
  const query = { expand: expandParameter }
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
    notFound: problems.not_found,
    list: shape.collection,
    item: `${shape.collection}/{id}`,
    readScope: `${name}:read`,
    writeScope: `${name}:write`,
    // The state of an offer changes without a write.
    isCacheable: false,
  })
  return {
    shape,
    kind: {
      name,
      subject,
      noun,
      ...(boundaries ? { boundaries } : {}),
      shape,
      document: (eventDocument, context, locale) =>
        offerDocument(parseEventDocument(eventOffer, eventDocument, context), shape, locale, context.at),
    },
    problems: Object.values(problems),
    operations: [
      listOperation({
        name: `list${shape.type}s`,
        summary: `List ${label}s`,
        query: offerListParameters(kind),
        run: listOffers(kind),
      }),
      createOperation({
        name: `create${shape.type}s`,
        summary: `Create a ${label}, or up to 250`,
        query,
        body: { mode: 'create', bulk: 250 },
        emits: [`${subject}/created`],
        run: createOffers(kind),
      }),
      getOperation({
        name: `get${shape.type}`,
        summary: `Read a ${label}`,
        query,
        run: getOffer(kind),
      }),
      patchOperation({
        name: `patch${shape.type}`,
        summary: `Change a ${label}`,
        query,
        body: { mode: 'patch' },
        emits: [`${subject}/updated`, `${subject}/deleted`],
        run: patchOffer(kind),
      }),
      batchOperation({
        name: `patch${shape.type}s`,
        summary: `Change several ${label}s`,
        query: query,
        emits: [`${subject}/updated`, `${subject}/deleted`],
      }),
      upsertOperation({
        name: `upsert${shape.type}`,
        summary: `Create or change the ${label} with an external id`,
        description: `${upsertDescription} An archived ${label} is restored, unless the body has a \`status\`.`,
        query,
        body: { mode: 'patch' },
        emits: [`${subject}/created`, `${subject}/updated`, `${subject}/deleted`],
        run: upsertOffer(kind),
      }),
      deleteOperation({
        name: `delete${shape.type}`,
        summary: `Archive a ${label}`,
        emits: [`${subject}/deleted`],
        run: deleteOffer(kind),
      }),
    ],
  }
}
