/** What is published as `npm run build` made it: files that the platform keeps, in which the host is written when they are asked for. */
import { anyOrigin, fileOf, isContext, type Library } from '../docs/library.ts'
import { type Bindings, settingsOf } from '../env.ts'

/** The library behind a set of bindings. */
export type Libraries = (bindings: Bindings) => Library

type File = { readonly tag: string; readonly content: string }

/** The built documents. Those that were asked for stay in the isolate: all of them are 5 MB. */
export function keptDocuments(): Libraries {
  const kept = new Map<string, File>()
  async function read(path: string, origin: string, bindings: Bindings): Promise<File | null> {
    const { ASSETS } = settingsOf(bindings)
    if (!ASSETS) throw new Error('without ASSETS nothing is published')
    const found = await ASSETS.fetch(new URL(path, origin).href)
    if (found.status === 404) return null
    if (found.status !== 200) throw new Error(`ASSETS answered ${found.status}`)
    const content = await found.text()
    const file = { tag: found.headers.get('ETag') ?? content, content }
    kept.set(path, file)
    return file
  }
  return (bindings) => async (name, reader) => {
    const path = fileOf(name, reader)
    // A type comes from the address of the request.
    if (!plain.test(path)) return null
    const file = kept.get(path) ?? (await read(path, reader.origin, bindings))
    if (file === null && !isContext(name)) throw new Error(`${path} is not there: npm run build`)
    return (
      file && {
        tag: `${file.tag} ${reader.origin}`,
        text: () => file.content.replaceAll(anyOrigin, reader.origin),
      }
    )
  }
}

const plain = /^\/published\/[\w-]+\.json$/
