import { fitTogether, type Members, Weighed } from '../../core/document.ts'
import { type Segment, timelineOf } from './timeline.ts'
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
  const documents = found.map(segmentDocument)
  const shown = fitTogether(documents, room.bytes) ? documents.length : fitting(documents, room.bytes)
  const end = found[shown - 1]?.until ?? span.until
  const segments = documents.slice(0, shown).map(({ fragment }) => fragment)
  return {
    members: { ...shopper, ...span, historyFrom, segments },
    next: end < span.until ? end : null,
  }
}

function segmentDocument({ eventId, ...segment }: Segment): Weighed {
  const event = eventId === null ? null : `/api/events/${eventId}`
  // Plain JSON, which has no documents in it to be spliced.
  return new Weighed(JSON.stringify({ '@type': 'PriceSegment', ...segment, event }))
}

/** How many documents there is room for, but at least one. */
function fitting(documents: readonly Weighed[], room: number): number {
  let left = room
  const beyond = documents.findIndex(({ bytes }, nth) => {
    left -= bytes
    return nth > 0 && left < 0
  })
  return beyond < 0 ? documents.length : beyond
}
