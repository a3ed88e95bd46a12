import type { PictureStore } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import type { PictureBucket } from '../env.ts'
import { pictureProblems } from '../resources/content/pictures/problems.ts'

/** An R2 bucket as what keeps files: no more of one is in memory than the part that is on its way. */
export function picturesIn(bucket: PictureBucket | undefined): PictureStore | null {
  if (!bucket) return null
  return {
    async keep(key, { type, length, parts }) {
      // R2 takes what tells its length alone, and keeps nothing of what ends before it.
      const { readable, writable } = new FixedLengthStream(length)
      const writer = writable.getWriter()
      const kept = bucket.put(key, readable, { httpMetadata: { contentType: type } })
      // Nobody takes the rest where the bucket has failed.
      kept.catch((cause) => writer.abort(cause)).catch(() => undefined)
      const [fed, put] = await Promise.allSettled([feed(writer, parts), kept])
      if (fed.status === 'rejected' && fed.reason instanceof Problem) throw fed.reason
      if (put.status === 'rejected') throw unavailable(put.reason)
      if (fed.status === 'rejected') throw unavailable(fed.reason)
      return put.value.etag
    },
    async forget(key) {
      // What stays has an address that nobody was told.
      await bucket.delete(key).catch(() => undefined)
    },
  }
}

async function feed(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const part of parts) await writer.write(part)
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => undefined)
    throw error
  }
}

/** The bucket has failed. */
export function unavailable(cause: unknown): Problem {
  return pictureProblems.storage_unavailable({}, { headers: { 'Retry-After': '10' }, cause })
}
