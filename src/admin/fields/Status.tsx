import { Chip } from '@mui/material'
import { useRecordContext } from 'react-admin'

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
}

/** A word of the service's own (`RULE_BASED`) as a person would write it: `Rule based`. */
function worded(word: string): string {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export function Status({ source = 'status' }: { source?: string; label?: string; sortable?: boolean }) {
  const value = useRecordContext()?.[source]
  if (typeof value !== 'string') return null
  const colour = colours[value] ?? 'default'
  return (
    <Chip
      size="small"
      color={colour}
      variant={colour === 'default' ? 'outlined' : 'filled'}
      label={worded(value)}
    />
  )
}

/** Words of the service as choices of an input. */
export function choices(...words: string[]): { id: string; name: string }[] {
  return words.map((id) => ({ id, name: worded(id) }))
}
