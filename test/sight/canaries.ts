/** The texts of one resource of each kind that has events, which no other shows: where the text is, the resource was seen. */

import type { Scope } from '../../src/core/scopes.ts'
import { type Kind, kindOf, topics } from '../../src/resources/events/topics.ts'

/** The resources of events, with the way to read each: generated, so that a new resource is required here too. */
export const subjects = [...new Set(topics.map(({ subject }) => subject))].flatMap((subject) => {
  // Every caller reads the event of a restore. Announcements of prices and ends of bulk operations have no text.
  if (['catalogue', 'price', 'bulk_operation'].includes(subject)) return []
  const kind = kindOf(`${subject}/created`) as Kind
  return { subject, kind, scope: kind.shape.readWith as Scope, canary: `canary-${subject}` }
})

/** The scopes that read something that has events. */
export const guards = [...new Set(subjects.map(({ scope }) => scope))]

const draftCanary = 'canary-draft'

/** The texts that may be seen with some scopes. */
export function canariesSeenWith(grants: readonly Scope[]): string[] {
  const seen = subjects.filter(({ scope }) => grants.includes(scope)).map(({ canary }) => canary)
  const drafts = grants.includes('metaobjects:read') && grants.includes('metaobjects:write')
  return [...seen, ...(drafts ? [draftCanary] : [])].sort()
}

/** The texts of a response. */
export function canariesIn(text: string): string[] {
  return [...subjects.map(({ canary }) => canary), draftCanary].filter((each) =>
    new RegExp(`${each}(?![a-z_])`).test(text),
  )
}
