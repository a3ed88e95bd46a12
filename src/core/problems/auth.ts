import { declareProblems } from '../problem.ts'

/**
 * Authentication and authorization errors. Every rejected token gets the same `invalid_token`, so that attackers learn
 * nothing from it.
 */
export const authProblems = declareProblems('auth', {
  token_required: {
    code: 'AUTH-1001',
    status: 401,
    description:
      'The request carries no bearer token: it has no Authorization header, or one of another scheme. Send an access token as "Authorization: Bearer <token>"; a token in the query string is not read.',
    message: 'Please sign in to continue: a bearer token is required.',
  },
  invalid_token: {
    code: 'AUTH-1002',
    status: 401,
    description:
      'The access token is malformed, expired, revoked, or not issued for this host. Request a new token from the issuer of this tenant.',
    message: 'Your session is not valid or has ended. Please sign in again.',
  },
  insufficient_scope: {
    code: 'AUTH-1003',
    status: 403,
    description:
      'The access token lacks a scope that this operation needs. Request a token with the scope named in the WWW-Authenticate header.',
    message: 'This application is not allowed to do this. Access it lacks: {scope}.',
  },
  permission_denied: {
    code: 'AUTH-1004',
    status: 403,
    description:
      'The access token acts for a person who lacks the identity permissions listed in missingPermissions. An administrator can grant them.',
    message: 'You do not have permission to do this. Please ask your administrator.',
  },
  multiple_credentials: {
    code: 'AUTH-1005',
    status: 400,
    description:
      'The request carries an access token in the query string in addition to the Authorization header (RFC 6750 §2). Send it only in the header.',
    message: 'The request was signed in twice. Please use a single way of signing in.',
  },
  issuer_unavailable: {
    code: 'AUTH-1006',
    status: 503,
    description:
      'The keys of this tenant’s token issuer could not be fetched and none are cached, so no token can be verified. Retry after the time in Retry-After.',
    message: 'Signing in cannot be checked right now. Please try again shortly.',
  },
  insecure_transport: {
    code: 'AUTH-1007',
    status: 403,
    description:
      'The request sent its token over plain HTTP, where others can read it. The token was not read. Withdraw it, and send another over https. A proxy that ends TLS has to forward the request over https.',
    message: 'This connection is not encrypted. Please use an address that begins with https.',
  },
  publishable_key_required: {
    code: 'AUTH-1008',
    status: 401,
    description:
      'The host is a storefront host, and the request does not carry a valid publishable key of this host. Send "Authorization: Bearer pk_…". A revoked key and the key of another host are invalid. Access tokens belong to the other hosts of the tenant.',
    message: 'This shop cannot be read right now. Please try again later.',
  },
  publishable_key_misplaced: {
    code: 'AUTH-1009',
    status: 401,
    description:
      'The request carries a publishable key, and its host is no storefront host. Send the key to the storefront host that it was created for, or send an access token.',
    message: 'This shop cannot be read at this address.',
  },
  not_public: {
    code: 'AUTH-1010',
    status: 403,
    description:
      'A publishable key reads only what a shop shows: published products, their options, variants and current prices in a market, categories, collections, markets and published metaobjects. Use an access token at another host of the tenant for anything else.',
    message: 'This is not available in the shop.',
  },
})
