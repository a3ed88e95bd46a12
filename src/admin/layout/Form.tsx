import type { ReactElement, ReactNode } from 'react'
import { useState } from 'react'
import { RecordContextProvider, SimpleForm, useRecordContext } from 'react-admin'
import { ErrorSummary } from './ErrorSummary.tsx'
import { KeptEdits } from './KeptEdits.tsx'

/** A form that asks before its edits are dropped, and that leads to what is wrong in it. */
export function Form({
  children,
  toolbar,
  defaultValues,
  nameOf,
}: {
  children: ReactNode
  toolbar?: ReactElement
  defaultValues?: object
  /** What people call the input at a path, if its label is not that of a property. */
  nameOf?: (path: string) => string
}) {
  const stored = useRecordContext()
  const [begun, begin] = useState(stored)
  return (
    <SimpleForm
      {...(begun && { record: begun })}
      {...(toolbar && { toolbar })}
      {...(defaultValues && { defaultValues })}
      sanitizeEmptyValues={false}
      disableInvalidFormNotification
      // The summary is where one is led to; the first wrong field would take the focus from it.
      shouldFocusError={false}
    >
      <KeptEdits stored={stored} begun={begun} begin={begin} nameOf={nameOf} />
      <ErrorSummary />
      {/* What is beside the inputs shows what is stored now, whatever they began with. */}
      <RecordContextProvider value={stored}>{children}</RecordContextProvider>
    </SimpleForm>
  )
}
