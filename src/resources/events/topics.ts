import { idIn, itemIri } from '../../core/iri.ts'
import type { Kind as AnyKind } from '../../core/kind.ts'
import type { Scope } from '../../core/scopes.ts'
import { catalogue } from '../catalogue.ts'
import type { InProduct } from '../products/document.ts'

/** What happens to resources, by name: the topics of events and of webhook subscriptions. */

const actions = {
  created: 'was created.',
  updated: 'was changed.',
  deleted: 'was deleted or archived.',
} as const

/** A topic that can be subscribed to. */
export type Topic = {
  /** `product/created` */
  readonly name: string
  /** `product` */
  readonly subject: string
  readonly description: string
  /** Whether it tells of a moment, and of no change. */
  readonly isBoundary: boolean
}

/** Every topic, in the order of the resources. */
export const topics: readonly Topic[] = catalogue.flatMap(({ kind }) =>
  kind
    ? Object.entries({ ...actions, ...kind.boundaries }).map(([action, became]) => ({
        name: `${kind.subject}/${action}`,
        subject: kind.subject,
        isBoundary: !(action in actions),
        description: [
          `${kind.noun} ${became}`,
          ...(action === 'updated' ? (kind.alsoUpdated ?? []) : []),
        ].join(' '),
      }))
    : [],
)

/** The names that a pattern means: a topic, `product/*` for all of a subject, `*` for all; none when it means nothing. */
export function topicsMatching(pattern: string): string[] {
  return topics
    .filter(({ name, subject }) => pattern === name || pattern === `${subject}/*` || pattern === '*')
    .map(({ name }) => name)
}

/** The kinds of resources that events are about, as each tells of itself. */

export type Kind = AnyKind<InProduct>

/** By the kind's name in the database. A kind that is not here shows neither changes nor documents. */
export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  catalogue.flatMap(({ kind }) => (kind ? [[kind.name, kind]] : [])),
)

/** What the IRIs of resources that have events look like. */
export const resourceForms = Object.values(kinds)
  .map(({ shape }) => `${shape.collection}/{id}`)
  .join(', ')

/** The kind and the id that an IRI names, or null when it is of no resource that has events. */
export function resourceIn(text: string): { kind: string; id: string } | null {
  for (const [kind, { shape }] of Object.entries(kinds)) {
    const id = idIn(text, shape.collection)
    if (id !== null) return { kind, id }
  }
  return null
}

/** The IRI of a resource that an event is about, also of one whose kind is not known any more. */
export function iriOfResource(kind: string, id: string, ownerId: string | null): string {
  const resourceKind = kinds[kind]
  return resourceKind ? itemIri(resourceKind.shape.collection, id, ownerId) : `/api/${kind}/${id}`
}

/** The kind that a topic is about; undefined where it is not known. */
export function kindOf(topic: string): Kind | undefined {
  return Object.values(kinds).find(({ subject }) => topic.startsWith(`${subject}/`))
}

/** The scopes that read everything that a topic, or all that a wildcard means, tells of; none for what is no topic. */
export function scopesOfTopic(pattern: string): Scope[] {
  return [...new Set(topicsMatching(pattern).flatMap((topic) => kindOf(topic)?.shape.readWith ?? []))]
}

/** The scope that reads the resource with an IRI; none for what is no such IRI. */
export function scopesOfResource(text: string): Scope[] {
  const resource = resourceIn(text)
  return resource ? [kinds[resource.kind]?.shape.readWith ?? []].flat() : []
}
