import { declareProblems } from '../../core/problem.ts'

/** The problems of the context in which prices are requested. */
export const pricingProblems = declareProblems('pricing', {
  resolve_context_incomplete: {
    code: 'PRI-1001',
    status: 422,
    description:
      'Prices are told for resolveContext[channel], resolveContext[country] and resolveContext[at], of which one or more are missing. Send all three, or none where prices are not needed; a price timeline takes channel and country.',
    message: 'To calculate prices, please also specify “{parameter}”.',
  },
  at_not_utc: {
    code: 'PRI-1002',
    status: 422,
    description:
      'resolveContext[at] is not an ISO 8601 date and time in UTC. Send one with Z, a zero offset or no zone, such as 2026-10-01T12:00:00Z.',
    message: 'Please specify the time of the price in UTC, such as 2026-10-01T12:00:00Z.',
  },
  known_at_not_utc: {
    code: 'PRI-1003',
    status: 422,
    description:
      'resolveContext[knownAt] is not an ISO 8601 date and time in UTC. Send one with Z, a zero offset or no zone, such as 2026-10-01T12:00:00Z.',
    message: 'Please specify in UTC as of when prices are to be known, such as 2026-10-01T12:00:00Z.',
  },
  known_at_before_history: {
    code: 'PRI-1004',
    status: 422,
    description:
      'resolveContext[knownAt] is earlier than the first event of this tenant: nothing was recorded yet. Send that moment or a later one.',
    message: 'Nothing was recorded yet at that time. Prices are known from {since} on.',
  },
  at_before_history: {
    code: 'PRI-1005',
    status: 422,
    description:
      'resolveContext[at] is earlier than the first event of this tenant, which is as far as resolveContext[knownAt] can look back. Send that moment or a later one, or leave out resolveContext[knownAt].',
    message: 'The history of prices does not reach back that far. It begins at {since}.',
  },
  // PRI-1006 is retired.
  timeline_reversed: {
    code: 'PRI-1007',
    status: 422,
    description: 'from is later than until. Send a span whose end is not before its beginning.',
    message: 'The period must not end before it begins.',
  },
  timeline_too_long: {
    code: 'PRI-1008',
    status: 422,
    description:
      'There are more than five years from from to until. Ask for shorter spans, one after the other.',
    message: 'The period is too long. Maximum: {years} years.',
  },
  explain_in_list: {
    code: 'PRI-1009',
    status: 422,
    description:
      'The request for a list has the parameter explain. Send it with the request for one product or variant.',
    message: 'Lists explain no prices. Please request one item: {item}?explain=price.',
  },
})
