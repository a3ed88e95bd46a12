import { Autocomplete, TextField, type TextFieldProps } from '@mui/material'
import { useMemo } from 'react'
import { useLocaleState } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { countryName, everyCountry, isChannel, useMarkets } from './markets.ts'

/** Properties of the inputs for channels and countries; other properties of a text field belong to its place in a form. */
export type MarketInput = Pick<
  TextFieldProps,
  'label' | 'helperText' | 'error' | 'id' | 'name' | 'inputRef' | 'onBlur' | 'required'
> & {
  readonly value: readonly string[]
  readonly onChange: (chosen: string[]) => void
}

/** Chooses existing channels. A new channel needs a confirmation. */
export function ChannelsInput(input: MarketInput) {
  const words = useWords('prices')
  const { channels } = useMarkets()
  const all = [...new Set([...channels, ...input.value])]
  return (
    <Choices
      {...input}
      options={all}
      nameOf={(channel) => channel}
      found={(typed) => {
        const known = all.filter((each) => each.includes(typed))
        return isChannel(typed) && !all.includes(typed) ? [...known, typed] : known
      }}
      offered={(channel) => (all.includes(channel) ? channel : words.newChannel(channel))}
    />
  )
}

/** Countries: those in which there are prices first, all others after a question. */
export function CountriesInput(input: MarketInput) {
  const words = useWords('prices')
  const [language = 'en'] = useLocaleState()
  const { countries } = useMarkets()
  const known = new Set([...countries, ...input.value])
  const all = [...new Set([...known, ...everyCountry()])]
  const nameOf = (code: string) => countryName(code, language)
  return (
    <Choices
      {...input}
      options={all}
      nameOf={nameOf}
      found={(typed) => {
        const text = typed.toLowerCase()
        return text === '' ? [...known] : all.filter((each) => nameOf(each).toLowerCase().includes(text))
      }}
      offered={(country) => (known.has(country) ? nameOf(country) : words.newCountry(nameOf(country)))}
    />
  )
}

/** Chooses some of many entries, which typing filters. */
function Choices({
  value,
  onChange,
  options,
  nameOf,
  found,
  offered,
  id,
  ...field
}: MarketInput & {
  options: readonly string[]
  nameOf: (option: string) => string
  found: (typed: string) => string[]
  /** How an option is offered that is not chosen yet. */
  offered: (option: string) => string
}) {
  // The same list as long as it says the same: for another one the input drops what is being typed.
  const text = value.join(',')
  const chosen = useMemo(() => (text === '' ? [] : text.split(',')), [text])
  return (
    <Autocomplete
      multiple
      id={id}
      options={options}
      value={chosen}
      size="small"
      autoHighlight
      onChange={(_, next) => onChange(next)}
      getOptionLabel={nameOf}
      getOptionKey={(each) => each}
      filterOptions={(_, { inputValue }) => found(inputValue.trim())}
      renderOption={({ key, ...props }, each) => (
        <li key={key} {...props}>
          {offered(each)}
        </li>
      )}
      sx={{ minWidth: 200, flex: '1 1 200px' }}
      renderInput={(params) => <TextField {...params} {...field} />}
    />
  )
}
