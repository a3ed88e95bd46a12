/** What a timeline of prices is asked for: for whom, and over which span. */
import { daysFrom, instantOf } from '../../core/instant.ts'
import { refuse } from '../../core/violations.ts'
import { pricingProblems } from './problems.ts'
import type { Shopper, Span } from './timeline.ts'

/** The parameters that there is no answer without. */
export const names = ['resolveContext[channel]', 'resolveContext[country]'] as const
/** Days that a timeline reaches to either side of now, where nothing is said. */
export const standardDays = 90
/** Years that one timeline spans at most. */
export const mostYears = 5

/** What a timeline is asked for. */
export type AskedTimeline = { readonly shopper: Shopper; readonly span: Span }

type Asked = { readonly [name in (typeof names)[number] | 'from' | 'until']?: string | undefined }

/**
 * What a query asks that `timelineParameters` have read.
 * @throws Problem 422 `pricing.resolve_context_incomplete`, `pricing.timeline_reversed`, `pricing.timeline_too_long`
 */
export function timelineAsked(query: Asked, now: Date): AskedTimeline {
  const [channel, country] = names.map((name) => query[name])
  const span = spanOf(query, instantOf(now))
  const missing = names.filter((name) => query[name] === undefined)
  refuse([
    ...missing.map((parameter) => pricingProblems.resolve_context_incomplete.at(parameter, { parameter })),
    ...(span.from > span.until ? [pricingProblems.timeline_reversed.at('until')] : []),
    ...(isTooLong(span) ? [pricingProblems.timeline_too_long.at('until', { years: mostYears })] : []),
  ])
  return { shopper: { channel: channel ?? '', country: country ?? '' }, span }
}

function spanOf({ from, until }: Asked, now: string): Span {
  const earliest = until !== undefined && until < now ? until : now
  const latest = from !== undefined && from > now ? from : now
  return { from: from ?? daysFrom(earliest, -standardDays), until: until ?? daysFrom(latest, standardDays) }
}

function isTooLong({ from, until }: Span): boolean {
  const year = Number(from.slice(0, 4)) + mostYears
  return year <= 9999 && until > `${String(year).padStart(4, '0')}${from.slice(4)}`
}
