import { Box } from '@mui/material'
import { useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { shopZone } from '../core/zone.ts'

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A time in short form, with the exact time as its tooltip. */
export function When({ source, absent = '' }: { source: string; absent?: string; label?: string }) {
  const words = useWords('fields')
  const text = useRecordContext()?.[source]
  if (typeof text !== 'string') return <Box sx={{ opacity: 0.75 }}>{absent}</Box>
  const moment = new Date(text)
  const seconds = (moment.getTime() - Date.now()) / 1000
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  const relative = new Intl.RelativeTimeFormat(interfaceLocale(), { numeric: 'auto' })
  return (
    <Box
      component="time"
      dateTime={text}
      title={moment.toLocaleString(interfaceLocale(), {
        dateStyle: 'full',
        timeStyle: 'long',
        timeZone: shopZone(),
      })}
      sx={{ whiteSpace: 'nowrap' }}
    >
      {step ? relative.format(Math.round(seconds / step[1]), step[0]) : words.justNow}
    </Box>
  )
}
