import { useEffect, useRef } from 'react'
import type { RaRecord } from 'react-admin'
import { useFormContext, useFormState } from 'react-hook-form'
import { type Fields, isFields, type Json, same } from '../core/changed.ts'
import { useUnsaved } from './unsaved.ts'

/**
 * Decides when a form begins anew from what is stored, which replaces all its values. Edits stay with the copy that they were
 * made on, whose entity tag then tells of what was changed since; what was typed while they were being saved stays as well,
 * on what the save made.
 */
export function KeptEdits({
  stored,
  begun,
  begin,
}: {
  stored: RaRecord | undefined
  /** What the form began from. */
  begun: RaRecord | undefined
  begin: (record: RaRecord | undefined) => void
}) {
  const { getValues, setValue, reset } = useFormContext()
  const { dirtyFields, isSubmitting, isSubmitSuccessful } = useFormState()
  const isDirty = Object.keys(dirtyFields).length > 0
  const sent = useRef<Fields | null>(null)
  useUnsaved(isDirty && !isSubmitSuccessful, reset, isSubmitting)

  useEffect(() => {
    if (isSubmitting) sent.current = structuredClone(getValues()) as Fields
    else if (!isSubmitSuccessful) sent.current = null
  }, [isSubmitting, isSubmitSuccessful, getValues])

  useEffect(() => {
    const isSaved = sent.current !== null
    if (stored?.id !== begun?.id || isSaved || !isDirty) begin(stored)
  }, [stored, begun, begin, isDirty])

  useEffect(() => {
    const typed = sent.current && begun ? differences(sent.current, getValues() as Fields) : []
    sent.current = null
    // Effects of a child run before those of the form, which puts its record in place of what was typed.
    queueMicrotask(() => {
      for (const [path, value] of typed) setValue(path, value, { shouldDirty: true, shouldTouch: true })
    })
  }, [begun, getValues, setValue])

  return null
}

/** Values that are others now, by the paths of their inputs; lists are taken whole. */
function differences(before: Fields, after: Fields, within = ''): readonly (readonly [string, Json])[] {
  return Object.entries(after).flatMap(([name, value = null]): readonly (readonly [string, Json])[] => {
    const was = before[name] ?? null
    if (same(was, value)) return []
    const path = `${within}${name}`
    return isFields(was) && isFields(value) ? differences(was, value, `${path}.`) : [[path, value]]
  })
}
