import { Box, Button, Chip } from '@mui/material'
import { lazy, Suspense } from 'react'
import {
  CreateButton,
  Datagrid,
  FilterButton,
  FunctionField,
  Link,
  List,
  SearchInput,
  SelectInput,
  TextInput,
  TopToolbar,
  useListContext,
} from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { Chips } from '../fields/Chips.tsx'
import { GroupFilter, KnownTextFilter } from '../fields/filters.tsx'
import { PriceRange } from '../fields/Money.tsx'
import { Picture } from '../fields/Picture.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { Title } from '../fields/Title.tsx'
import { When } from '../fields/When.tsx'
import { gridAddress } from '../grid/address.ts'
import { useDialogDraft } from '../layout/draft.ts'
import { ExportButton } from './ExportButton.tsx'
import { NamedChoices } from './NamedChoices.tsx'
import { useObstacles, useObstacleText } from './obstacles.ts'

const BulkActions = lazy(async () => ({ default: (await import('../bulk/BulkActions.tsx')).BulkActions }))

const filters = (search: string) => [
  <SearchInput key="q" source="q" alwaysOn placeholder={search} />,
  <SelectInput key="status" source="status" alwaysOn choices={choices('ACTIVE', 'DRAFT', 'ARCHIVED')} />,
  ...(['category', 'collection'] as const).map((name) => <GroupFilter key={name} source={name} />),
  ...(['vendor', 'productType', 'tag', 'channel'] as const).map((name) => (
    <KnownTextFilter key={name} source={name} />
  )),
  <TextInput key="sku" source="sku" />,
]

export function ProductList() {
  const words = useWords('products')
  return (
    <List
      filters={filters(words.search)}
      sort={{ field: 'createdAt', order: 'DESC' }}
      perPage={25}
      actions={
        <TopToolbar>
          <FilterButton />
          <CreateButton label={words.newProduct} />
          <ExportButton />
          <GridLink />
        </TopToolbar>
      }
    >
      <Rows />
    </List>
  )
}

/** Opens the grid of the products that the list finds, or of the selected ones. */
function GridLink() {
  const { openGrid } = useWords('grid')
  const { filterValues, selectedIds = [] } = useListContext()
  const ids = selectedIds.map((iri) => String(iri).slice(String(iri).lastIndexOf('/') + 1))
  return (
    <Button component={Link} size="small" to={gridAddress(ids.length > 0 ? { 'id[]': ids } : filterValues)}>
      {openGrid}
    </Button>
  )
}

const chipStyle = {
  '& .MuiChip-root': { maxWidth: 220, height: 'auto', minHeight: 24 },
  '& .MuiChip-colorError': { minWidth: 140 },
  '& .MuiChip-label': { whiteSpace: 'normal' },
}

/** The rows, and the dialog that changes many of them. The dialog outlives the selection, which a refresh may empty. */
function Rows() {
  const words = useWords('products')
  const dialog = useDialogDraft('bulk')
  const { data = [] } = useListContext()
  const obstaclesOf = useObstacles(data)
  const textOf = useObstacleText()
  const change = (
    <>
      <Button size="small" disabled={dialog.left !== null} onClick={dialog.open}>
        {words.change}
      </Button>
      <GridLink />
    </>
  )
  return (
    <>
      {(dialog.isOpen || dialog.left !== null) && (
        <Suspense fallback={null}>
          <BulkActions dialog={dialog} />
        </Suspense>
      )}
      <NamedChoices>
        <Datagrid rowClick="edit" bulkActionButtons={change}>
          <Picture label="" />
          <Title source="title" label={words.product} />
          <FunctionField
            source="status"
            sortable={false}
            render={(row) => (
              <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5, ...chipStyle }}>
                <Status />
                {obstaclesOf(row)
                  .map((obstacle) => textOf(obstacle, row.variantsTotal))
                  .map((text) => (
                    <Chip key={text} label={text} size="small" color="error" variant="outlined" />
                  ))}
              </Box>
            )}
          />
          <PriceRange label={words.price} />
          <FunctionField
            label={words.variants}
            sortable={false}
            render={({ variantsTotal }) => variantsTotal}
          />
          <FunctionField source="vendor" sortable={false} render={({ vendor }) => vendor} />
          <Chips source="categories" sortable={false} />
          <When source="updatedAt" />
        </Datagrid>
      </NamedChoices>
    </>
  )
}
