import { useEffect, useRef } from 'react'
import { useWarnWhenUnsavedChanges } from 'react-admin'
import { type FieldValues, useForm } from 'react-hook-form'
import { markUnsaved } from '../core/unsaved.ts'

/** Asks before edits that are in no form are dropped: by the menu, by closing the tab, by another language or shopper. */
export function useUnsaved(isUnsaved: boolean, drop: () => void): void {
  const { control, setValue } = useForm<FieldValues>({ defaultValues: { isUnsaved: false } })
  const latest = useRef(drop)
  latest.current = drop
  useEffect(() => setValue('isUnsaved', isUnsaved, { shouldDirty: true }), [isUnsaved, setValue])
  useEffect(() => (isUnsaved ? markUnsaved(() => latest.current()) : undefined), [isUnsaved])
  useWarnWhenUnsavedChanges(true, undefined, control)
}
