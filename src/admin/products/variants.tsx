import EditIcon from '@mui/icons-material/Edit'
import { Box, Button } from '@mui/material'
import { Link, RecordContextProvider, useCreatePath, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { money } from '../fields/Money.tsx'
import { Picture } from '../fields/Picture.tsx'
import { variantName } from '../fields/Title.tsx'
import { DataTable } from '../layout/DataTable.tsx'
import { Section } from '../layout/Section.tsx'

type Variant = {
  '@id': string
  title: string | null
  sku: string | null
  barcode: string | null
  media: object[]
  resolvedPrice?: { amount: string; currency: string } | null
}

/** The variants of a product with their prices for the chosen shopper. */
export function Variants() {
  const words = useWords('products')
  const record = useRecordContext()
  const path = useCreatePath()
  const variants = (record?.variants ?? []) as Variant[]
  if (!record) return null
  const more = Number(record.variantsTotal) - variants.length
  return (
    <Section title={words.variantsOf(record.variantsTotal)}>
      <DataTable
        rows={variants}
        keyOf={(each) => each['@id']}
        rowProps={() => ({ hover: true })}
        columns={[
          {
            sx: { width: 48 },
            content: ({ media }) => (
              <RecordContextProvider value={{ ...record, ...(media.length > 0 && { media }) }}>
                <Picture size={32} />
              </RecordContextProvider>
            ),
          },
          { title: words.variant, content: variantName, sx: { fontWeight: 600, minWidth: 80 } },
          { title: 'SKU', content: ({ sku }) => sku, sx: { whiteSpace: 'nowrap' } },
          {
            title: words.price,
            align: 'right',
            content: ({ resolvedPrice: price }) => (price ? money(price.amount, price.currency) : '–'),
          },
          {
            align: 'right',
            content: (each) => (
              <Button
                component={Link}
                to={path({ resource: 'variants', type: 'edit', id: each['@id'] })}
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
      {more > 0 && <Box sx={{ p: 2, opacity: 0.7 }}>{words.andMore(more)}</Box>}
    </Section>
  )
}
