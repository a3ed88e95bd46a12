/**
 * Answers in the cache of the data centre, for callers who take one of an age (`Cache-Control: max-age`): isolates beside each other
 * have what one of them made. An address that nobody can ask stands for an answer: a hash of everything that it is made of, and of the
 * deployment that made it.
 */
import type { KeptAnswer, MadeAnswer } from './answer-memory.ts'

/** What a data centre keeps of answers. */
export type DataCentre = {
  /** The answer by its key (see `answerKey()`), with the tenant's clock that it was made at; undefined where there is none. */
  at(key: string): Promise<KeptAnswer | undefined>
  keep(key: string, answer: KeptAnswer): Promise<void>
}

/** Seconds for which an answer is kept there at most: who takes older ones has it made again. */
const longest = 60

const description = 'x-answer'

/** The cache of the data centre; null where there is none, or no deployment is known whose answers they are. */
export function dataCentreOf(deployment: { readonly id: string } | undefined): DataCentre | null {
  // Node has none, and nothing says so but its absence.
  const cache = typeof caches === 'undefined' ? undefined : caches.default
  if (!cache || !deployment) return null
  const addressOf = async (key: string) => {
    const bytes = new TextEncoder().encode(`${deployment.id}\n${key}`)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return `https://answers.invalid/${btoa(String.fromCharCode(...digest)).replaceAll('/', '_')}`
  }
  return {
    async at(key) {
      // One that fails has nothing.
      const found = await cache.match(await addressOf(key)).catch(() => undefined)
      const described = found?.headers.get(description)
      if (!found || !described) return undefined
      const { clock, seen, ...made }: Description = JSON.parse(described)
      return { clock, seen, made: { ...made, body: new Uint8Array(await found.arrayBuffer()) } }
    },
    async keep(key, { clock, seen, made: { body, ...made } }) {
      const told: Description = { clock, seen, ...made }
      const headers = { [description]: JSON.stringify(told), 'Cache-Control': `max-age=${longest}` }
      await cache.put(await addressOf(key), new Response(body, { headers }))
    },
  }
}

type Description = Omit<KeptAnswer, 'made'> & Omit<MadeAnswer, 'body'>
