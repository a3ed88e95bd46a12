import { Autocomplete, TextField } from '@mui/material'
import { useMemo } from 'react'
import { useLocaleState } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { countryName, everyCountry, isChannel, useMarkets } from './markets.ts'
import { priceWords } from './words.ts'

/** Channels, of those that there are; one that nothing uses yet is asked about before it is taken. */
export function ChannelsInput({
  label,
  helperText,
  value,
  onChange,
}: {
  label: string
  helperText?: string
  value: readonly string[]
  onChange: (channels: string[]) => void
}) {
  const words = useWords(priceWords)
  const { channels } = useMarkets()
  const all = [...new Set([...channels, ...value])]
  const chosen = useSame(value)
  return (
    <Autocomplete
      multiple
      options={all}
      value={chosen}
      size="small"
      autoHighlight
      onChange={(_, next) => onChange(next)}
      filterOptions={(options, { inputValue }) => {
        const typed = inputValue.trim()
        const found = options.filter((each) => each.includes(typed))
        return isChannel(typed) && !all.includes(typed) ? [...found, typed] : found
      }}
      getOptionKey={(each) => each}
      renderOption={({ key, ...props }, each) => (
        <li key={key} {...props}>
          {all.includes(each) ? each : words.newChannel(each)}
        </li>
      )}
      sx={{ minWidth: 200, flex: '1 1 200px' }}
      renderInput={(params) => <TextField {...params} label={label} helperText={helperText} />}
    />
  )
}

/** Countries: those in which there are prices first, all others after a question. */
export function CountriesInput({
  label,
  helperText,
  value,
  onChange,
}: {
  label: string
  helperText?: string
  value: readonly string[]
  onChange: (countries: string[]) => void
}) {
  const words = useWords(priceWords)
  const [language = 'en'] = useLocaleState()
  const { countries } = useMarkets()
  const known = new Set([...countries, ...value])
  const chosen = useSame(value)
  const all = [...new Set([...known, ...everyCountry()])]
  const nameOf = (code: string) => countryName(code, language)
  return (
    <Autocomplete
      multiple
      options={all}
      value={chosen}
      size="small"
      autoHighlight
      onChange={(_, next) => onChange(next)}
      getOptionLabel={nameOf}
      filterOptions={(options, { inputValue }) => {
        const typed = inputValue.trim().toLowerCase()
        return options.filter((each) =>
          typed === '' ? known.has(each) : nameOf(each).toLowerCase().includes(typed),
        )
      }}
      renderOption={({ key, ...props }, each) => (
        <li key={key} {...props}>
          {known.has(each) ? nameOf(each) : words.newCountry(nameOf(each))}
        </li>
      )}
      sx={{ minWidth: 200, flex: '1 1 200px' }}
      renderInput={(params) => <TextField {...params} label={label} helperText={helperText} />}
    />
  )
}

/** The same list as long as it says the same: for another one the input drops what is being typed. */
function useSame(words: readonly string[]): string[] {
  const text = words.join(',')
  return useMemo(() => (text === '' ? [] : text.split(',')), [text])
}
