import { useCallback, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { type Draft, draftKey, draftOf, type Edit, keepDraft } from '../core/drafts.ts'

export type PageDraft = {
  /** The draft that an earlier load of this page left behind; null once the person has decided about it. */
  readonly left: Draft | null
  /** Replaces the draft by edits of this load, next to those of an earlier load that are not decided yet. */
  readonly keep: (edits: readonly Edit[]) => void
  /** Ends the offer of the earlier draft, and removes it. */
  readonly decide: () => void
}

/** The draft of the page that is open. */
export function useDraft(): PageDraft {
  const { pathname, search } = useLocation()
  const key = draftKey(pathname + search)
  const [found, setFound] = useState(() => ({ key, draft: draftOf(key) }))
  const current = found.key === key ? found : { key, draft: draftOf(key) }
  if (current !== found) setFound(current)
  const left = current.draft
  const keep = useCallback(
    (edits: readonly Edit[]) => {
      const all = [...(left?.edits ?? []), ...edits].map((edit) => [edit.path, edit] as const)
      keepDraft(key, [...new Map(all).values()])
    },
    [key, left],
  )
  const decide = useCallback(() => {
    keepDraft(key, [])
    setFound({ key, draft: null })
  }, [key])
  return { left, keep, decide }
}
