/** The recorded terms that a timeline is made of, out of the lines that were read. */
import type { RecordedTerms, Span } from './timeline.ts'
import type { AskedTimeline } from './timeline-asked.ts'

/** Recorded terms as a line of fields for each, parted by tabs, which none has within; null where there are none. */
export type TermLines = string | null

/** The canonical instant of a moment in UTC as it is written: without a zone, and without zeros at the end of its fraction. */
function instantIn(moment: string): string {
  const [seconds = '', fraction = ''] = moment.split('.')
  return `${seconds.replace(' ', 'T')}.${fraction.padEnd(6, '0')}Z`
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
  const [id = '', knownFrom = '', knownUntil = '', recordedBy = '', endedBy = '', ...terms] = line.split('\t')
  const [channel = '', countries = '', currency = '', amount = '', compareAtAmount = '', ...rest] = terms
  const [validFrom = '', validUntil = '', priority, minQuantity, taxIncluded] = rest
  return {
    id,
    channel: channel || null,
    countries: countries === '' ? [] : countries.split(','),
    currency,
    amount,
    compareAtAmount: compareAtAmount || null,
    validFrom: instantOrNull(validFrom),
    validUntil: instantOrNull(validUntil),
    priority: Number(priority),
    minQuantity: Number(minQuantity),
    taxIncluded: taxIncluded === 't',
    status: 'ACTIVE',
    knownFrom: instantIn(knownFrom),
    knownUntil: instantOrNull(knownUntil),
    recordedBy,
    endedBy: endedBy || null,
  }
}
