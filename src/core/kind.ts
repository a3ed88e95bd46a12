import type * as z from 'zod'
import { parseStored } from '../db/row-types.ts'
import type { Access } from './access.ts'
import type { Value } from './document.ts'
import type { Locale } from './locale.ts'
import type { Shape } from './schema.ts'

/** The data that a document contains in addition to its stored event. */
export type EventContext = {
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** The time of the event: of the change, or of the boundary. */
  readonly at: string
  /** The maximum bytes of the document; optional embedded resources are left out beyond. */
  readonly maxBytes: number
}

/** A resource type whose changes are recorded as events and sent to webhooks. */
export type Kind<RenderContext extends EventContext = EventContext> = {
  /** Its table, which names it in the database's events: `product_options`. */
  readonly name: string
  /** The prefix of its topics: `product_option`. */
  readonly subject: string
  /** The beginning of its topics' descriptions: `An option of a product`. */
  readonly noun: string
  /** A sentence about the causes of its topic `updated`, in addition to changes of the resource itself. */
  readonly alsoUpdated?: string
  /**
   * Events without a write, at a time that the resource contains: an action, and its part of the topic's description.
   * The database records these events.
   */
  readonly boundaries?: Readonly<Record<string, string>>
  readonly shape: Shape
  /** Renders a stored event for a reader with the given access, which also applies to embedded resources. */
  readonly document: (stored: string, context: RenderContext, locale: Locale, access: Access) => Value
}

/** Parses a stored event and adds its stamps. Events are as large as their resource, so each is parsed only once. */
export function parseEventDocument<Parts>(
  schema: z.ZodType<Parts>,
  stored: string,
  { version, createdAt, updatedAt }: EventContext,
): Parts & Pick<EventContext, 'version' | 'createdAt' | 'updatedAt'> {
  return { ...parseStored(schema, stored), version, createdAt, updatedAt }
}
