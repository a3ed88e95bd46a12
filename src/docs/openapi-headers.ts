import type { JsonObject } from '../core/json.ts'

const header = (description: string, schema: JsonObject): JsonObject => ({ description, schema })
const text = { type: 'string' }

/** The headers of answers. */
export const responseHeaders: JsonObject = {
  Link: header('First the Hydra documentation; in an old version where its end is announced.', text),
  'Service-Api-Version': header('The version that answered.', text),
  'Service-Sequence': header('How far the events of the tenant were when this was read.', {
    type: 'integer',
  }),
  'Service-Ignored-Properties': header(
    'Members of the body that were not written: those that no property has, and read-only ones and those beside the `@id` of a relation that differ from what the answer says.',
    text,
  ),
  'Service-Ignored-Parameters': header('Parameters of the query that the operation does not read.', text),
  'Content-Language': header('The locale asked for.', text),
  ETag: header('The entity tag: version and fingerprint.', text),
  Location: header('Where the created resource is.', { type: 'string', format: 'uri-reference' }),
  'Idempotency-Replayed': header(
    '`true` where the answer to an earlier request with the same key is repeated.',
    {
      type: 'string',
      enum: ['true'],
    },
  ),
  'X-Request-Id': header('The id of the request; name it when you ask for help.', {
    type: 'string',
    format: 'uuid',
  }),
  'RateLimit-Policy': header('How many requests a client may make, and in how many seconds.', text),
  RateLimit: header('What is left of the quota.', text),
  'Retry-After': header('Seconds to wait before trying again.', { type: 'integer' }),
  'WWW-Authenticate': header('What the token lacks (RFC 6750), and where to get one (RFC 9728).', text),
  Accept: header('The media types that the operation takes.', text),
  'Accept-Patch': header('The media types that a PATCH takes.', text),
  'Accept-Post': header('The media types that a POST takes.', text),
  Deprecation: header('Since when the version is deprecated (RFC 9745); only on old versions.', text),
  Sunset: header('When the version ends (RFC 8594); only on old versions.', text),
}

/** References to some of them. */
export function headersNamed(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** What every answer carries. */
export const commonHeaders = [
  'Link',
  'Service-Api-Version',
  'Content-Language',
  'X-Request-Id',
  'RateLimit-Policy',
  'Deprecation',
  'Sunset',
]
