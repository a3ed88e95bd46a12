import { useInput, useTranslateLabel, ValidationError } from 'react-admin'
import { ChannelsInput, CountriesInput, type MarketInput } from './MarketInputs.tsx'

type Place = { readonly source: string; readonly helperText?: string }

/** The channels of a form's document. */
export function ChannelsField(place: Place) {
  const { value, onChange, ...field } = useMarketField(place)
  return <ChannelsInput {...field} value={textsIn(value)} onChange={onChange} />
}

/** The channel of a form's document, or null: every one. */
export function ChannelField(place: Place) {
  const { value, onChange, ...field } = useMarketField(place)
  return (
    <ChannelsInput
      {...field}
      value={typeof value === 'string' && value !== '' ? [value] : []}
      onChange={(chosen) => onChange(chosen.at(-1) ?? null)}
    />
  )
}

/** The countries of a form's document. */
export function CountriesField(place: Place) {
  const { value, onChange, ...field } = useMarketField(place)
  return <CountriesInput {...field} value={textsIn(value)} onChange={onChange} />
}

/** The input of a list shows the errors of its entries. */
function useMarketField({ source, helperText }: Place) {
  const { field, fieldState, id } = useInput({ source })
  const label = useTranslateLabel()
  const { error } = fieldState
  const mistake =
    messageIn(error) ??
    Object.values(error ?? {})
      .map(messageIn)
      .find(Boolean)
  const shown: Omit<MarketInput, 'value' | 'onChange'> = {
    id,
    name: field.name,
    inputRef: field.ref,
    onBlur: field.onBlur,
    label: label({ source }),
    error: error !== undefined,
    helperText: mistake === undefined ? helperText : <ValidationError error={mistake} />,
  }
  const value: unknown = field.value
  const onChange: (value: readonly string[] | string | null) => void = field.onChange
  return { ...shown, value, onChange }
}

function messageIn(error: unknown): string | undefined {
  return typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string'
    ? error.message
    : undefined
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
