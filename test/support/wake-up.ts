/** The Durable Object of a deployment, in this process. */
import { WakeUp, type WakeUpCalls, wakeUpOf } from '../../src/core/wake-up.ts'

type Options = {
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Milliseconds, never less than before. */
  readonly elapsed?: () => number
  /** Called with the name of each call before the object gets it, and again after it; may throw. */
  readonly interfere?: (name: string, place: 'before' | 'after') => unknown
}

/** The binding of an object, the calls of a Worker, and the names of all calls so far. */
export function newWakeUp({ now, elapsed, interfere = () => {} }: Options = {}): {
  readonly namespace: DurableObjectNamespace
  readonly calls: WakeUpCalls
  readonly names: string[]
} {
  const stored = new Map<string, unknown>()
  const kv = {
    get: (key: string) => structuredClone(stored.get(key)) as never,
    put: (key: string, value: unknown) => void stored.set(key, structuredClone(value)),
  }
  const object = new WakeUp({ storage: { kv } }, {}, now)
  const names: string[] = []
  const fetch = async (url: string, init: RequestInit) => {
    const { name } = JSON.parse(String(init.body))
    names.push(name)
    init.signal?.throwIfAborted()
    await interfere(name, 'before')
    const response = await object.fetch(new Request(url, init))
    await interfere(name, 'after')
    return response
  }
  const namespace: DurableObjectNamespace = {
    idFromName: (name: string) => name,
    get: () => ({ fetch }),
  } as never
  return { namespace, calls: wakeUpOf(namespace, elapsed), names }
}
