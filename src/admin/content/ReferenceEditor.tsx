import { Autocomplete, TextField } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../core/http.ts'
import { everyPage } from '../core/pages.ts'
import { useCategoryChoices } from '../fields/CategoryInput.tsx'
import { variantName } from '../fields/Title.tsx'
import type { EditorProps } from './ValueEditor.tsx'

type Choice = { readonly id: string; readonly name: string }

/** Chooses what a value refers to, by its name. */
export function ReferenceEditor({
  base,
  definition,
  ...props
}: EditorProps & { readonly definition?: string | undefined }) {
  switch (base) {
    case 'category_reference':
      return <Category {...props} />
    case 'collection_reference':
      return <Listed {...props} path="/api/collections" />
    case 'metaobject_reference':
      return (
        <Listed
          {...props}
          path={
            definition ? `/api/metaobjects?definition=${encodeURIComponent(definition)}` : '/api/metaobjects'
          }
        />
      )
    default:
      return <Searched {...props} isVariant={base === 'variant_reference'} />
  }
}

type Props = Omit<EditorProps, 'base'>

function Category(props: Props) {
  return <Picker {...props} choices={useCategoryChoices()} />
}

type Named = {
  readonly '@id': string
  readonly title?: string | null
  readonly displayName?: string | null
  readonly handle?: string
  readonly sku?: string | null
}

const nameOf = ({ '@id': iri, displayName, title, sku, handle }: Named) =>
  displayName ?? title ?? sku ?? handle ?? iri

/** Of what cannot be searched, so many are offered. */
const most = 1000

function Listed({ path, ...props }: Props & { path: string }) {
  const { data = [] } = useQuery({
    queryKey: ['choices', path],
    queryFn: async () => {
      const found: Named[] = []
      const first = `${path}${path.includes('?') ? '&' : '?'}itemsPerPage=100`
      for await (const { members } of everyPage<Named>(first)) {
        found.push(...members)
        if (found.length >= most) break
      }
      return found
    },
  })
  return <Picker {...props} choices={data.map((each) => ({ id: each['@id'], name: nameOf(each) }))} />
}

type Product = Named & { readonly variants: readonly Named[] }

/** Products are searched as one types; a variant is one of a product that was found. */
function Searched({ isVariant, ...props }: Props & { isVariant: boolean }) {
  const [text, setText] = useState('')
  const { data = [] } = useQuery({
    queryKey: ['choices', 'products', text],
    queryFn: async () => {
      const wanted = ['title', 'variants'].map((name) => `&properties[]=${name}`).join('')
      const q = text === '' ? '' : `&q=${encodeURIComponent(text)}`
      return (await call(`/api/products?itemsPerPage=20${wanted}${q}`)).json.member as Product[]
    },
  })
  const choices = data.flatMap((product) =>
    isVariant
      ? product.variants.map((each) => ({
          id: each['@id'],
          name: `${nameOf(product)} › ${variantName(each)}`,
        }))
      : [{ id: product['@id'], name: nameOf(product) }],
  )
  return <Picker {...props} choices={choices} onSearch={setText} />
}

function Picker({
  value,
  onChange,
  onBlur,
  choices,
  onSearch,
  label,
  helperText,
  isWrong = false,
  inputRef,
  isRequired = false,
}: Props & { choices: readonly Choice[]; onSearch?: (text: string) => void }) {
  const [known, setKnown] = useState<Choice | null>(null)
  const offered = choices.find(({ id }) => id === value) ?? (known?.id === value ? known : undefined)
  const { data: read } = useQuery({
    queryKey: ['choices', 'one', value],
    enabled: value !== '' && offered === undefined,
    queryFn: async () => (await call<Named>(value)).json,
  })
  const chosen =
    value === '' ? null : (offered ?? { id: value, name: read ? nameOf({ ...read, '@id': value }) : value })
  return (
    <Autocomplete
      options={chosen && !choices.some(({ id }) => id === chosen.id) ? [chosen, ...choices] : [...choices]}
      {...(onSearch && { filterOptions: (found: Choice[]) => found })}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(one, other) => one.id === other.id}
      value={chosen}
      onInputChange={(_, text, reason) => reason === 'input' && onSearch?.(text)}
      onChange={(_, choice) => {
        setKnown(choice)
        onChange(choice?.id ?? '')
      }}
      onBlur={onBlur}
      renderInput={(props) => (
        <TextField
          {...props}
          label={label}
          required={isRequired}
          error={isWrong}
          helperText={helperText}
          inputRef={inputRef}
        />
      )}
      fullWidth
    />
  )
}
