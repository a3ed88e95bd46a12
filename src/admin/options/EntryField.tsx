import { TextField } from '@mui/material'
import { useWords } from '../core/i18n.ts'
import { useLanguageNames } from '../languages/names.ts'
import { type Entry, mistakeOf } from './plan.ts'

/** The name of an option or a value, with the stored name and the error of the input. */
export function EntryField({
  entry,
  others,
  label,
  before,
  fallback,
  isReturned,
  onChange,
}: {
  entry: Entry
  others: readonly Entry[]
  label: string
  /** The stored name; absent for a new entry. */
  before: Entry | undefined
  /** The language that its name is shown in, where the chosen one lacks it. */
  fallback: string | undefined
  /** It was removed and put back: it takes the focus of the button that put it back. */
  isReturned: boolean
  onChange: (title: string) => void
}) {
  const words = useWords('options')
  const languageName = useLanguageNames()
  const mistake = mistakeOf(entry, others)
  const isChanged = before !== undefined && before.title !== entry.title
  const hint = isChanged
    ? words.was(before.title)
    : fallback === undefined
      ? ''
      : words.fallback(languageName(fallback))
  return (
    <TextField
      label={label}
      value={entry.title}
      onChange={({ target }) => onChange(target.value)}
      error={mistake !== null}
      helperText={mistake === null ? hint : words[mistake]}
      size="small"
      margin="none"
      autoFocus={isReturned}
      fullWidth
      slotProps={{ htmlInput: { maxLength: 255, autoComplete: 'off' } }}
    />
  )
}
