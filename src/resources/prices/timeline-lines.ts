/** The recorded terms that a timeline is made of, out of the lines that were read. */
import type { RecordedTerms, Span } from './timeline.ts'
import type { AskedTimeline } from './timeline-asked.ts'

/** Recorded terms as a line of fields for each, parted by tabs, which none has within; null where there are none. */
export type TermLines = string | null

/** The canonical instant of a moment in UTC as it is written: without a zone, and without zeros at the end of its fraction. */
function instantIn(moment: string): string {
  const seconds = `${moment.slice(0, 10)}T${moment.slice(11, 19)}`
  return `${seconds}.${moment.slice(20).padEnd(6, '0')}Z`
}

const instantOrNull = (moment: string) => (moment === '' ? null : instantIn(moment))

/** What a timeline can be told of: the terms that were read, and the span for which these are all. */
export type ReadTerms = { readonly recorded: readonly RecordedTerms[]; readonly span: Span }

/** The terms that were read with `termsOf`. */
export function termsRead(lines: TermLines, { span }: AskedTimeline, most: number): ReadTerms {
  const recorded = lines === null ? [] : lines.split('\n').map(termsIn)
  const unread = recorded[most]
  return { recorded: recorded.slice(0, most), span: unread ? { ...span, until: unread.knownFrom } : span }
}

function termsIn(line: string): RecordedTerms {
  // Thousands of lines are read at once, and fields by their places cost half of what taking a list apart does.
  const fields = line.split('\t')
  const field = (place: number) => fields[place] ?? ''
  const countries = field(6)
  return {
    id: field(0),
    knownFrom: instantIn(field(1)),
    knownUntil: instantOrNull(field(2)),
    recordedBy: field(3),
    endedBy: field(4) || null,
    channel: field(5) || null,
    countries: countries === '' ? [] : countries.split(','),
    currency: field(7),
    amount: field(8),
    compareAtAmount: field(9) || null,
    validFrom: instantOrNull(field(10)),
    validUntil: instantOrNull(field(11)),
    priority: Number(field(12)),
    minQuantity: Number(field(13)),
    taxIncluded: field(14) === 't',
    status: 'ACTIVE',
  }
}
