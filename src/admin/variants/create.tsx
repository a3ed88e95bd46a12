import { Box } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import {
  AutocompleteInput,
  Create,
  type RaRecord,
  required,
  TextInput,
  useGetOne,
  useRedirect,
} from 'react-admin'
import { useSearchParams } from 'react-router-dom'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'

type Option = { '@id': string; title: string; values: { '@id': string; title: string }[] }

/** A new variant of the product that the address names: a value for each of its options, chosen or made here. */
export function VariantCreate() {
  const words = useWords('variants')
  const [search] = useSearchParams()
  // Not as `source`, whose values react-admin takes as edits, so that Save would be enabled.
  const product = search.get('product') ?? ''
  const { data } = useGetOne('products', { id: product }, { enabled: product !== '' })
  // Of very many values a product shows none; its options always show theirs.
  const { data: options } = useQuery({
    queryKey: ['options', product],
    queryFn: async () => (await call(`${product}/product_options`)).json.member as Option[],
    enabled: product !== '',
  })
  const redirect = useRedirect()
  const onSuccess = () => redirect('edit', 'products', product)
  if (!data || !options) return null
  const transform = ({ chosen = [], ...variant }: RaRecord) => ({ ...variant, product, optionValues: chosen })
  return (
    <Create
      transform={transform}
      mutationOptions={{ onSuccess }}
      title={words.newVariantOf(data.title)}
      component="div"
    >
      <Form>
        <Section title={words.newVariantOf(data.title)}>
          {options.map((option, index) => (
            <AutocompleteInput
              key={option['@id']}
              source={`chosen.${index}`}
              label={option.title}
              choices={option.values.map((each) => ({ id: each['@id'], name: each.title }))}
              onCreate={(title) => newValue(option, title)}
              validate={required()}
              helperText={words.valueHint}
            />
          ))}
          <Box sx={{ display: 'flex', gap: 2 }}>
            <TextInput source="sku" />
            <TextInput source="barcode" />
          </Box>
        </Section>
      </Form>
    </Create>
  )
}

async function newValue(option: Option, title = '') {
  const body = JSON.stringify({ option: option['@id'], title })
  const { json } = await call('/api/option_values', { method: 'POST', body })
  return { id: String(json['@id']), name: title }
}
