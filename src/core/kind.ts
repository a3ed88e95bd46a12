import type { Access } from './access.ts'
import type { Value } from './document.ts'
import { parsed } from './json.ts'
import type { Locale } from './locale.ts'
import type { Shape } from './schema.ts'

/** What a document shows beside what its own event keeps. */
export type EventContext = {
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** The moment that is told of: that of the change, or of the boundary. */
  readonly at: string
  /** Bytes that the document may have where it embeds what can be left out. */
  readonly most: number
}

/** What a resource tells of itself, for its changes to be recorded as events and sent to webhooks. */
export type Kind<Around extends EventContext = EventContext> = {
  /** Its table, by which the database's events name it: `product_options`. */
  readonly name: string
  /** What its topics begin with: `product_option`. */
  readonly subject: string
  /** What the descriptions of its topics begin with: `An option of a product`. */
  readonly noun: string
  /** What its topic `updated` means beside a change of its own. */
  readonly alsoUpdated?: string
  /**
   * What happens to one without a change of it, at a moment that it names itself: an action, and what the description of its topic
   * says of it. The database records these events.
   */
  readonly boundaries?: Readonly<Record<string, string>>
  readonly shape: Shape
  /** Renders what an event keeps for somebody who sees such a resource; what it leads to is shown to the same sight. */
  readonly document: (kept: string, around: Around, locale: Locale, sight: Access) => Value
}

/** What an event keeps, parsed, with the stamps of its moment; as large as the resource, so that it is parsed once. */
export function parseEventDocument<Parts>(
  kept: string,
  { version, createdAt, updatedAt }: EventContext,
): Parts & Pick<EventContext, 'version' | 'createdAt' | 'updatedAt'> {
  return { ...parsed<Parts>(kept), version, createdAt, updatedAt }
}
