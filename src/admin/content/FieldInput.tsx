import AddIcon from '@mui/icons-material/Add'
import ArrowUpwardIcon from '@mui/icons-material/ArrowUpward'
import RemoveIcon from '@mui/icons-material/Remove'
import { Box, Button, FormHelperText, IconButton } from '@mui/material'
import type { ReactNode } from 'react'
import { required, useInput, ValidationError } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { entriesOf, listText } from './list-text.ts'
import { type Rule, typeIn } from './types.ts'
import { type EditorProps, ValueEditor } from './ValueEditor.tsx'

/** The value of a field by its type: one input, or one for each entry of a list. Its rules are listed below. */
export function FieldInput({
  source,
  type,
  label,
  rules = [],
  isRequired = false,
  note,
}: {
  source: string
  /** The IRI of its type. */
  type: string
  label: string
  rules?: readonly Rule[]
  isRequired?: boolean
  note?: ReactNode
}) {
  const { base, isList } = typeIn(type)
  const { field, fieldState } = useInput({ source, ...(isRequired && { validate: required() }) })
  const rulesText = useRules(base, rules)
  const { error } = fieldState
  // The rules stay visible next to an error, which need not repeat them.
  const below = [
    error?.message && <ValidationError key="error" error={error.message} />,
    note,
    isList ? null : rulesText,
  ]
    .filter(Boolean)
    .map((each, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
      <Box component="span" key={at} sx={{ display: 'block' }}>
        {each}
      </Box>
    ))
  const props = {
    base,
    label,
    rules,
    value: String(field.value ?? ''),
    onChange: field.onChange,
    onBlur: field.onBlur,
    name: field.name,
    inputRef: field.ref,
    helperText: below,
    isWrong: error !== undefined,
    isRequired,
  }
  return (
    <Box sx={{ width: '100%', mb: 2 }}>
      {isList ? <ListEditor {...props} below={rulesText} /> : <ValueEditor {...props} />}
    </Box>
  )
}

function ListEditor({
  base,
  label,
  rules = [],
  value,
  onChange,
  isWrong,
  helperText,
  below,
  name,
}: EditorProps & { below: string }) {
  const words = useWords('content')
  const entries = entriesOf(value, base)
  const change = (next: readonly string[]) => onChange(listText(next, base))
  return (
    <Box
      role="group"
      aria-label={label}
      className={`ra-input-${name}`}
      sx={{ border: 1, borderColor: isWrong ? 'error.main' : 'divider', borderRadius: 2, p: 1.5 }}
    >
      <Box sx={{ fontWeight: 600, mb: 1 }}>{label}</Box>
      {entries.length === 0 && <Box sx={{ mb: 1 }}>{words.noEntries}</Box>}
      {entries.map((each, at) => (
        // Entries have no identity but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: two may read the same
        <Box key={at} sx={{ display: 'flex', gap: 0.5, alignItems: 'flex-start', mb: 1 }}>
          <ValueEditor
            base={base}
            label={words.entry(label, at + 1)}
            rules={rules}
            value={each}
            onChange={(text) => change(entries.with(at, text))}
          />
          <IconButton
            aria-label={words.moveUp(label, at + 1)}
            disabled={at === 0}
            onClick={() => change(entries.with(at - 1, each).with(at, entries[at - 1] ?? ''))}
          >
            <ArrowUpwardIcon fontSize="small" />
          </IconButton>
          <IconButton
            aria-label={words.removeEntry(label, at + 1)}
            onClick={() => change(entries.toSpliced(at, 1))}
          >
            <RemoveIcon fontSize="small" />
          </IconButton>
        </Box>
      ))}
      <Button
        size="small"
        startIcon={<AddIcon />}
        aria-label={words.addEntry(label)}
        onClick={() => change([...entries, base === 'json' ? 'null' : ''])}
      >
        {words.addEntry(label)}
      </Button>
      <FormHelperText error={isWrong ?? false} component="div">
        {helperText}
        {below}
      </FormHelperText>
    </Box>
  )
}

/** The rules of a field, in sentences. */
function useRules(base: string, rules: readonly Rule[]): string {
  const { rule } = useWords('content')
  const isText = base.endsWith('text_field')
  return rules
    .flatMap(({ name, value }) => {
      if (name === 'min') return [isText ? rule.textMin(value) : rule.min(value)]
      if (name === 'max') return [isText ? rule.textMax(value) : rule.max(value)]
      if (name === 'max_precision' || name === 'list.min' || name === 'list.max') return [rule[name](value)]
      if (name === 'allowed_domains') return [rule.allowed_domains(value)]
      return []
    })
    .join(' ')
}
