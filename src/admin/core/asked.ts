import { useSyncExternalStore } from 'react'

/** Something that a person is asked in a dialog while code waits for the answer. */
export type Question<Asked, Answered> = {
  /** Asks, once what was asked before is answered. */
  readonly ask: (asked: Asked) => Promise<Answered>
  /** What is asked just now, and how it is answered. */
  readonly useAsked: () => { readonly asked: Asked; readonly answer: (answered: Answered) => void } | null
}

export function question<Asked, Answered>(): Question<Asked, Answered> {
  type Pending = { readonly asked: Asked; readonly answer: (answered: Answered) => void }
  let waiting: readonly Pending[] = []
  const listeners = new Set<() => void>()
  const set = (next: readonly Pending[]) => {
    waiting = next
    for (const each of listeners) each()
  }
  return {
    ask(asked) {
      const { promise, resolve } = Promise.withResolvers<Answered>()
      const answer = (answered: Answered) => {
        set(waiting.slice(1))
        resolve(answered)
      }
      set([...waiting, { asked, answer }])
      return promise
    },
    useAsked: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        () => waiting[0] ?? null,
      ),
  }
}
