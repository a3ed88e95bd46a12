import type { ReactElement, ReactNode } from 'react'
import { useEffect } from 'react'
import { SimpleForm, useWarnWhenUnsavedChanges } from 'react-admin'
import { type Control, useFormContext, useFormState } from 'react-hook-form'
import { markUnsaved } from '../core/unsaved.ts'
import { ErrorSummary } from './ErrorSummary.tsx'

/** A form that asks before its edits are dropped, and that leads to what is wrong in it. */
export function Form({
  children,
  toolbar,
  defaultValues,
}: {
  children: ReactNode
  toolbar?: ReactElement
  defaultValues?: object
}) {
  return (
    <SimpleForm
      {...(toolbar && { toolbar })}
      {...(defaultValues && { defaultValues })}
      sanitizeEmptyValues={false}
      warnWhenUnsavedChanges
      WarnWhenUnsavedChangesComponent={Guard}
      disableInvalidFormNotification
      // The summary is where one is led to; the first wrong field would take the focus from it.
      shouldFocusError={false}
    >
      <ErrorSummary />
      {children}
    </SimpleForm>
  )
}

/** Of leaving by the menu and closing the tab react-admin knows; language and shopper ask {@link markUnsaved}. */
function Guard({ formControl }: { formControl?: Control }) {
  useWarnWhenUnsavedChanges(true, undefined, formControl)
  const { reset } = useFormContext()
  const { dirtyFields, isSubmitSuccessful } = useFormState(formControl ? { control: formControl } : undefined)
  const isUnsaved = Object.keys(dirtyFields).length > 0 && !isSubmitSuccessful
  useEffect(() => (isUnsaved ? markUnsaved(() => reset()) : undefined), [isUnsaved, reset])
  return null
}
