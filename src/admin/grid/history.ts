import { useState } from 'react'
import type { Edits } from '../prices/grid.ts'

/** Steps that Undo reverts. */
const mostSteps = 50

type History = { readonly past: readonly Edits[]; readonly edits: Edits; readonly future: readonly Edits[] }

/** The edits of a grid, with their earlier and undone states. */
export function useEdits() {
  const [{ past, edits, future }, set] = useState<History>({ past: [], edits: new Map(), future: [] })
  return {
    edits,
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    /** Adds texts as one step. */
    add: (texts: Edits) =>
      set({ past: [...past.slice(1 - mostSteps), edits], edits: new Map([...edits, ...texts]), future: [] }),
    /** Keeps some edits, and forgets the steps. */
    keepOnly: (isKept: (key: string, text: string) => boolean) =>
      set((latest) => ({
        past: [],
        edits: new Map([...latest.edits].filter(([key, text]) => isKept(key, text))),
        future: [],
      })),
    /** Returns whether there was a step. */
    undo: () => {
      const before = past.at(-1)
      if (before) set({ past: past.slice(0, -1), edits: before, future: [edits, ...future] })
      return before !== undefined
    },
    redo: () => {
      const [after, ...later] = future
      if (after) set({ past: [...past, edits], edits: after, future: later })
      return after !== undefined
    },
  }
}
