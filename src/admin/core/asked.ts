import { useSyncExternalStore } from 'react'

/** A question that a dialog shows while code waits for the user's choice. */
export type Question<Asked, Answered> = {
  /** Shows a question, after the previous one is closed. */
  readonly ask: (asked: Asked) => Promise<Answered>
  /** The current question, and the function that closes it with a choice. */
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
