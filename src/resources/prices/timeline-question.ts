/** How a timeline of prices is asked for in a query. */
import * as z from 'zod'
import { parseInstant } from '../../core/instant.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { violation } from '../../core/violations.ts'
import { identifier } from '../property-schemas.ts'
import { countryInAnyCase } from '../trade-schemas.ts'
import { pricingProblems } from './problems.ts'
import { mostYears, names, standardDays } from './timeline-asked.ts'

/** Segments that one timeline shows, and one in a list: beyond, a link leads on. */
export const mostSegments = { item: 1000, list: 100 }

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
