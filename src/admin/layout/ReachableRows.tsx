import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'
import {
  DatagridBody,
  type DatagridBodyProps,
  DatagridRow,
  type DatagridRowProps,
  useCreatePath,
  useRecordContext,
  useResourceContext,
} from 'react-admin'
import { Link } from 'react-router-dom'

/** The rows of a table, of which those that open something can also be reached and opened by the keyboard. */
export function ReachableRows(props: DatagridBodyProps) {
  return (
    <Opens value={Boolean(props.rowClick)}>
      <DatagridBody {...props} row={props.rowClick ? <ReachableRow /> : <DatagridRow />} />
    </Opens>
  )
}

const Opens = createContext(false)

/** The name of a row as a link to the page that the row opens; outside of such rows just the name. */
export function RowLink({ children }: { children: ReactNode; source?: string; sortable?: boolean }) {
  const path = useCreatePath()
  const record = useRecordContext()
  const resource = useResourceContext()
  if (!useContext(Opens) || !record) return children
  const to = path({ resource, type: 'edit', id: record.id })
  return (
    // The row itself takes the focus of the keyboard and a plain click.
    <Link className="row-link" to={to} tabIndex={-1} onClick={(event) => event.preventDefault()}>
      {children}
    </Link>
  )
}

function ReachableRow(props: DatagridRowProps) {
  return (
    <DatagridRow
      {...props}
      tabIndex={0}
      onClickCapture={(event) => (event.ctrlKey || event.metaKey || event.shiftKey) && openTab(event)}
      onAuxClick={(event) => event.button === 1 && openTab(event)}
      onKeyDown={({ key, target, currentTarget, ctrlKey, metaKey }) => {
        // Controls in the row have their own keys.
        if (key !== 'Enter' || target !== currentTarget) return
        currentTarget.dispatchEvent(new window.MouseEvent('click', { bubbles: true, ctrlKey, metaKey }))
      }}
    />
  )
}

/** Opens the page of a row in another tab, which gets the session of this one: a new tab of a link alone has none. */
function openTab(event: MouseEvent<HTMLElement>): void {
  const link = event.currentTarget.querySelector<HTMLAnchorElement>('.row-link')
  const control = (event.target as Element).closest('a, button, input')
  if (!link || (control !== null && control !== link)) return
  event.preventDefault()
  event.stopPropagation()
  window.open(link.href)
}
