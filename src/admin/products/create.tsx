import { Box } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import {
  ArrayInput,
  Create,
  HttpError,
  type Middleware,
  required,
  SelectInput,
  SimpleFormIterator,
  TextInput,
  type UseCreateMutateParams,
  useNotify,
  useRedirect,
  useRegisterMutationMiddleware,
} from 'react-admin'
import { useFormContext, useWatch } from 'react-hook-form'
import type { Fields } from '../core/changed.ts'
import { useWords } from '../core/i18n.ts'
import { currentShopper } from '../core/settings.ts'
import { TextsInput } from '../fields/Chips.tsx'
import { DecimalInput } from '../fields/DecimalInput.tsx'
import { choices } from '../fields/Status.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { CurrencyInput } from '../offers/inputs.tsx'
import { combinations, type Option } from './combinations.ts'
import { ProductInputs } from './form.tsx'

type Price = { amount?: string; currency?: string }
type Draft = Fields & { options?: Option[]; sku?: string; price?: Price }

/** A new product with its options, variants and prices, made by one request: all of it or nothing. */
export function ProductCreate() {
  const words = useWords('products')
  const notify = useNotify()
  const redirect = useRedirect()
  const client = useQueryClient()
  const transform = ({ price, sku, options, ...product }: Draft) => {
    const made = combinations(options ?? [], sku)
    return { ...product, ...made, variants: made.variants.map((each) => ({ ...each, ...priced(price) })) }
  }
  const onSuccess = (made: { id: string }) => {
    notify(words.made, { type: 'success' })
    client.removeQueries({ queryKey: ['products'] })
    redirect('edit', 'products', made.id)
  }
  return (
    <Create transform={transform} mutationOptions={{ onSuccess }} title={words.newProduct} component="div">
      <Form
        defaultValues={{ status: 'DRAFT', channels: [currentShopper().channel], price: { currency: 'EUR' } }}
      >
        <PriceRefusals />
        <ProductInputs status={<StatusByPrice />}>
          <Section title={words.priceAndStock}>
            <Box
              sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(180px, 1fr))' }}
            >
              <DecimalInput source="price.amount" currency="price.currency" helperText={words.samePrice} />
              <CurrencyInput source="price.currency" />
              <TextInput source="sku" helperText={words.skuHint} />
            </Box>
          </Section>
          <Section title={words.options} open={false}>
            <ArrayInput source="options" label={false}>
              <SimpleFormIterator inline fullWidth disableClear>
                <TextInput source="title" validate={required()} sx={{ flex: 1 }} />
                <TextsInput source="values" sx={{ flex: 2 }} />
              </SimpleFormIterator>
            </ArrayInput>
          </Section>
        </ProductInputs>
      </Form>
    </Create>
  )
}

function priced({ amount, currency }: Price = {}) {
  return amount ? { saleOffers: [{ amount, currency }] } : {}
}

/** A draft until it has a price, unless the user chooses another status. */
function StatusByPrice() {
  const words = useWords('products')
  const { setValue } = useFormContext()
  const amount = useWatch({ name: 'price.amount' })
  const isPriced = typeof amount === 'string' && amount !== ''
  const isSaid = useRef(false)
  useEffect(() => {
    if (!isSaid.current) setValue('status', isPriced ? 'ACTIVE' : 'DRAFT')
  }, [isPriced, setValue])
  return (
    <SelectInput
      source="status"
      choices={choices('ACTIVE', 'DRAFT')}
      onChange={() => {
        isSaid.current = true
      }}
      validate={required()}
      helperText={isPriced ? undefined : words.draftWithoutPrice}
      fullWidth
    />
  )
}

/** The one price of the form is that of every variant: what is wrong with theirs is wrong there, and so with the key. */
function PriceRefusals() {
  useRegisterMutationMiddleware<typeof atTheirInputs>(atTheirInputs)
  return null
}

const atTheirInputs: Middleware<
  (resource: string, params: Partial<UseCreateMutateParams>) => Promise<unknown>
> = async (resource, params, next) => {
  try {
    return await next(resource, params)
  } catch (error) {
    if (error instanceof HttpError && error.body?.errors !== undefined) {
      const messages = Object.entries<unknown>(error.body.errors)
      error.body.errors = Object.fromEntries(messages.map(([path, message]) => [inputOf(path), message]))
    }
    throw error
  }
}

function inputOf(path: string): string {
  return path
    .replace(/^variants\.\d+\.saleOffers\.\d+\./, 'price.')
    .replace(/^variants\.\d+\.sku$/, 'sku')
    .replace(/^(options\.\d+\.values\.\d+)\.title$/, '$1')
}
