import EditIcon from '@mui/icons-material/Edit'
import { Box, Button } from '@mui/material'
import { Link, type RaRecord, RecordContextProvider, useCreatePath, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { Picture } from '../fields/Picture.tsx'
import { columnName, type GridColumn } from '../grid/columns.ts'
import { type GridRow, iriOf } from '../grid/properties.ts'
import { DataTable } from '../layout/DataTable.tsx'
import { Section } from '../layout/Section.tsx'
import { CellInput, skuColumn, useCells } from './cells.tsx'

/** The variants of a product; their SKUs and current prices are saved with the product. */
export function Variants() {
  const record = useRecordContext()
  return record ? <Table record={record} /> : null
}

function Table({ record }: { record: RaRecord }) {
  const words = useWords('products')
  const grid = useWords('grid')
  const path = useCreatePath()
  const { rows, columns, hiddenColumns, cellOf } = useCells(record)
  const more = Number(record.variantsTotal) - rows.length
  const cell = (column: GridColumn) => (row: GridRow) => (
    <CellInput row={row} column={column} cell={cellOf(row, column)} />
  )
  return (
    <Section title={words.variantsOf(record.variantsTotal)}>
      <DataTable
        rows={rows}
        keyOf={({ variant }) => iriOf(variant)}
        rowProps={() => ({ hover: true, sx: { '& > td': { verticalAlign: 'top' } } })}
        columns={[
          {
            sx: { width: 48 },
            content: ({ variant: { media } }) => (
              <RecordContextProvider
                value={{ ...record, ...(Array.isArray(media) && media.length > 0 && { media }) }}
              >
                <Picture size={32} />
              </RecordContextProvider>
            ),
          },
          { title: words.variant, content: ({ name }) => name, sx: { fontWeight: 600, minWidth: 80 } },
          { title: 'SKU', content: cell(skuColumn) },
          ...columns.map((column) => ({
            title: columnName(column),
            align: 'right' as const,
            content: cell(column),
          })),
          {
            align: 'right',
            content: ({ variant }) => (
              <Button
                component={Link}
                to={path({ resource: 'variants', type: 'edit', id: iriOf(variant) })}
                size="small"
                startIcon={<EditIcon />}
              >
                {words.edit}
              </Button>
            ),
          },
        ]}
      />
      <Button
        component={Link}
        to={{ pathname: '/variants/create', search: `?product=${encodeURIComponent(record.id)}` }}
        size="small"
        sx={{ mt: 1 }}
      >
        {words.addVariant}
      </Button>
      {hiddenColumns > 0 && (
        <Button
          component={Link}
          to={`/price_grid/${encodeURIComponent(String(record.id))}`}
          size="small"
          sx={{ mt: 1, ml: 1 }}
        >
          {grid.open}
        </Button>
      )}
      {more > 0 && <Box sx={{ p: 2, opacity: 0.7 }}>{words.andMore(more)}</Box>}
    </Section>
  )
}
