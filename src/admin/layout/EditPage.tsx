import { type ReactNode, useRef } from 'react'
import { Edit, type EditProps, useEditContext, useNotify, useRedirect, useResourceContext } from 'react-admin'
import { useParams } from 'react-router-dom'
import { mayRetry } from '../core/http.ts'

/** A page that changes one document, beginning with the stored document. */
export function EditPage({ children, ...props }: EditProps) {
  const notify = useNotify()
  const redirect = useRedirect()
  const resource = useResourceContext()
  const { id } = useParams()
  // By default react-admin leaves the page, with its edits, whenever a read fails. FailedReads offers to read again.
  const onError = (error: Error) => {
    if (mayRetry(error)) return
    notify('ra.notification.item_doesnt_exist', { type: 'error' })
    redirect('list', resource)
  }
  return (
    // A link from document to document opens a new form.
    <Edit
      key={id}
      mutationMode="pessimistic"
      component="div"
      queryOptions={{ refetchOnMount: 'always', onError }}
      {...props}
    >
      <Read>{children}</Read>
    </Edit>
  )
}

/** Waits for the stored document: replacing a copy from a list later would discard the user's input. */
function Read({ children }: { children: ReactNode }) {
  const { isFetching } = useEditContext()
  const isRead = useRef(false)
  isRead.current ||= !isFetching
  return isRead.current ? children : null
}
