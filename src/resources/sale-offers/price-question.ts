import { z } from 'zod'
import { utcInstant } from '../../core/instant.ts'
import { refuse, violation } from '../../core/violations.ts'
import { identifier } from '../fields.ts'
import type { PriceQuestion } from './price.ts'
import { pricingProblems } from './pricing-problems.ts'
import { countryInAnyCase } from './schema.ts'

const utcMoment = z.string().transform((text, check) => {
  const at = utcInstant(text)
  if (at === null) check.addIssue({ code: 'custom', ...violation(pricingProblems.at_not_utc.at('')) })
  return at ?? ''
})

/** The query parameters that ask for prices: a channel, an ISO 3166-1 alpha-2 country in any case, a moment in UTC. */
export const resolveParameters = {
  'resolveContext[channel]': identifier.optional(),
  'resolveContext[country]': countryInAnyCase.optional(),
  'resolveContext[at]': utcMoment.optional(),
}

/**
 * The question in a query that `resolveParameters` has read, or null when it asks for no prices.
 * @throws Problem 422 `pricing.resolve_context_incomplete`, one violation for each missing parameter
 */
export function questionOf(query: Readonly<Record<string, unknown>>): PriceQuestion | null {
  const names = Object.keys(resolveParameters)
  const missing = names.filter((name) => query[name] === undefined)
  if (missing.length === names.length) return null
  refuse(missing.map((parameter) => pricingProblems.resolve_context_incomplete.at(parameter, { parameter })))
  const [channel, countryCode, at] = names.map((name) => query[name] as string)
  return { channel: channel!, country: countryCode!, at: at! }
}
