/** What a timeline of prices is asked for: for whom, and over which span. */
import * as z from 'zod'
import { daysFrom, instantOf, parseInstant } from '../../core/instant.ts'
import type { QueryOf } from '../../core/operation.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { refuse, violation } from '../../core/violations.ts'
import { identifier } from '../property-schemas.ts'
import { countryInAnyCase } from '../trade-schemas.ts'
import { pricingProblems } from './problems.ts'
import type { Shopper, Span } from './timeline.ts'

/** Days that a timeline reaches to either side of now, where nothing is said. */
const standardDays = 90
/** Segments that one timeline shows, and one in a list: beyond, a link leads on. */
export const mostSegments = { item: 1000, list: 100 }
/** Years that one timeline spans at most. */
const mostYears = 5

const names = ['resolveContext[channel]', 'resolveContext[country]'] as const

/** There is no answer without it: what is missing is told as of any question for prices. */
const mandatory = (parameter: string) => ({
  mandatory: true as const,
  neededBy: names,
  missing: pricingProblems.resolve_context_incomplete.at(parameter, { parameter }),
})

const moment = z
  .string()
  .transform((text, check) => {
    const parsed = parseInstant(text)
    if (parsed === null) check.addIssue({ code: 'custom', ...violation(validationProblems.instant.at('')) })
    return parsed ?? ''
  })
  .optional()

const written = 'an ISO 8601 date-time, UTC where it has no zone, or a date.'

/** The query parameters of timelines. */
export const timelineParameters = {
  [names[0]]: identifier
    .optional()
    .meta({ ...mandatory(names[0]), description: 'The channel that prices are asked for.' }),
  [names[1]]: countryInAnyCase.optional().meta({
    ...mandatory(names[1]),
    pattern: '^[A-Za-z]{2}$',
    examples: ['FR'],
    description: 'The ISO 3166-1 alpha-2 code of the country that prices are asked for.',
  }),
  from: moment.meta({
    format: 'date-time',
    examples: ['2026-10-01T00:00:00Z'],
    description: `The first moment of the timeline: ${written} ${standardDays} days before now, or before \`until\` where that is earlier, when absent.`,
  }),
  until: moment.meta({
    format: 'date-time',
    examples: ['2026-12-01T00:00:00Z'],
    description: `The moment at which it ends, no longer part of it: ${written} ${standardDays} days after now, or after \`from\` where that is later, when absent. At most ${mostYears} years after \`from\`.`,
  }),
}

/** What a timeline is asked for. */
export type AskedTimeline = { readonly shopper: Shopper; readonly span: Span }

/**
 * What a query asks that `timelineParameters` have read.
 * @throws Problem 422 `pricing.resolve_context_incomplete`, `pricing.timeline_reversed`, `pricing.timeline_too_long`
 */
export function timelineAsked(query: QueryOf<typeof timelineParameters>, now: Date): AskedTimeline {
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

function spanOf(
  { from, until }: { readonly from?: string | undefined; readonly until?: string | undefined },
  now: string,
): Span {
  const earliest = until !== undefined && until < now ? until : now
  const latest = from !== undefined && from > now ? from : now
  return { from: from ?? daysFrom(earliest, -standardDays), until: until ?? daysFrom(latest, standardDays) }
}

function isTooLong({ from, until }: Span): boolean {
  const year = Number(from.slice(0, 4)) + mostYears
  return year <= 9999 && until > `${String(year).padStart(4, '0')}${from.slice(4)}`
}
