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
  /** The label of the input at a path, if it is not that of a property. */
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
      // The link leads to the summary. Otherwise the first invalid field would take the focus.
      shouldFocusError={false}
    >
      <KeptEdits stored={stored} begun={begun} begin={begin} nameOf={nameOf} />
      <ErrorSummary />
      {/* Fields next to the inputs show the stored values, also after edits. */}
      <RecordContextProvider value={stored}>{children}</RecordContextProvider>
    </SimpleForm>
  )
}
