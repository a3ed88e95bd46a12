/** W3C Trace Context (Recommendation of 2021-11-23): the trace that a request belongs to, and what its deliveries say of it. */

/** A trace as far as this service has to do with it. */
export type Trace = {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** Whether its caller may have recorded it; true of a trace that begins here. */
  readonly isSampled: boolean
  /** Whether the caller has begun it: else its id is that of the request. */
  readonly isGiven: boolean
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/

/**
 * The trace that a `traceparent` header tells (§3.2). What is absent or malformed tells none (§4.3), and a new trace begins: its
 * id is the request's, so that whoever knows one of them knows the other, and nothing has to be kept for it.
 */
export function traceIn(header: string | null, requestId: string): Trace {
  const [, version, id, flags = '', more] = form.exec(header ?? '') ?? []
  // Versions to come may add parts at the end, this one may not.
  if (id !== undefined && (version !== '00' || more === undefined))
    return { id, isSampled: (Number.parseInt(flags, 16) & 1) === 1, isGiven: true }
  const own = requestId.replaceAll('-', '').toLowerCase()
  return { id: /^(?!0{32})[0-9a-f]{32}$/.test(own) ? own : random(16), isSampled: true, isGiven: false }
}

/** A `traceparent` that names a new span of a trace: one for each request that is sent. */
export function traceparentOf({ id, isSampled }: Trace): string {
  return `00-${id}-${random(8)}-${isSampled ? '01' : '00'}`
}

/** Random bytes as hexadecimal digits; all zero once in 2⁶⁴ times, which receivers take for none. */
function random(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return Array.from(values, (each) => each.toString(16).padStart(2, '0')).join('')
}

/** Who made a change, as a row keeps it: with the trace where the caller has begun it. */
export type StoredActor = {
  readonly subject: string
  readonly client: string
  readonly person: boolean
  readonly traceparent?: string
}

/** The column `actor` of an event and its like. */
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

/** The trace of what a row tells. */
export function traceOf(row: {
  readonly actor: { readonly traceparent?: string }
  readonly requestId: string
}): Trace {
  return traceIn(row.actor.traceparent ?? null, row.requestId)
}
