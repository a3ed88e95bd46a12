/**
 * Instants: every moment in the service is one canonical text, `YYYY-MM-DDTHH:MM:SS.ffffffZ` in UTC. It is always
 * 27 characters long, so that comparing two texts compares two moments, and it keeps the microseconds that `Date` loses.
 */

/**
 * Reads an RFC 3339 §5.6 date-time or full date (midnight UTC) as a canonical instant. As in ISO 8601 seconds may be left
 * out; a date-time without a zone is UTC, as a date is. A space where the offset's `+` stood is repaired, because `+` means
 * a space in a query string. Fraction digits beyond the sixth are cut, never rounded: a rounded value could name a moment
 * that has not come yet. Anything else is null, also a leap second and what only Postgres would take (`now`, `24:00`), and
 * a moment outside the years 1 to 9999.
 */
export function parseInstant(text: string): string | null {
  const parts = fullDate.exec(text) ?? dateTime.exec(text)
  return parts === null ? null : instantOfParts(parts)
}

/** Like `parseInstant`, for places that ask for UTC: only a date-time with `Z`, a zero offset or no zone is read. */
export function utcInstant(text: string): string | null {
  const parts = dateTime.exec(text)
  if (parts === null || Number(parts[9] ?? 0) !== 0 || Number(parts[10] ?? 0) !== 0) return null
  return instantOfParts(parts)
}

/** The canonical instant of a `Date`, its microseconds zero. Throws a `RangeError` outside the years 1 to 9999. */
export function instantOf(date: Date): string {
  const instant = withinYears(date)
  if (instant === null) throw new RangeError('not a date of the years 1 to 9999')
  return `${instant.slice(0, 23)}000Z`
}

/** The instant so many days of 24 hours later, or earlier; microseconds as they were, within the years 1 to 9999. */
export function daysFrom(instant: string, days: number): string {
  const milliseconds = Date.parse(instant) + days * 86_400_000
  const date = new Date(Math.min(Math.max(milliseconds, first), last))
  return `${instantOf(date).slice(0, 23)}${instant.slice(23)}`
}

const first = Date.parse('0001-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

const fullDate = /^(\d{4})-(\d\d)-(\d\d)$/
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([-+ ])(\d\d):(\d\d))?$/

function instantOfParts(parts: RegExpExecArray): string | null {
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = ''] = parts
  const [offsetSign, offsetHour = '00', offsetMinute = '00'] = parts.slice(8)
  if (hour > '23' || minute > '59' || second > '59') return null
  if (offsetHour > '23' || offsetMinute > '59') return null
  const local = new Date(0)
  // Not `Date.UTC`, which takes the years 0 to 99 for 1900 to 1999.
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  local.setUTCHours(Number(hour), Number(minute), Number(second))
  // A day that its month lacks runs over into the next month instead of failing.
  if (!local.toISOString().startsWith(`${year}-${month}-${day}T`)) return null
  const offset = Number(offsetHour) * 60 + Number(offsetMinute)
  const instant = withinYears(new Date(local.getTime() + (offsetSign === '-' ? offset : -offset) * 60_000))
  return instant === null ? null : `${instant.slice(0, 20)}${fraction.slice(0, 6).padEnd(6, '0')}Z`
}

/** The date as `Date` writes it when its year has four digits and is not 0, which Postgres does not know. */
function withinYears(date: Date): string | null {
  const text = date.toISOString()
  return text.length === 24 && !text.startsWith('0000') ? text : null
}
