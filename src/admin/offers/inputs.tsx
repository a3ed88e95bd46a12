import { useQuery } from '@tanstack/react-query'
import {
  AutocompleteInput,
  ReferenceInput,
  required,
  SelectInput,
  useGetList,
  useSourceContext,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { zoneText } from '../core/zone.ts'
import { MomentInput } from '../fields/MomentInput.tsx'
import { variantName } from '../fields/Title.tsx'
import { NoneYet } from '../layout/NoneYet.tsx'

type Variant = { '@id': string; title: string | null; sku: string | null }

/** Chooses a product and then one of its variants; `product` helps to choose and is not sent. */
export function VariantInput() {
  useSourceContext()
  const product = useWatch({ name: 'product' }) as string | undefined
  const { total } = useGetList('products', { pagination: { page: 1, perPage: 1 } })
  const { data = [] } = useQuery({
    queryKey: ['variants', 'of', product],
    enabled: Boolean(product),
    queryFn: async () => (await call(`${product}/variants?itemsPerPage=100`)).json.member as Variant[],
  })
  return (
    <>
      {total === 0 && <NoneYet resource="products" />}
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

/** A period with a start and an end, which are both optional. */
export function WindowInputs() {
  const words = useWords('offers')
  const zone = zoneText()
  return (
    <>
      <MomentInput source="validFrom" helperText={words.sinceEver(zone)} />
      <MomentInput source="validUntil" helperText={words.forEver(zone)} />
    </>
  )
}

const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'JPY', 'SEK', 'DKK', 'NOK', 'PLN', 'CZK', 'CAD', 'AUD']

export function CurrencyInput({ source = 'currency' }: { source?: string }) {
  const words = useWords('offers')
  return (
    <AutocompleteInput
      source={source}
      choices={currencies.map((id) => ({ id, name: id }))}
      onCreate={(code) => ({ id: code?.toUpperCase() ?? '', name: code?.toUpperCase() ?? '' })}
      createLabel={words.otherCurrency}
      validate={required()}
    />
  )
}
