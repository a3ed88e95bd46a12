import { DateTimeInput, type DateTimeInputProps } from 'react-admin'
import { instantIn, localTime } from '../core/clock.ts'
import { shopZone } from '../core/zone.ts'

/** A moment, typed by the clocks of the shop's zone; kept in UTC. */
export function MomentInput(props: Omit<DateTimeInputProps, 'parse' | 'format' | 'slotProps'>) {
  return <DateTimeInput {...props} parse={parse} format={format} slotProps={slotProps} />
}

/** Without a maximum, Chromium takes six digits for the year, and the hours that follow them. */
const slotProps = { htmlInput: { max: '9999-12-31T23:59' } }

const typed = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

function parse(text: string): string | null {
  return instantIn(text, shopZone())?.toISOString() ?? null
}

/** The input parses its own value again. */
function format(value: unknown): string {
  if (typeof value === 'string' && typed.test(value)) return value
  const moment = new Date(typeof value === 'string' ? value : '')
  return Number.isNaN(moment.getTime()) ? '' : localTime(moment, shopZone())
}
