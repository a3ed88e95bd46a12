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

/** Fields in the order of their columns. */
function termsIn(line: string): RecordedTerms {
  const fields = line.split('\t')
  let place = -1
  const next = () => {
    place += 1
    return fields[place] ?? ''
  }
  const nextOrNull = () => next() || null
  return {
    id: next(),
    knownFrom: instantIn(next()),
    knownUntil: instantOrNull(next()),
    recordedBy: next(),
    endedBy: nextOrNull(),
    channel: nextOrNull(),
    countries: namesIn(next()),
    currency: next(),
    amount: next(),
    compareAtAmount: nextOrNull(),
    validFrom: instantOrNull(next()),
    validUntil: instantOrNull(next()),
    priority: Number(next()),
    minQuantity: Number(next()),
    taxIncluded: next() === 't',
    status: 'ACTIVE',
  }
}

const namesIn = (text: string) => (text === '' ? [] : text.split(','))
