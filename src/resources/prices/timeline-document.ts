import { bytesOf, type Members, type Value } from '../../core/document.ts'
import { timelineOf } from './timeline.ts'
import type { AskedTimeline } from './timeline-asked.ts'
import type { ReadTerms } from './timeline-lines.ts'

/** How much of a timeline one document shows. */
export type TimelineRoom = { readonly segments: number; readonly bytes: number }

/** A timeline as it is shown, and where it goes on: null where it is whole. */
export type ShownTimeline = { readonly members: Members; readonly next: string | null }

/** The members of a timeline's document, with as many segments as there is room for, but at least one. */
export function timelineMembers(
  { shopper, span }: AskedTimeline,
  { recorded, span: known }: ReadTerms,
  { now, historyFrom }: { readonly now: string; readonly historyFrom: string | null },
  room: TimelineRoom,
): ShownTimeline {
  const found = timelineOf(recorded, shopper, known, now, room.segments)
  let left = room.bytes
  const beyond = found.findIndex((each, nth) => {
    left -= bytesOf(JSON.stringify(each))
    return nth > 0 && left < 0
  })
  const shown = beyond < 0 ? found : found.slice(0, beyond)
  const end = shown.at(-1)?.until ?? span.until
  const segments = shown.map(
    ({ eventId, ...segment }): Value => ({
      '@type': 'PriceSegment',
      ...segment,
      event: eventId === null ? null : `/api/events/${eventId}`,
    }),
  )
  return {
    members: { ...shopper, ...span, historyFrom, segments },
    next: end < span.until ? end : null,
  }
}
