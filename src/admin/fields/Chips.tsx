import { Box, Chip } from '@mui/material'
import { TextArrayInput, type TextArrayInputProps, useRecordContext } from 'react-admin'
import { splitTexts } from './split-texts.ts'

/** Texts, or titles of documents, each as a chip; `all` is the text of an empty list. */
export function Chips({
  source,
  all = '',
}: {
  source: string
  all?: string
  label?: string
  sortable?: boolean
}) {
  const values = (useRecordContext()?.[source] ?? []) as (string | { title: string })[]
  if (values.length === 0) return <Box sx={{ opacity: 0.75 }}>{all}</Box>
  const names = values.map((each) => (typeof each === 'string' ? each : each.title))
  const shown = names.slice(0, 4)
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
      {shown.map((name) => (
        <Chip key={name} size="small" variant="outlined" label={name} />
      ))}
      {names.length > shown.length && <Chip size="small" label={`+${names.length - shown.length}`} />}
    </Box>
  )
}

/** An input of several texts, which Enter or commas separate. */
export function TextsInput({ parse = (texts) => texts, ...props }: TextArrayInputProps) {
  const split = (texts: readonly string[]) => parse([...new Set(texts.flatMap(splitTexts))])
  return <TextArrayInput {...props} parse={split} />
}
