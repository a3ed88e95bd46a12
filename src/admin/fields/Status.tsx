import { Chip } from '@mui/material'
import { useRecordContext, useTranslate } from 'react-admin'

type Colour = 'success' | 'warning' | 'default' | 'info' | 'error'

const colours: Readonly<Record<string, Colour>> = {
  ACTIVE: 'success',
  LIVE: 'success',
  DRAFT: 'warning',
  PAUSED: 'warning',
  SCHEDULED: 'info',
  RULE_BASED: 'info',
  EXPIRED: 'default',
  INACTIVE: 'default',
  ARCHIVED: 'default',
  DISABLED: 'error',
  PENDING: 'info',
  DELIVERED: 'success',
  FAILED: 'error',
}

/** A value of an enum (`RULE_BASED`), by its translation in the messages. */
const nameOf = (word: string) => `status.${word}`

export function Status({ source = 'status' }: { source?: string; label?: string; sortable?: boolean }) {
  const translate = useTranslate()
  const value = useRecordContext()?.[source]
  if (typeof value !== 'string') return null
  const colour = colours[value] ?? 'default'
  return (
    <Chip
      size="small"
      color={colour}
      variant={colour === 'default' ? 'outlined' : 'filled'}
      label={translate(nameOf(value), { _: value })}
    />
  )
}

/** Values of an enum as choices of an input, which translates their names. */
export function choices(...words: string[]): { id: string; name: string }[] {
  return words.map((id) => ({ id, name: nameOf(id) }))
}
