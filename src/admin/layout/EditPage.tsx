import { type ReactNode, useRef } from 'react'
import { Edit, type EditProps, useEditContext } from 'react-admin'

/** A page that changes one document, from what is stored when it opens. */
export function EditPage({ children, ...props }: EditProps) {
  return (
    <Edit mutationMode="pessimistic" component="div" queryOptions={{ refetchOnMount: 'always' }} {...props}>
      <Read>{children}</Read>
    </Edit>
  )
}

/** Waits for the stored document: a copy from a list would be replaced under the hands of whoever types into it. */
function Read({ children }: { children: ReactNode }) {
  const { isFetching } = useEditContext()
  const isRead = useRef(false)
  isRead.current ||= !isFetching
  return isRead.current ? children : null
}
