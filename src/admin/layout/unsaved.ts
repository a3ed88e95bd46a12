import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-admin'
import { markUnsaved, mayDropEdits } from '../core/unsaved.ts'

/**
 * Asks before edits are dropped: by a link, by going back, by closing the tab, by another language or shopper. During a save it
 * asks only if the save fails. react-admin's own hook does the same, but a second navigation before its decision makes it throw,
 * which ends the page.
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
    // A save or a deletion navigates before its form is updated.
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

/** The user may have navigated meanwhile. Then the router has removed its blocker, and throws. */
function step(act: (() => void) | undefined): void {
  try {
    act?.()
  } catch {
    // There is nothing left to decide.
  }
}
