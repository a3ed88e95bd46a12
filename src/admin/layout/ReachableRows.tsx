import { DatagridBody, type DatagridBodyProps, DatagridRow, type DatagridRowProps } from 'react-admin'

/** The rows of a table, of which those that open something can also be reached and opened by the keyboard. */
export function ReachableRows(props: DatagridBodyProps) {
  return <DatagridBody {...props} row={props.rowClick ? <ReachableRow /> : <DatagridRow />} />
}

function ReachableRow(props: DatagridRowProps) {
  return (
    <DatagridRow
      {...props}
      tabIndex={0}
      onKeyDown={({ key, target, currentTarget }) => {
        // Controls in the row have their own keys.
        if (key === 'Enter' && target === currentTarget) currentTarget.click()
      }}
    />
  )
}
