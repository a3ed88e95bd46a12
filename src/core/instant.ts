/**
 * Instants: every time in the service is one canonical string, `YYYY-MM-DDTHH:MM:SS.ffffffZ` in UTC. It always has 27
 * characters, so string comparison orders times. It preserves the microseconds that `Date` loses.
 */

/**
 * Parses an RFC 3339 §5.6 date-time or full date (midnight UTC) into a canonical instant; null for any other string.
 * As in ISO 8601, seconds are optional. A date-time without a zone is UTC, like a date. A space instead of the offset's
 * `+` is accepted, because `+` means a space in a query string. Fraction digits after the sixth are cut, never rounded:
 * a rounded value could be in the future. Leap seconds, Postgres-only input (`now`, `24:00`) and times outside the
 * years 1 to 9999 are null.
 */
export function parseInstant(text: string): string | null {
  const parts = fullDate.exec(text) ?? dateTime.exec(text)
  return parts === null ? null : instantOfParts(parts)
}

/** Like `parseInstant`, but only for a date-time in UTC: with `Z`, a zero offset or no zone. */
export function utcInstant(text: string): string | null {
  const parts = dateTime.exec(text)
  if (parts === null || Number(parts[9] ?? 0) !== 0 || Number(parts[10] ?? 0) !== 0) return null
  return instantOfParts(parts)
}

/**
 * The canonical instant of a `Date`, with zero microseconds.
 * @throws RangeError outside the years 1 to 9999
 */
export function instantOf(date: Date): string {
  const instant = withinYears(date)
  if (instant === null) throw new RangeError('not a date of the years 1 to 9999')
  return `${instant.slice(0, 23)}000Z`
}

/** Adds days of 24 hours, which may be negative. Microseconds are preserved; the result is limited to the years 1 to 9999. */
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
  // `Date.UTC` would read the years 0 to 99 as 1900 to 1999.
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  local.setUTCHours(Number(hour), Number(minute), Number(second))
  // A day that its month does not have overflows into the next month instead of failing.
  if (!local.toISOString().startsWith(`${year}-${month}-${day}T`)) return null
  const offset = Number(offsetHour) * 60 + Number(offsetMinute)
  const instant = withinYears(new Date(local.getTime() + (offsetSign === '-' ? offset : -offset) * 60_000))
  return instant === null ? null : `${instant.slice(0, 20)}${fraction.slice(0, 6).padEnd(6, '0')}Z`
}

/** The ISO string of a date in the years 1 to 9999, else null. Postgres has no year 0. */
function withinYears(date: Date): string | null {
  const text = date.toISOString()
  return text.length === 24 && !text.startsWith('0000') ? text : null
}
