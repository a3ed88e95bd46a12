import {
  Box,
  Table,
  TableBody,
  TableCell,
  type TableCellProps,
  TableHead,
  TableRow,
  type TableRowProps,
} from '@mui/material'
import type { ReactNode } from 'react'

/** A column: its heading, and the content of a cell. Other properties are those of its cells. */
export type Column<Row> = Omit<TableCellProps, 'content' | 'title'> & {
  readonly title?: ReactNode
  readonly content: (row: Row) => ReactNode
}

/** A table that scrolls sideways within its own box. */
export function DataTable<Row>({
  label,
  rows,
  keyOf,
  columns,
  rowProps,
}: {
  label?: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
  rowProps?: (row: Row) => TableRowProps
}) {
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Table size="small" aria-label={label}>
        <TableHead>
          <TableRow>
            {columns.map(({ title, align, padding }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
              <TableCell key={at} align={align} padding={padding}>
                {title}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <TableRow key={keyOf(row)} {...rowProps?.(row)}>
              {columns.map(({ title: _, content, ...cell }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                <TableCell key={at} {...cell}>
                  {content(row)}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}
