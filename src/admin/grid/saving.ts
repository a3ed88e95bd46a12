import { useRef, useState } from 'react'
import { hasScope } from '../core/session.ts'
import type { Edits } from '../prices/grid.ts'
import type { Refusal } from '../prices/save.ts'
import { revert, submit } from './submit.ts'
import { useGridWords } from './words.ts'
import { type GridWrite, mostDirectWrites, refusalsByCell, sendDirectly } from './writes.ts'

export type SaveOutcome = {
  /** The cells that were sent. */
  readonly keys: readonly string[]
  readonly refusals: ReadonlyMap<string, Refusal>
  /** The edits at that time. */
  readonly edits: Edits
}

/** Writes that a dry run has accepted, and the sentence about them. */
type Preview = { readonly writes: readonly GridWrite[]; readonly text: string }

/** A bulk operation that was performed, or undone (`count` 0). */
type Undoable = {
  readonly operation: string
  readonly keys: readonly string[]
  readonly count: number
  readonly text: string
}

type Failure = { readonly error: Error; readonly step: 'save' | 'confirm' | 'read' | 'undo' }

const keysOf = (writes: readonly GridWrite[]) => writes.flatMap(({ keys }) => keys)

/**
 * Saves the edits of a grid. Few writes are sent at once, each on the version that the user saw. Many are one bulk operation, which a
 * dry run checks first, and which can be undone.
 */
export function useSaving({
  edits,
  writes,
  lostIn,
  onSaved,
  onReverted,
}: {
  edits: Edits
  writes: readonly GridWrite[]
  /** Reads cells again. Returns those that another user has changed, and the versions of all documents. */
  lostIn: (
    keys: ReadonlySet<string>,
  ) => Promise<{ readonly lost: readonly string[]; readonly versions: ReadonlyMap<string, number> }>
  onSaved: (outcome: SaveOutcome) => Promise<void>
  onReverted: (keys: readonly string[]) => Promise<void>
}) {
  const words = useGridWords()
  const [refusals, setRefusals] = useState<ReadonlyMap<string, Refusal>>(new Map())
  const [preview, setPreview] = useState<Preview | null>(null)
  const [progress, setProgress] = useState<{ readonly done: number; readonly of: number } | null>(null)
  const [undoable, setUndoable] = useState<Undoable | null>(null)
  const [problem, setProblem] = useState<Failure | null>(null)

  const attempt = async (step: Failure['step'], work: () => Promise<void>) => {
    setProblem(null)
    setProgress({ done: 0, of: 0 })
    try {
      await work()
    } catch (error) {
      setProblem({ error: error as Error, step })
    } finally {
      setProgress(null)
    }
  }
  const onProgress = (done: number, of: number) => setProgress({ done, of })
  const linesOf = (some: readonly GridWrite[]) =>
    some.map(({ method, path, body }) => ({ method, path, ...(body && { body }) }))
  const saved = useRef<SaveOutcome | null>(null)
  /** Reads the saved cells again. A failure is no reason to send them again. */
  const read = () =>
    attempt('read', async () => {
      const outcome = saved.current
      if (outcome === null) return
      await onSaved(outcome)
      const failed = outcome.refusals.size
      if (failed > 0) setProblem({ error: new Error(words.partly(failed)), step: 'save' })
    })
  const finish = (outcome: SaveOutcome) => {
    saved.current = outcome
    setRefusals(outcome.refusals)
    return read()
  }
  const save = () =>
    attempt('save', async () => {
      setUndoable(null)
      const keys = keysOf(writes)
      const { lost, versions } = await lostIn(new Set(keys))
      if (lost.length > 0) {
        setRefusals(new Map(lost.map((key) => [key, { message: '', isOvertaken: true }])))
        throw new Error(words.overtakenAll(lost.length))
      }
      if (writes.length <= mostDirectWrites || !hasScope('bulk_operations:write')) {
        const current = writes.map((each) => ({ ...each, version: versions.get(each.path) ?? each.version }))
        return finish({ keys, edits, refusals: await sendDirectly(current, words.sameRequest) })
      }
      const checked = await submit(linesOf(writes), true, onProgress)
      setRefusals(refusalsByCell(writes, checked.refusals))
      const accepted = writes.filter((_, at) => !checked.refusals.has(at))
      setPreview({ writes: accepted, text: sentence(accepted, checked.refusals.size) })
    })
  const sentence = (accepted: readonly GridWrite[], rejected: number) => {
    const count = (method: string, isOffer: boolean) =>
      accepted.filter(
        (each) => each.method === method && each.path.startsWith('/api/sale_offers') === isOffer,
      ).length
    return words.preview({
      created: count('POST', true),
      changed: count('PATCH', true),
      removed: count('DELETE', true),
      documents: count('PATCH', false),
      rejected,
    })
  }
  const confirm = () =>
    attempt('confirm', async () => {
      if (!preview) return
      const keys = keysOf(preview.writes)
      const { operation, refusals: rejected } = await submit(linesOf(preview.writes), false, onProgress)
      const count = operation.lines - rejected.size
      setPreview(null)
      setUndoable({ operation: operation['@id'], keys, count, text: words.savedMany(count) })
      // The cells that the dry run has rejected keep their errors.
      await finish({
        keys,
        edits,
        refusals: new Map([...refusals, ...refusalsByCell(preview.writes, rejected)]),
      })
    })
  const undo = () =>
    attempt('undo', async () => {
      if (!undoable) return
      const { operation, refusals: rejected } = await revert(undoable.operation, onProgress)
      await onReverted(undoable.keys)
      setUndoable({
        ...undoable,
        count: 0,
        text: words.reverted(operation.lines - rejected.size, rejected.size),
      })
    })
  return {
    refusals,
    preview,
    progress,
    problem,
    undoable,
    /** The steps of saving. A failed one can be repeated. */
    steps: { save, confirm, read, undo },
    cancel: () => setPreview(null),
    /** Forgets the errors of cells that were edited, and the dry run before. */
    forget(keys: ReadonlySet<string>) {
      setPreview(null)
      setRefusals(new Map([...refusals].filter(([key]) => !keys.has(key))))
    },
    clear() {
      setPreview(null)
      setRefusals(new Map())
      setProblem(null)
    },
  }
}
