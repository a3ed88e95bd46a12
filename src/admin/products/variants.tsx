import EditIcon from '@mui/icons-material/Edit'
import { Box, Button, Table, TableBody, TableCell, TableHead, TableRow } from '@mui/material'
import { Link, RecordContextProvider, useCreatePath, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { money } from '../fields/Money.tsx'
import { Picture } from '../fields/Picture.tsx'
import { variantName } from '../fields/Title.tsx'
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
  const source = encodeURIComponent(JSON.stringify({ product: record.id }))
  const more = Number(record.variantsTotal) - variants.length
  return (
    <Section title={words.variantsOf(record.variantsTotal)}>
      <Box sx={{ overflowX: 'auto' }}>
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell />
              <TableCell>{words.variant}</TableCell>
              <TableCell>SKU</TableCell>
              <TableCell align="right">{words.price}</TableCell>
              <TableCell />
            </TableRow>
          </TableHead>
          <TableBody>
            {variants.map((each) => (
              <TableRow key={each['@id']} hover>
                <TableCell sx={{ width: 48 }}>
                  <RecordContextProvider
                    value={{ ...record, ...(each.media.length > 0 && { media: each.media }) }}
                  >
                    <Picture size={32} />
                  </RecordContextProvider>
                </TableCell>
                <TableCell sx={{ fontWeight: 600, minWidth: 80 }}>{variantName(each)}</TableCell>
                <TableCell sx={{ whiteSpace: 'nowrap' }}>{each.sku}</TableCell>
                <TableCell align="right">
                  {each.resolvedPrice ? money(each.resolvedPrice.amount, each.resolvedPrice.currency) : '–'}
                </TableCell>
                <TableCell align="right">
                  <Button
                    component={Link}
                    to={path({ resource: 'variants', type: 'edit', id: each['@id'] })}
                    size="small"
                    startIcon={<EditIcon />}
                  >
                    {words.edit}
                  </Button>
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
        <Button
          component={Link}
          to={{ pathname: '/variants/create', search: `?source=${source}` }}
          size="small"
          sx={{ mt: 1 }}
        >
          {words.addVariant}
        </Button>
        {more > 0 && <Box sx={{ p: 2, opacity: 0.7 }}>{words.andMore(more)}</Box>}
      </Box>
    </Section>
  )
}
