import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { type Draft, draftKey, draftOf, type Edit, keepDraft } from '../core/drafts.ts'
import { markUnsaved } from '../core/unsaved.ts'

export type PageDraft = {
  /** The draft that an earlier load of this page left behind; null once the person has decided about it. */
  readonly left: Draft | null
  /** Replaces the draft by edits of this load, next to those of an earlier load that are not decided yet. */
  readonly keep: (edits: readonly Edit[]) => void
  /** Ends the offer of the earlier draft, and removes it. */
  readonly decide: () => void
}

/** The draft of the page that is open, or of a dialog on it: a dialog has a name because it has no address. */
export function useDraft(dialog?: string): PageDraft {
  const { pathname, search } = useLocation()
  const key = draftKey(dialog === undefined ? pathname + search : `${pathname} ${dialog}`)
  const [found, setFound] = useState(() => ({ key, draft: draftOf(key) }))
  const current = found.key === key ? found : { key, draft: draftOf(key) }
  if (current !== found) setFound(current)
  const left = current.draft
  const keep = useCallback(
    (edits: readonly Edit[]) => {
      const all = [...(left?.edits ?? []), ...edits].map((edit) => [edit.path, edit] as const)
      keepDraft(key, [...new Map(all).values()], edits.length === 0 ? left?.at : undefined)
    },
    [key, left],
  )
  const decide = useCallback(() => {
    keepDraft(key, [])
    setFound({ key, draft: null })
  }, [key])
  return { left, keep, decide }
}

/** Writes the edits of a page or dialog that is no form into its draft. */
export function useDraftEdits({ keep }: PageDraft, edits: readonly Edit[]): void {
  const text = JSON.stringify(edits)
  useEffect(() => keep(JSON.parse(text)), [keep, text])
}

export type DialogDraft = PageDraft & {
  readonly isOpen: boolean
  readonly open: () => void
  /** Closes the dialog and removes its edits from the draft. */
  readonly close: () => void
}

/** A dialog of the page that is open, and its draft. */
export function useDialogDraft(name: string): DialogDraft {
  const draft = useDraft(name)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    draft.keep([])
    setOpen(false)
  }
  return { ...draft, isOpen, open: () => setOpen(true), close }
}

/** Writes the edits of a dialog into its draft. A question precedes whatever else closes the dialog. */
export function useDialogEdits(dialog: DialogDraft, edits: readonly Edit[]): void {
  useDraftEdits(dialog, edits)
  const latest = useRef(dialog.close)
  latest.current = dialog.close
  const isUnsaved = edits.length > 0
  useEffect(() => (isUnsaved ? markUnsaved(() => latest.current()) : undefined), [isUnsaved])
}
