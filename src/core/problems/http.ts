import { declareProblems } from '../problem.ts'

/** Errors in a request that are detected before its content is parsed. */
export const httpProblems = declareProblems('http', {
  not_found: {
    code: 'HTTP-1001',
    status: 404,
    description:
      'No operation has this path. Check the path against the documentation that the Link header names.',
    message: 'The page or record you are looking for does not exist.',
  },
  method_not_allowed: {
    code: 'HTTP-1002',
    status: 405,
    description: 'The path exists, but not with this method. Use one of those in the Allow header.',
    message: 'This action ({method}) is not possible here.',
  },
  not_acceptable: {
    code: 'HTTP-1003',
    status: 406,
    description:
      'The Accept header names no media type in which this resource is served. Accept application/ld+json or application/json.',
    message: 'The requested format is not available.',
  },
  unsupported_media_type: {
    code: 'HTTP-1004',
    status: 415,
    description:
      'The body has a Content-Type that this operation does not read. POST takes application/ld+json or application/json, PATCH takes application/merge-patch+json.',
    message: 'Data in the format “{contentType}” cannot be processed here.',
  },
  malformed_json: {
    code: 'HTTP-1005',
    status: 400,
    description:
      'The body is not JSON (RFC 8259), or a number in it exceeds the range of a double. The message contains the line and column, the unexpected character, or the member.',
    message: 'The data sent could not be read ({reason}).',
  },
  not_utf8: {
    code: 'HTTP-1006',
    status: 400,
    description: 'The body is not valid UTF-8. Encode it as UTF-8 without a byte order mark.',
    message: 'The data sent could not be read because its text is not encoded as UTF-8.',
  },
  body_too_large: {
    code: 'HTTP-1007',
    status: 413,
    description:
      'The body has more bytes than the service takes. Send less at once, for instance by splitting a bulk request.',
    message: 'Too much data was sent at once. Maximum size in bytes: {limit}.',
  },
  body_too_deep: {
    code: 'HTTP-1008',
    status: 400,
    description:
      'The objects and arrays of the body are nested deeper than the service reads. Send a flatter document.',
    message: 'The data sent is nested too deeply. Maximum number of levels: {limit}.',
  },
  uri_too_long: {
    code: 'HTTP-1009',
    status: 414,
    description:
      'The query is longer than the service reads: 8,192 characters, percent-encoded, without the parameters that links add. Use fewer or shorter filters.',
    message: 'The address of this request is too long. Please use fewer filters.',
  },
  malformed_header: {
    code: 'HTTP-1010',
    status: 400,
    description:
      'A request header does not have the form that its specification gives. Correct the header that the message names.',
    message: 'The request could not be understood: the header “{header}” is not valid.',
  },
  tenant_not_found: {
    code: 'HTTP-1011',
    status: 404,
    description: 'Check the host name of the request.',
    message: 'There is no catalogue at the address {host}.',
  },
  body_required: {
    code: 'HTTP-1012',
    status: 400,
    description: 'The operation needs a body, and the request has none. Send a JSON document.',
    message: 'No data was sent.',
  },
  content_encoding: {
    code: 'HTTP-1013',
    status: 415,
    description:
      'The body is compressed or otherwise encoded, which the service does not read. Send it without Content-Encoding.',
    message: 'Compressed data cannot be processed here.',
  },
  foreign_origin: {
    code: 'HTTP-1014',
    status: 403,
    description:
      'The Origin header names another site. Tools are called by programs, or by pages of this host; a page of another site is refused whatever token it holds.',
    message: 'This action is not possible from another website.',
  },
  answer_too_large: {
    code: 'HTTP-1015',
    status: 413,
    description:
      'The requested page is too large for one response. Request smaller pages with itemsPerPage, or fewer properties with properties[]. Or leave page out and follow view.next, which continues where a response ends.',
    message:
      'This page is too large to be shown at once. Please show fewer entries on each page: {itemsPerPage}.',
  },
  length_required: {
    code: 'HTTP-1016',
    status: 411,
    description:
      'The service stores a file while it arrives, so it needs the length first (RFC 9110 §15.5.12). Send Content-Length instead of a chunked body.',
    message: 'The size of the file was not announced, so it cannot be received.',
  },
  dry_run_unsupported: {
    code: 'HTTP-1021',
    status: 422,
    description:
      'The operation acts outside of the database, so it has no dry run: it stores a file, calls a receiver, or starts work in steps. Send it without Service-Dry-Run; a bulk operation has the parameter dryRun. Nothing was changed.',
    message: 'This action cannot be tried out without performing it.',
  },
  batch_too_large: {
    code: 'HTTP-1020',
    status: 413,
    description:
      'The request creates more data than one write can contain; nothing was changed. Send fewer rows in one request: for example a product first, then its variants in several requests.',
    message: 'This is too much to be saved at once. Maximum: {limit} bytes. Please send it in parts.',
  },
})

/** Rate limit errors. */
export const rateLimitProblems = declareProblems('rate_limit', {
  exceeded: {
    code: 'RATE-1001',
    status: 429,
    description:
      'The client has used up the requests of the current window, which RateLimit-Policy describes. Wait for the time in Retry-After.',
    message: 'Too many requests. Please try again in {seconds} s.',
  },
})
