import { Autocomplete, TextField } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { required, useInput, useTranslateLabel, ValidationError } from 'react-admin'
import { useDebounced } from '../core/debounced.ts'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'

const properties = { tag: 'tags', vendor: 'vendor', productType: 'productType', channel: 'channels' } as const

/** A text that products have: those in use are offered as one types, another can be written. */
export function KnownTextInput({
  source,
  label,
  of,
  isFilter = false,
}: {
  source: string
  label?: string
  of: keyof typeof properties
  /** A filter may be empty. */
  isFilter?: boolean
}) {
  const words = useWords('rules')
  const { field, fieldState } = useInput({ source, ...(!isFilter && { validate: required() }) })
  const labelOf = useTranslateLabel()
  const text = String(field.value ?? '')
  const search = useDebounced(text)
  const [isUsed, setUsed] = useState(false)
  const property = properties[of]
  const { data = [] } = useQuery({
    queryKey: ['products', 'known', property, search],
    // Most pages with this input are opened for something else.
    enabled: isUsed,
    queryFn: async ({ signal }) => {
      // The search finds vendors, types and tags by their beginning; the channels are those of the latest products.
      const q = search === '' || of === 'channel' ? '' : `&q=${encodeURIComponent(search)}`
      const { json } = await call(`/api/products?itemsPerPage=100&properties[]=${property}${q}`, { signal })
      const values = (json.member as Record<string, string | readonly string[] | null>[]).flatMap(
        (each) => each[property] ?? [],
      )
      return [...new Set(values)].toSorted((a, b) => a.localeCompare(b))
    },
    placeholderData: (before) => before,
  })
  const { error } = fieldState
  return (
    <Autocomplete
      freeSolo
      options={data}
      inputValue={text}
      onInputChange={(_, next, reason) => reason !== 'reset' && field.onChange(next)}
      onChange={(_, next) => field.onChange(next ?? '')}
      onFocus={() => setUsed(true)}
      onBlur={field.onBlur}
      value={null}
      sx={{ flex: 1, minWidth: 180 }}
      renderInput={(props) => (
        <TextField
          {...props}
          name={field.name}
          inputRef={field.ref}
          label={label ?? labelOf({ source })}
          required={!isFilter}
          error={error !== undefined}
          helperText={
            error?.message ? <ValidationError error={error.message} /> : !isFilter && words.typeAnother
          }
        />
      )}
    />
  )
}
