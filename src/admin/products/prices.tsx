import { Button } from '@mui/material'
import {
  Datagrid,
  FunctionField,
  Link,
  Pagination,
  ReferenceField,
  ReferenceManyField,
  useRecordContext,
} from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { Chips } from '../fields/Chips.tsx'
import { Money } from '../fields/Money.tsx'
import { Status } from '../fields/Status.tsx'
import { variantName } from '../fields/Title.tsx'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Section } from '../layout/Section.tsx'

/** Every price of a product's variants, also those of other channels and times. */
export function Prices() {
  const words = useWords('products')
  const record = useRecordContext()
  const grid = useWords('grid')
  const sale = useWords('sale')
  if (!record) return null
  const to = {
    pathname: '/sale_offers/create',
    search: `?source=${encodeURIComponent(JSON.stringify({ product: record.id }))}`,
  }
  return (
    <Section title={words.prices}>
      <ReferenceManyField
        reference="sale_offers"
        target="product"
        perPage={10}
        sort={{ field: 'createdAt', order: 'DESC' }}
        pagination={<Pagination rowsPerPageOptions={[10, 25, 50]} />}
      >
        <Datagrid bulkActionButtons={false} rowClick="edit" empty={<p>{words.noPriceYet}</p>}>
          <RowLink source="variant" sortable={false}>
            <ReferenceField source="variant" reference="variants" link={false}>
              <FunctionField render={variantName} />
            </ReferenceField>
          </RowLink>
          <Money source="amount" before="compareAtAmount" label={words.price} />
          <FunctionField source="channel" sortable={false} render={({ channel }) => channel ?? words.every} />
          <Chips source="countries" all={words.every} sortable={false} />
          <FunctionField
            label={words.pieces}
            sortable={false}
            render={({ minQuantity }) => (minQuantity > 1 ? words.piecesFrom(minQuantity) : words.anyPieces)}
          />
          <Status source="state" sortable={false} />
        </Datagrid>
      </ReferenceManyField>
      <Button component={Link} to={to} size="small" sx={{ mt: 1 }}>
        {words.addPrice}
      </Button>
      <Button
        component={Link}
        to={`/price_grid/${encodeURIComponent(String(record.id))}`}
        size="small"
        sx={{ mt: 1, ml: 1 }}
      >
        {grid.open}
      </Button>
      <Button
        component={Link}
        to={{ pathname: '/sale', search: `?product=${encodeURIComponent(String(record.id))}` }}
        size="small"
        sx={{ mt: 1, ml: 1 }}
      >
        {sale.open}
      </Button>
    </Section>
  )
}
