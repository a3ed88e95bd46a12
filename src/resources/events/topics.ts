import { idIn, itemIri } from '../../core/iri.ts'
import { jsonObject } from '../../core/json.ts'
import type { Kind as AnyKind } from '../../core/kind.ts'
import type { Shape } from '../../core/schema.ts'
import type { Scope } from '../../core/scopes.ts'
import { parseStored } from '../../db/row-types.ts'
import { bulkOperationKind } from '../bulk-operations/read.ts'
import { catalogue } from '../catalogue.ts'
import { priceChangesKind } from '../prices/changes.ts'
import type { ProductEventContext } from '../products/document.ts'
import { restoredCatalogue } from './schema.ts'

/** Topics of events and webhook subscriptions. */

const actions = {
  created: 'was created.',
  updated: 'was changed.',
  deleted: 'was deleted or archived.',
} as const

/** A topic that a webhook can subscribe to. */
export type Topic = {
  /** `product/created` */
  readonly name: string
  /** `product` */
  readonly subject: string
  readonly description: string
  /** True if the event reports a start or end time instead of a change. */
  readonly isBoundary: boolean
}

/** The topic of the first event after a restore to an earlier time. Every caller may read it. */
export const restoredTopic = 'catalogue/restored'

/** Every topic, in the order of the resources. */
export const topics: readonly Topic[] = [
  ...catalogue.flatMap(({ kind }) =>
    kind
      ? Object.entries({ ...actions, ...kind.boundaries }).map(([action, became]) => ({
          name: `${kind.subject}/${action}`,
          subject: kind.subject,
          isBoundary: !(action in actions),
          description: [
            `${kind.noun} ${became}`,
            ...(action === 'updated' && kind.alsoUpdated !== undefined ? [kind.alsoUpdated] : []),
          ].join(' '),
        }))
      : [],
  ),
  {
    name: 'price/changed',
    subject: priceChangesKind.subject,
    isBoundary: true,
    description:
      'Prices of at most 1,000 variants changed in a market at one moment, by a write or because an offer began or ended. Only a subscription to price/changed or price/* receives it. The service records it while one exists.',
  },
  {
    name: 'bulk_operation/finished',
    subject: bulkOperationKind.subject,
    isBoundary: false,
    description: 'A bulk operation ended: it is finished, was cancelled or failed.',
  },
  {
    name: restoredTopic,
    subject: 'catalogue',
    isBoundary: true,
    description:
      'The catalogue was restored to an earlier time, and later changes are lost. Read the lists again. The event names the time.',
  },
]

/**
 * The topics that a pattern selects: one topic, `product/*` for all of a subject, `*` for all. Empty for an unknown
 * pattern.
 */
export function topicsMatching(pattern: string): string[] {
  return topics
    .filter(({ name, subject }) => pattern === name || pattern === `${subject}/*` || pattern === '*')
    .map(({ name }) => name)
}

/** A kind of resources with events, as its resource declares it. */
export type Kind = AnyKind<ProductEventContext>

/** Kinds of resources by their name in the database. */
export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  catalogue.flatMap(({ kind }) => (kind ? [[kind.name, kind]] : [])),
)

const catalogueIri = restoredCatalogue.collection

/** Kinds of events by their name in the database: those of resources, prices, and the catalogue. Others show neither changes nor documents. */
export const eventKinds: Readonly<Record<string, Kind>> = {
  ...kinds,
  [priceChangesKind.name]: priceChangesKind,
  [bulkOperationKind.name]: bulkOperationKind,
  catalogue: {
    name: 'catalogue',
    subject: 'catalogue',
    noun: 'The catalogue',
    shape: restoredCatalogue,
    document: (stored) => ({
      '@id': catalogueIri,
      '@type': restoredCatalogue.type,
      ...parseStored(jsonObject, stored),
    }),
  },
}

/** The IRI patterns of resources with events. */
export const resourceForms = Object.values(kinds)
  .map(({ shape }) => `${shape.collection}/{id}`)
  .join(', ')

/** Whether only events have the documents of a shape. */
export const isOnlyInEvents = (of: Shape): boolean =>
  Object.values(eventKinds).some(({ name, shape }) => shape === of && !(name in kinds))

/** Parses the IRI of a resource with events. Returns null for any other text. */
export function resourceIn(text: string): { kind: string; id: string } | null {
  for (const [kind, { shape }] of Object.entries(kinds)) {
    const id = idIn(text, shape.collection)
    if (id !== null) return { kind, id }
  }
  return null
}

/** The IRI of an event's resource, even if its kind no longer exists. */
export function iriOfResource(kind: string, id: string, ownerId: string | null): string {
  const resourceKind = eventKinds[kind]
  if (resourceKind?.shape === restoredCatalogue) return catalogueIri
  return resourceKind ? itemIri(resourceKind.shape.collection, id, ownerId) : `/api/${kind}/${id}`
}

/** The kind of a topic; undefined if unknown. */
export function kindOf(topic: string): Kind | undefined {
  return Object.values(eventKinds).find(({ subject }) => topic.startsWith(`${subject}/`))
}

/** The scopes required to read all events of a topic or wildcard. Empty for an unknown topic. */
export function scopesOfTopic(pattern: string): Scope[] {
  return [...new Set(topicsMatching(pattern).flatMap((topic) => kindOf(topic)?.shape.readWith ?? []))]
}

/** The scope required to read the resource with an IRI. Empty for any other text. */
export function scopesOfResource(text: string): Scope[] {
  const resource = resourceIn(text)
  return resource ? [kinds[resource.kind]?.shape.readWith ?? []].flat() : []
}
