/** Writes planned changes: new offers in requests of the largest size, changes one by one on the version that the user saw. */
import { HttpError } from 'react-admin'
import { call } from '../core/http.ts'
import { forEach } from '../core/lanes.ts'
import { tagOf } from '../core/settings.ts'

/** How many offers the service creates in one request, all or none of them. */
const mostAtOnce = 250

/** The errors of one row of a bulk, or of one change; `isOvertaken` after a concurrent write. */
export type Refusal = { readonly message: string; readonly isOvertaken: boolean }

/** An offer that was created. */
export type Created = { readonly id: string; readonly createdAt: string }

/**
 * Creates offers in as few requests as possible. Returns the errors by the index of the offer. A request with an invalid offer
 * creates none; its valid offers have the error `sameRequest`.
 */
export async function createAll(
  bodies: readonly object[],
  sameRequest: string,
  onProgress: (done: number, created: readonly Created[]) => void = () => {},
): Promise<ReadonlyMap<number, Refusal>> {
  const refused = new Map<number, Refusal>()
  for (let first = 0; first < bodies.length; first += mostAtOnce) {
    const batch = bodies.slice(first, first + mostAtOnce)
    try {
      const answer = await call('/api/sale_offers', { method: 'POST', body: JSON.stringify(batch) })
      onProgress(first + batch.length, answer.json.member as Created[])
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const places = placesOf(error)
      for (const at of batch.keys()) {
        const message = places.get(at) ?? (places.size > 0 ? sameRequest : error.message)
        refused.set(first + at, { message, isOvertaken: false })
      }
      // The remaining changes are not sent: the user has to look first.
      for (let rest = first + batch.length; rest < bodies.length; rest += 1) {
        refused.set(rest, { message: sameRequest, isOvertaken: false })
      }
      return refused
    }
  }
  return refused
}

/** `[3].amount` as http.ts names it for forms, `.3.amount`. */
function placesOf({ body }: HttpError): Map<number, string> {
  const errors: Readonly<Record<string, unknown>> = body?.errors ?? {}
  return new Map(
    Object.entries(errors).flatMap(([path, text]) => {
      const at = /^\.?(\d+)(?:\.|$)/.exec(path)?.[1]
      return at === undefined ? [] : [[Number(at), String(text)] as const]
    }),
  )
}

export type Write = {
  readonly iri: string
  readonly version: number
  /** Null archives it. */
  readonly patch: object | null
}

/** Changes and archives offers, each only in the version that the user saw. Returns the errors by index. */
export async function changeAll(writes: readonly Write[]): Promise<ReadonlyMap<number, Refusal>> {
  const refused = new Map<number, Refusal>()
  await forEach(writes, async ({ iri, version, patch }, at) => {
    const headers = new Headers({ 'If-Match': tagOf(version) })
    if (patch !== null) headers.set('Content-Type', 'application/merge-patch+json')
    const options = patch === null ? { method: 'DELETE' } : { method: 'PATCH', body: JSON.stringify(patch) }
    try {
      await call(iri, { ...options, headers })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      refused.set(at, { message: error.message, isOvertaken: error.status === 412 })
    }
  })
  return refused
}
