import type { PictureStore } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { type PictureBucket, settingsOf } from '../env.ts'
import { pictureProblems } from '../resources/pictures/problems.ts'
import { keyOf, picturesPath, typeOfName } from '../resources/pictures/schema.ts'
import type { PublicPage } from './pages.ts'
import { isNotModified } from './response.ts'

/** A store of pictures in an R2 bucket. Files are streamed, so only the current part is in memory. */
export function picturesIn(bucket: PictureBucket | undefined): PictureStore | null {
  if (!bucket) return null
  return {
    async save(key, { type, length, parts }) {
      // R2 requires a stream of known length, and stores nothing if the stream ends before it.
      const { readable, writable } = new FixedLengthStream(length)
      const writer = writable.getWriter()
      const put = bucket.put(key, readable, { httpMetadata: { contentType: type } })
      // If the bucket fails, nothing reads the rest of the stream.
      put.catch((cause) => writer.abort(cause)).catch(() => undefined)
      const [feedResult, putResult] = await Promise.allSettled([feed(writer, parts), put])
      if (feedResult.status === 'rejected' && feedResult.reason instanceof Problem) throw feedResult.reason
      if (putResult.status === 'rejected') throw unavailable(putResult.reason)
      if (feedResult.status === 'rejected') throw unavailable(feedResult.reason)
      return putResult.value.etag
    },
    async delete(key) {
      // A file that remains has a URL that no response contained.
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
function unavailable(cause: unknown): Problem {
  return pictureProblems.storage_unavailable({}, { headers: { 'Retry-After': '10' }, cause })
}

/** Uploaded pictures, public at their URLs, because browsers request them without a token. */
export const picturePages: readonly PublicPage[] = [
  {
    path: `${picturesPath}/{name}`,
    async answer(c) {
      const { PICTURES } = settingsOf(c.env)
      const request = c.req.raw
      const name = c.req.param('name') ?? ''
      const type = typeOfName(name)
      if (!PICTURES || type === null) throw pictureProblems.not_found({ id: name })
      const key = keyOf(c.var.tenant.id, name)
      // An address never shows another picture, so it is the tag itself.
      const etag = `"${name}"`
      const isKnown = isNotModified(request.headers, etag)
      const picture = await pictureAt(PICTURES, key, isKnown || request.method === 'HEAD')
      if (picture === null) throw pictureProblems.not_found({ id: name })
      const headers = new Headers({ ...permanentHeaders, ETag: etag })
      if (isKnown) return new Response(null, { status: 304, headers })
      headers.set('Content-Type', type)
      headers.set('Content-Length', String(picture.size))
      c.set('responseBytes', picture.size)
      return new Response('body' in picture ? picture.body : null, { headers })
    },
  },
]

const permanentHeaders = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  // A picture that a browser opens as a page runs no script.
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // Shops show it on pages of theirs.
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

async function pictureAt(
  bucket: PictureBucket,
  key: string,
  withoutBody: boolean,
): Promise<R2Object | R2ObjectBody | null> {
  try {
    return await (withoutBody ? bucket.head(key) : bucket.get(key))
  } catch (cause) {
    throw unavailable(cause)
  }
}
