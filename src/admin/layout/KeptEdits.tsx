import { lazy, Suspense, useCallback, useEffect, useRef } from 'react'
import { type RaRecord, useTranslateLabel } from 'react-admin'
import { useFormContext, useFormState } from 'react-hook-form'
import type { Fields } from '../core/changed.ts'
import { type Edit, editsBetween, valueAt } from '../core/drafts.ts'
import { useReadable } from '../fields/readable.ts'
import { useDraft } from './draft.ts'
import { useUnsaved } from './unsaved.ts'

const DraftOffer = lazy(async () => ({ default: (await import('./DraftOffer.tsx')).DraftOffer }))

/**
 * Decides when a form begins again with the stored document, which replaces all its values. Edits stay with the copy on which they
 * were made, whose entity tag detects concurrent changes. Input during a save stays as well,
 * on the saved document. Edits are also stored as a draft, which is offered when the page is loaded again.
 */
export function KeptEdits({
  stored,
  begun,
  begin,
  nameOf,
}: {
  stored: RaRecord | undefined
  /** The document with which the form began. */
  begun: RaRecord | undefined
  begin: (record: RaRecord | undefined) => void
  /** The label of the input at a path, if the form has none for it. */
  nameOf?: ((path: string) => string) | undefined
}) {
  const { getValues, setValue, reset, subscribe } = useFormContext()
  const { dirtyFields, isSubmitting, isSubmitSuccessful, defaultValues } = useFormState()
  const isDirty = Object.keys(dirtyFields).length > 0
  const isUnsaved = isDirty && !isSubmitSuccessful
  const sent = useRef<Fields | null>(null)
  const draft = useDraft()
  const { left, keep } = draft
  const label = useTranslateLabel()
  const textOf = useReadable()
  const read = (defaultValues ?? {}) as Fields
  const type = useCallback(
    (edits: readonly Edit[]) => {
      for (const { path, after } of edits) setValue(path, after, { shouldDirty: true, shouldTouch: true })
    },
    [setValue],
  )
  const drop = () => {
    reset()
    keep([])
  }
  useUnsaved(isUnsaved, drop, isSubmitting)

  useEffect(() => {
    if (!isUnsaved) return keep([])
    const write = () => keep(editsBetween(read, getValues() as Fields))
    write()
    return subscribe({ formState: { values: true }, callback: write })
  }, [isUnsaved, read, keep, getValues, subscribe])

  useEffect(() => {
    if (isSubmitting) sent.current = structuredClone(getValues()) as Fields
    else if (!isSubmitSuccessful) sent.current = null
  }, [isSubmitting, isSubmitSuccessful, getValues])

  useEffect(() => {
    const isSaved = sent.current !== null
    if (stored?.id !== begun?.id || isSaved || !isDirty) begin(stored)
  }, [stored, begun, begin, isDirty])

  useEffect(() => {
    const typed = sent.current && begun ? editsBetween(sent.current, getValues() as Fields) : []
    sent.current = null
    // Effects of a child run before those of the form, which replaces the input with its record.
    queueMicrotask(() => type(typed))
  }, [begun, getValues, type])

  if (left === null) return null
  return (
    <Suspense>
      <DraftOffer
        draft={draft}
        nameOf={nameOf ?? ((path) => String(label({ source: path })))}
        textOf={textOf}
        storedAt={(path) => valueAt(read, path)}
        onRestore={type}
      />
    </Suspense>
  )
}
