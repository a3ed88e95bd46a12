import { Box } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import {
  ArrayInput,
  Create,
  required,
  SimpleForm,
  SimpleFormIterator,
  TextArrayInput,
  TextInput,
  useNotify,
  useRedirect,
} from 'react-admin'
import type { Fields } from '../core/changed.ts'
import { currentShopper } from '../core/settings.ts'
import { Section } from '../layout/Section.tsx'
import { combinations, type Option } from './combinations.ts'
import { ProductInputs } from './form.tsx'

type Price = { amount?: string; currency?: string }
type Draft = Fields & { options?: Option[]; sku?: string; price?: Price }

export function ProductCreate() {
  const notify = useNotify()
  const redirect = useRedirect()
  const client = useQueryClient()
  const transform = ({ price, sku, options, ...product }: Draft) => {
    const made = combinations(options ?? [], sku)
    return { ...product, ...made, variants: made.variants.map((each) => ({ ...each, ...priced(price) })) }
  }
  const onSuccess = (made: { id: string }) => {
    notify('The product is there', { type: 'success' })
    client.removeQueries({ queryKey: ['products'] })
    redirect('edit', 'products', made.id)
  }
  return (
    <Create transform={transform} mutationOptions={{ onSuccess }} title="New product" component="div">
      <SimpleForm
        defaultValues={{ status: 'ACTIVE', channels: [currentShopper().channel], price: { currency: 'EUR' } }}
      >
        <ProductInputs statuses={['ACTIVE', 'DRAFT']}>
          <Section title="Price and stock keeping">
            <Box sx={{ display: 'flex', gap: 2 }}>
              <TextInput
                source="price.amount"
                label="Price"
                helperText="The same for all variants at first."
              />
              <TextInput source="price.currency" label="Currency" validate={required()} />
              <TextInput source="sku" label="SKU" helperText="Of a product without options." />
            </Box>
          </Section>
          <Section title="Options" open={false}>
            <ArrayInput source="options" label={false}>
              <SimpleFormIterator inline fullWidth disableClear>
                <TextInput
                  source="title"
                  label="Option, such as Size"
                  validate={required()}
                  sx={{ flex: 1 }}
                />
                <TextArrayInput source="values" label="Values; press Enter after each" sx={{ flex: 2 }} />
              </SimpleFormIterator>
            </ArrayInput>
          </Section>
        </ProductInputs>
      </SimpleForm>
    </Create>
  )
}

function priced({ amount, currency }: Price = {}) {
  return amount ? { saleOffers: [{ amount, currency }] } : {}
}
