import { useQuery } from '@tanstack/react-query'
import {
  AutocompleteInput,
  DateTimeInput,
  ReferenceInput,
  required,
  SelectInput,
  useSourceContext,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { call } from '../core/http.ts'
import { variantName } from '../fields/Title.tsx'

type Variant = { '@id': string; title: string | null; sku: string | null }

/** Chooses a product and then one of its variants; `product` helps to choose and is not sent. */
export function VariantInput() {
  useSourceContext()
  const product = useWatch({ name: 'product' }) as string | undefined
  const { data = [] } = useQuery({
    queryKey: ['variants', 'of', product],
    enabled: Boolean(product),
    queryFn: async () => (await call(`${product}/variants?itemsPerPage=100`)).json.member as Variant[],
  })
  return (
    <>
      <ReferenceInput source="product" reference="products">
        <AutocompleteInput
          optionText="title"
          filterToQuery={(q: string) => (q ? { q } : {})}
          validate={required()}
        />
      </ReferenceInput>
      <SelectInput
        source="variant"
        disabled={!product}
        choices={data.map((each) => ({ id: each['@id'], name: variantName(each) }))}
        validate={required()}
        fullWidth
      />
    </>
  )
}

/** A window of time: from when and until when, both open at will. */
export function WindowInputs() {
  return (
    <>
      <DateTimeInput source="validFrom" label="From" helperText="Left open: since ever." parse={instant} />
      <DateTimeInput source="validUntil" label="Until" helperText="Left open: for ever." parse={instant} />
    </>
  )
}

/** What a browser's input of date and time gives, as the service takes it. */
export const instant = (value: string) => (value ? new Date(value).toISOString() : null)

const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'JPY', 'SEK', 'DKK', 'NOK', 'PLN', 'CZK', 'CAD', 'AUD']

export function CurrencyInput({ source = 'currency' }: { source?: string }) {
  return (
    <AutocompleteInput
      source={source}
      label="Currency"
      choices={currencies.map((id) => ({ id, name: id }))}
      onCreate={(code) => ({ id: code?.toUpperCase() ?? '', name: code?.toUpperCase() ?? '' })}
      createLabel="Another: type its three letters"
      validate={required()}
    />
  )
}
