import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-admin'
import { markUnsaved, mayDropEdits } from '../core/unsaved.ts'

/**
 * Asks before edits are dropped: by a link, by going back, by closing the tab, by another language or shopper. Who leaves while
 * they are being saved is asked only if that fails. react-admin's own hook does the same, but throws, and takes the whole page
 * with it, where somebody goes on before it has decided about the step before.
 */
export function useUnsaved(isUnsaved: boolean, drop: () => void, isSaving = false): void {
  const latest = useRef(drop)
  latest.current = drop
  useEffect(() => (isUnsaved ? markUnsaved(() => latest.current()) : undefined), [isUnsaved])

  const { state, proceed, reset } = useBlocker(
    ({ currentLocation, nextLocation }) => isUnsaved && nextLocation.pathname !== currentLocation.pathname,
  )
  useEffect(() => {
    if (state !== 'blocked' || isSaving) return
    // What was saved or taken away has led on before its form is told.
    const timer = setTimeout(() => step(!isUnsaved || mayDropEdits() ? proceed : reset))
    return () => clearTimeout(timer)
  }, [state, isSaving, isUnsaved, proceed, reset])

  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnsaved])
}

/** Somebody may have gone on meanwhile, with which the router has forgotten that anything was blocked, and throws. */
function step(act: (() => void) | undefined): void {
  try {
    act?.()
  } catch {
    // There is nothing left to decide.
  }
}
