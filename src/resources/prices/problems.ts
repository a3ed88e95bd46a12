import { declareProblems } from '../../core/problem.ts'

/** The problems of the context in which prices are requested. */
export const pricingProblems = declareProblems('pricing', {
  resolve_context_incomplete: {
    code: 'PRI-1001',
    status: 422,
    description:
      'One or more of resolveContext[channel], resolveContext[country] and resolveContext[at] are missing from a request for prices. Send all three, or none if you need no prices. A price timeline requires only the channel and the country.',
    message: 'To calculate prices, please also specify “{parameter}”.',
  },
  at_not_utc: {
    code: 'PRI-1002',
    status: 422,
    description:
      'resolveContext[at], or priceAt for a market, is not an ISO 8601 date and time in UTC. Send one with Z, a zero offset or no zone, such as 2026-10-01T12:00:00Z, or now.',
    message: 'Please specify the time of the price in UTC, such as 2026-10-01T12:00:00Z.',
  },
  known_at_not_utc: {
    code: 'PRI-1003',
    status: 422,
    description:
      'resolveContext[knownAt], or priceKnownAt for a market, is not an ISO 8601 date and time in UTC. Send one with Z, a zero offset or no zone, such as 2026-10-01T12:00:00Z, or now.',
    message: 'Please specify the recording time of the prices in UTC, such as 2026-10-01T12:00:00Z.',
  },
  known_at_before_history: {
    code: 'PRI-1004',
    status: 422,
    description:
      'resolveContext[knownAt], or priceKnownAt for a market, is earlier than the first event of this tenant, and no prices are recorded before it. Send the moment of that event or a later one.',
    message: 'No prices were recorded at that time. The recorded prices begin at {since}.',
  },
  at_before_history: {
    code: 'PRI-1005',
    status: 422,
    description:
      'resolveContext[at], or priceAt for a market, is earlier than the first event of this tenant, and resolveContext[knownAt] or priceKnownAt needs recorded prices. Send the moment of that event or a later one, or omit the time of recording.',
    message: 'The history of prices does not reach back that far. It begins at {since}.',
  },
  // PRI-1006 is retired.
  timeline_reversed: {
    code: 'PRI-1007',
    status: 422,
    description: 'The parameter from is later than until. Send a period that does not end before it begins.',
    message: 'The period must not end before it begins.',
  },
  timeline_too_long: {
    code: 'PRI-1008',
    status: 422,
    description:
      'The period from from to until is longer than five years. Request shorter periods one after the other.',
    message: 'The period is too long. Maximum: {years} years.',
  },
  explain_in_list: {
    code: 'PRI-1009',
    status: 422,
    description:
      'The request for a list has the parameter explain. Send it with the request for one product or variant.',
    message: 'Lists explain no prices. Please request one item: {item}?explain=price.',
  },
  preview_too_large: {
    code: 'PRI-1010',
    status: 422,
    description:
      'A preview of prices asks for too many prices, or its variants have too many offers and recorded terms. Preview fewer offers, contexts or moments at once.',
    message: 'This is too much for one preview. Please preview fewer offers at once.',
  },
  policy_limit: {
    code: 'PRI-1012',
    status: 409,
    description:
      'The tenant has chosen the policy of this country too often. Earlier choices judge earlier prices, so none is deleted.',
    message: 'The policy of this country was chosen too often. Maximum: {maximum} times.',
  },
  market_unknown: {
    code: 'PRI-1013',
    status: 422,
    description:
      'The tenant has no market with this key. Send the key of one of its markets, which GET /api/markets lists with the scope sale_offers:read.',
    message: 'The market “{market}” does not exist.',
  },
  market_missing: {
    code: 'PRI-1014',
    status: 422,
    description:
      'priceAt and priceKnownAt belong to a market, and so do filters and orders by price. Send market with the key of one, or omit them. priceAt and priceKnownAt also take the keys of several, in markets[].',
    message: 'To calculate prices, please also specify the market.',
  },
  market_and_context: {
    code: 'PRI-1015',
    status: 422,
    description:
      'More than one of market, markets[] and resolveContext is in the request, and each decides the channel and the country of the prices. Send only one of them.',
    message: 'Please specify either a market or a channel and a country, not both.',
  },
  market_single: {
    code: 'PRI-1016',
    status: 422,
    description:
      'A request for the prices of several markets has explain or expand=priorPrice. Send market with the key of one of them.',
    message: 'Please request this for one market at a time.',
  },
  only_from_now: {
    code: 'PRI-1017',
    status: 422,
    description:
      'A list is filtered or ordered by prices of the past: priceAt is earlier than the request, or priceKnownAt is sent. Omit both, or send priceAt with a later moment.',
    message: 'Products can be filtered and ordered by their prices of now or later only.',
  },
  market_incomplete: {
    code: 'PRI-1018',
    status: 503,
    description:
      'The market is new or was changed, and the service still computes its prices. Filters and orders by price wait for them. Send the request again after the time in Retry-After; pricesCompleteAt of the market is null until then.',
    message: 'The prices of the market “{market}” are being computed. Please try again in a moment.',
  },
  changes_expired: {
    code: 'PRI-1019',
    status: 410,
    description:
      'The position in the changes of prices is older than the kept ones, or than pricesCompleteAt of the market. Read the prices of the market again, and continue with the changes after a moment of before that.',
    message:
      'These changes of prices are not available. They begin at {since}. Please load the prices again in full.',
  },
  preview_empty: {
    code: 'PRI-1011',
    status: 422,
    description:
      'No variant of a preview has a price in any of its contexts at any of its moments, neither before nor after. Check the channel, the country and the period of the offers.',
    message: 'These offers give no price in the requested channels and countries at the requested times.',
  },
})

/** The problem of a market whose prices are not all in the index. */
export function marketIncomplete(market: string) {
  return pricingProblems.market_incomplete({ market }, { headers: { 'Retry-After': '5' } })
}
