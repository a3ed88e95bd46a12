import { ofFile } from '../../core/idempotency.ts'
import { byteLimits } from '../../core/limits.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { Problem } from '../../core/problem.ts'
import { announcedParts } from '../../core/sizes.ts'
import { write } from '../../core/write.ts'
import { pictureProblems } from './problems.ts'
import { formatOf, keyOf, picture, picturesPath, pictureTypes, signatureBytes } from './schema.ts'

export const resource: Resource = {
  shape: picture,
  problems: Object.values(pictureProblems),
  operations: [
    operation({
      name: 'uploadPicture',
      summary: 'Upload a picture',
      description:
        'The body is the file itself. Its address goes into the `media` of products and variants with a PATCH of theirs. Nothing is recorded. 409 `picture.no_bucket` where the service has no place for pictures.',
      method: 'POST',
      path: picture.collection,
      scope: 'products:write',
      shape: picture,
      answers: 'item',
      upload: { types: pictureTypes, most: byteLimits.picture, exampleType: 'image/gif' },
      notFound: pictureProblems.not_found,
      run: uploadPicture,
    }),
  ],
}

/** Stores a picture while it arrives, after detecting the format from its first bytes. */
async function uploadPicture(context: Context, { upload }: Input): Promise<Answer> {
  const { tenant, pictures, url } = context
  if (pictures === null || upload === null) throw pictureProblems.no_bucket()
  const parts = announcedParts(upload, (arrived, length) => {
    const help = `Content-Length announced ${length} bytes, and ${arrived} arrived. Send the complete picture again.`
    return pictureProblems.wrong_length(undefined, { help })
  })
  const beginning = await beginningOf(parts)
  const format = formatOf(beginning)
  if (format === null) {
    await parts.return(undefined)
    throw pictureProblems.unknown_format()
  }
  const { type, extension } = format
  const { length } = upload
  // Random, because any client that knows the URL can see the picture, even one of a draft product.
  const name = `${crypto.randomUUID()}.${extension}`
  const key = keyOf(tenant.id, name)
  const digest = await pictures.save(key, { type, length, parts: joinParts(beginning, parts) })
  try {
    const outcome = await recordOnce(context, digest, { name, type, length })
    // A write without a confirmation also finds its own key.
    if (outcome.result.name !== name) await pictures.delete(key)
    return answerOf(outcome.result, url, outcome.replayed)
  } catch (error) {
    // If storage is unavailable, the key may be stored with this name.
    if (!(error instanceof Problem && error.kind.status === 503)) await pictures.delete(key)
    throw error
  }
}

type StoredPicture = { readonly name: string; readonly type: string; readonly length: number }

/**
 * Returns the picture of an earlier request with the same idempotency key.
 * The digest identifies the body, because the fingerprint of the request does not cover it.
 */
async function recordOnce(
  { idempotency, ...context }: Context,
  digest: string,
  picture: StoredPicture,
): Promise<{ readonly result: StoredPicture; readonly replayed: boolean }> {
  if (idempotency === null) return { result: picture, replayed: false }
  const keyed = ofFile(idempotency, digest)
  const plan = { unchanged: picture }
  return write<StoredPicture>({ ...context, idempotency: keyed }, 'uploadPicture', async () => plan)
}

function answerOf({ name, type, length }: StoredPicture, { origin }: URL, replayed: boolean): Answer {
  const path = `${picturesPath}/${name}`
  return {
    kind: 'item',
    version: null,
    location: path,
    replayed,
    document: {
      '@id': path,
      '@type': picture.type,
      url: `${origin}${path}`,
      mediaType: type,
      size: length,
    },
  }
}

type Parts = AsyncGenerator<Uint8Array, void>

async function beginningOf(parts: Parts): Promise<Uint8Array> {
  let first = new Uint8Array()
  while (first.length < signatureBytes) {
    const { value, done } = await parts.next()
    if (done) break
    const longer = new Uint8Array(first.length + value.length)
    longer.set(first)
    longer.set(value, first.length)
    first = longer
  }
  return first
}

async function* joinParts(first: Uint8Array, rest: Parts): Parts {
  yield first
  yield* rest
}
