import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Format } from '../../local/import/columns.ts'
import type { Remark } from '../../local/import/product.ts'
import type { SourceRecord } from '../../local/import/records.ts'
import { addRejected } from '../../local/import/rejected.ts'
import type { StoredProduct, Target } from '../../local/import/upsert.ts'
import { revert } from '../grid/submit.ts'
import {
  clientOf,
  findStored,
  linkAll,
  perform,
  type Refused,
  type Upsert,
  upsertsOf,
  withoutExternalId,
} from './operation.ts'
import { type OpenedFile, type ReadProducts, readProducts } from './read.ts'

/** Products that are not imported: their rows with the reasons. */
export type Rejected = {
  readonly products: number
  readonly sheet: ReadProducts['sheet']
  readonly rows: ReadonlyMap<SourceRecord, readonly string[]>
  readonly remarks: readonly Remark[]
}

type Counts = Readonly<Record<'created' | 'changed' | 'unchanged' | 'rejected', number>>

type Found = { readonly read: ReadProducts; readonly stored: Map<string, StoredProduct> }

type State =
  | { readonly step: 'mapped' }
  /** Products of the catalogue need an external id before the check. */
  | ({ readonly step: 'unlinked'; readonly unlinked: number } & Found)
  | {
      readonly step: 'checked'
      readonly counts: Counts
      readonly upserts: readonly Upsert[]
      readonly rejected: Rejected
    }
  | {
      readonly step: 'imported'
      readonly counts: Counts
      readonly rejected: Rejected
      readonly operations: readonly string[]
      /** Products that were not imported before the cancellation. */
      readonly left: number
      readonly undone: { readonly done: number; readonly left: number } | null
    }

type Step = 'read' | 'find' | 'prices' | 'check' | 'import' | 'undo'
type Progress = { readonly step: Step; readonly done: number; readonly of: number }

/** The steps of an import: the file is read and checked, its products are written, and the writes are undone. */
export function useImport(file: OpenedFile, format: Format, target: Target) {
  const queries = useQueryClient()
  const [state, setState] = useState<State>({ step: 'mapped' })
  const [progress, setProgress] = useState<Progress | null>(null)
  const [problem, setProblem] = useState<{ readonly error: Error; readonly retry: () => void } | null>(null)
  const cancellation = useRef(new AbortController())

  /** Begins a step, which can be cancelled, and again after a failure. */
  const begin = (step: Step, work: (signal: AbortSignal) => Promise<State>) => {
    const act = async () => {
      cancellation.current = new AbortController()
      const { signal } = cancellation.current
      setProblem(null)
      setProgress({ step, done: 0, of: 0 })
      try {
        setState(await work(signal))
      } catch (error) {
        if (!signal.aborted) setProblem({ error: error as Error, retry: act })
      } finally {
        setProgress(null)
      }
    }
    return act()
  }
  const onProgress = (step: Step) => (done: number, of: number) => setProgress({ step, done, of })

  const examine = async ({ read, stored }: Found, signal: AbortSignal): Promise<State> => {
    const client = clientOf(signal)
    const planned = await upsertsOf(read.products, stored, {
      client,
      target,
      onProgress: onProgress('prices'),
    })
    const checked = await perform(planned.upserts, {
      isDryRun: true,
      signal,
      onProgress: onProgress('check'),
    })
    signal.throwIfAborted()
    const rejected = withRefused({ ...read, products: read.rejectedProducts, rows: read.rejected }, [
      ...planned.refused,
      ...checked.refused,
    ])
    return {
      step: 'checked',
      counts: countsOf(checked.accepted, checked.unchanged, rejected),
      upserts: checked.accepted,
      rejected,
    }
  }

  return {
    state,
    progress,
    problem,
    cancel: () => cancellation.current.abort(),
    /** Returns to the choices. */
    change: () => setState({ step: 'mapped' }),
    check: () =>
      begin('read', async (signal) => {
        const read = await readProducts(file, format)
        const stored = await findStored(read.products, clientOf(signal), onProgress('find'))
        const unlinked = withoutExternalId(stored).length
        const found = { read, stored }
        return unlinked > 0 ? { step: 'unlinked', unlinked, ...found } : examine(found, signal)
      }),
    link: () =>
      begin('find', async (signal) => {
        if (state.step !== 'unlinked') return state
        await linkAll(state.stored, clientOf(signal))
        return examine(state, signal)
      }),
    run: () =>
      begin('import', async (signal) => {
        if (state.step !== 'checked') return state
        const performed = await perform(state.upserts, {
          isDryRun: false,
          signal,
          onProgress: onProgress('import'),
        })
        await queries.invalidateQueries({ refetchType: 'none' })
        const rejected = withRefused(state.rejected, performed.refused)
        return {
          step: 'imported',
          counts: countsOf(performed.accepted, performed.unchanged, rejected),
          rejected,
          operations: performed.operations,
          left: performed.left.length,
          undone: null,
        }
      }),
    undo: () =>
      begin('undo', async () => {
        if (state.step !== 'imported') return state
        const undone = { done: 0, left: 0 }
        // The last one first: an earlier one may have created what a later one has changed.
        for (const iri of state.operations.toReversed()) {
          const { operation, refusals } = await revert(iri, onProgress('undo'))
          undone.done += operation.lines - refusals.size
          undone.left += refusals.size
        }
        await queries.invalidateQueries({ refetchType: 'none' })
        return { ...state, undone }
      }),
  }
}

/** Adds refused products to the rejected rows. */
function withRefused(before: Rejected, refused: readonly Refused[]): Rejected {
  const rows = new Map(before.rows)
  for (const { product, remarks } of refused) addRejected(rows, product.rows, remarks)
  return {
    products: before.products + refused.length,
    sheet: before.sheet,
    rows,
    remarks: [...before.remarks, ...refused.flatMap(({ remarks }) => remarks)],
  }
}

function countsOf(accepted: readonly Upsert[], unchanged: number, { products }: Rejected): Counts {
  const created = accepted.filter(({ isNew }) => isNew).length
  const same = Math.min(unchanged, accepted.length - created)
  return { created, changed: accepted.length - created - same, unchanged: same, rejected: products }
}
