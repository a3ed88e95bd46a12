/** What happens to resources, by name: the topics of events and of webhook subscriptions. */
import { catalogue } from '../catalogue.ts'

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
