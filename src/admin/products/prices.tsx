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
import { Section } from '../layout/Section.tsx'
import { gridWords } from '../prices/grid-words.ts'
import { saleWords } from '../sale/words.ts'

/** Every price of a product's variants, also those of other channels and times. */
export function Prices() {
  const record = useRecordContext()
  const words = useWords(gridWords)
  const sale = useWords(saleWords)
  if (!record) return null
  const to = {
    pathname: '/sale_offers/create',
    search: `?source=${encodeURIComponent(JSON.stringify({ product: record.id }))}`,
  }
  return (
    <Section title="Prices">
      <ReferenceManyField
        reference="sale_offers"
        target="product"
        perPage={10}
        sort={{ field: 'createdAt', order: 'DESC' }}
        pagination={<Pagination rowsPerPageOptions={[10, 25, 50]} />}
      >
        <Datagrid bulkActionButtons={false} rowClick="edit" empty={<p>There is no price yet.</p>}>
          <ReferenceField source="variant" reference="variants" link={false} label="Variant" sortable={false}>
            <FunctionField render={variantName} />
          </ReferenceField>
          <Money source="amount" before="compareAtAmount" label="Price" />
          <FunctionField label="Channel" sortable={false} render={({ channel }) => channel ?? 'every'} />
          <Chips source="countries" all="every" label="Countries" sortable={false} />
          <FunctionField
            label="Pieces"
            sortable={false}
            render={({ minQuantity }) => (minQuantity > 1 ? `from ${minQuantity}` : 'any')}
          />
          <Status source="state" label="State" sortable={false} />
        </Datagrid>
      </ReferenceManyField>
      <Button component={Link} to={to} size="small" sx={{ mt: 1 }}>
        Add a price
      </Button>
      <Button
        component={Link}
        to={`/price_grid/${encodeURIComponent(String(record.id))}`}
        size="small"
        sx={{ mt: 1, ml: 1 }}
      >
        {words.open}
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
