import { Alert, AlertTitle, Box, Button } from '@mui/material'
import { useEffect } from 'react'
import { type Json, same, written } from '../core/changed.ts'
import type { Edit } from '../core/drafts.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { momentText } from '../core/zone.ts'
import type { PageDraft } from './draft.ts'

/** Offers a draft that an earlier load of the page left behind, with the stored and the typed value of each input. */
export function DraftOffer({
  draft: { left, decide },
  edits = left?.edits ?? [],
  nameOf,
  textOf,
  storedAt,
  onRestore,
}: {
  draft: PageDraft
  /** The edits as people read them, if the draft stores them differently. */
  edits?: readonly Edit[]
  /** The label of the input at a path. */
  nameOf: (path: string) => string
  /** A value as people read it. */
  textOf: (value: Json, path: string) => string
  /** The value that is stored now. */
  storedAt: (path: string) => Json
  onRestore: (edits: readonly Edit[]) => void
}) {
  const words = useWords('layout')
  const { labelled } = useWords('fields')
  // Edits that were saved before the tab crashed are no edits any more.
  const open = edits.filter(({ path, after }) => !same(written(after), written(storedAt(path))))
  const isSettled = open.length === 0
  useEffect(() => {
    if (isSettled) decide()
  }, [isSettled, decide])
  if (left === null || isSettled) return null
  const restore = () => {
    decide()
    onRestore(open)
  }
  return (
    <Alert severity="info" sx={{ mb: 2, width: '100%' }}>
      <AlertTitle component="h2">{words.draft(momentText(left.at, interfaceLocale()))}</AlertTitle>
      {words.draftHint}
      <Box component="dl" sx={{ m: 0, my: 1, maxHeight: 320, overflowY: 'auto', overflowWrap: 'anywhere' }}>
        {open.map(({ path, before, after }) => {
          const stored = storedAt(path)
          return (
            <Box key={path} sx={{ mb: 1 }}>
              <Box component="dt" sx={{ fontWeight: 600 }}>
                {nameOf(path)}
              </Box>
              <Box component="dd" sx={{ m: 0 }}>
                {labelled(words.stored, textOf(stored, path))} → {labelled(words.typed, textOf(after, path))}
                {!same(written(stored), written(before)) && (
                  <strong> {words.changedSince(textOf(before, path))}</strong>
                )}
              </Box>
            </Box>
          )
        })}
      </Box>
      <Button variant="contained" size="small" onClick={restore}>
        {words.restore}
      </Button>
      <Button size="small" onClick={decide} sx={{ ml: 1 }}>
        {words.discard}
      </Button>
    </Alert>
  )
}
