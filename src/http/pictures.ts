/** Uploaded pictures, for whoever knows their address: browsers ask for them without a token. */
import { type PictureBucket, settingsOf } from '../env.ts'
import { keyOf, picturesPath, typeOfName } from '../resources/content/pictures/index.ts'
import { pictureProblems } from '../resources/content/pictures/problems.ts'
import { established } from './call.ts'
import type { PublicPage } from './pages.ts'
import { unavailable } from './picture-bucket.ts'
import { isNotModified } from './preconditions.ts'

export const picturePages: readonly PublicPage[] = [
  {
    path: `${picturesPath}/{name}`,
    async answer(call, { name = '' }, { request, env }) {
      const { PICTURES } = settingsOf(env)
      const type = typeOfName(name)
      if (!PICTURES || type === null) throw pictureProblems.not_found({ id: name })
      const key = keyOf(established(call.tenant).id, name)
      // An address never shows another picture, so it is the tag itself.
      const etag = `"${name}"`
      const isKnown = isNotModified(request.headers, etag)
      const found = await stored(PICTURES, key, isKnown || request.method === 'HEAD')
      if (found === null) throw pictureProblems.not_found({ id: name })
      const headers = new Headers({ ...keptForGood, ETag: etag })
      if (isKnown) return new Response(null, { status: 304, headers })
      headers.set('Content-Type', type)
      headers.set('Content-Length', String(found.size))
      call.bytes = found.size
      return new Response('body' in found ? found.body : null, { headers })
    },
  },
]

const keptForGood = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  // Opened by itself it runs nothing, whatever is in it.
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // Shops show it on pages of theirs.
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

async function stored(
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
