/** W3C Trace Context (Recommendation of 2021-11-23): the trace of a request, which its deliveries continue. */

import * as z from 'zod'

/** The used fields of a trace. */
export type Trace = {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** Whether the caller may have recorded it; true for a trace that begins here. */
  readonly isSampled: boolean
  /** Whether the caller sent the trace; otherwise its id is the request id. */
  readonly isGiven: boolean
}

const traceparentPattern =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/

/**
 * Parses a `traceparent` header (§3.2). If it is absent or malformed (§4.3), a new trace begins. Its id is the
 * request's, so each id gives the other without storing both.
 */
export function traceIn(header: string | null, requestId: string): Trace {
  const [, version, id, flags = '', more] = traceparentPattern.exec(header ?? '') ?? []
  // Future versions may add parts at the end; version 00 may not.
  if (id !== undefined && (version !== '00' || more === undefined))
    return { id, isSampled: (Number.parseInt(flags, 16) & 1) === 1, isGiven: true }
  const requestTraceId = requestId.replaceAll('-', '').toLowerCase()
  return {
    id: /^(?!0{32})[0-9a-f]{32}$/.test(requestTraceId) ? requestTraceId : random(16),
    isSampled: true,
    isGiven: false,
  }
}

/** A `traceparent` with a new span of a trace: one for each outgoing request. */
export function traceparentOf({ id, isSampled }: Trace): string {
  return `00-${id}-${random(8)}-${isSampled ? '01' : '00'}`
}

/** Random bytes as hexadecimal digits. All zeros, which receivers ignore, occur once in 2⁶⁴ times. */
function random(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return Array.from(values, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The author of a change as a row stores it, with the trace if the caller sent one. */
export type StoredActor = z.infer<typeof actorColumn>

const author = z.object({ subject: z.string(), client: z.string(), person: z.boolean() })
const actor = author.extend({ traceparent: z.string().optional() })
export const actorColumn = actor.readonly()
/** The author of an event. The event of a start or end time has none. */
export const eventActorColumn = actor.partial().readonly()

/** The value of the column `actor` of an event and similar rows. */
export function storedActor({
  actor,
  trace,
}: {
  readonly actor: StoredActor
  readonly trace: Trace
}): StoredActor {
  const { subject, client, person } = actor
  return { subject, client, person, ...(trace.isGiven && { traceparent: traceparentOf(trace) }) }
}

/** The trace that a row belongs to. */
export function traceOf(row: {
  readonly actor: { readonly traceparent?: string }
  readonly requestId: string
}): Trace {
  return traceIn(row.actor.traceparent ?? null, row.requestId)
}
