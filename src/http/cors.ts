/** Cross-origin rules (Fetch Standard §3.2): any origin may call, with no credentials except the token that it sends. */

export const exposedHeaders = [
  'Link',
  'Location',
  'ETag',
  'Content-Location',
  'Allow',
  'Accept',
  'Accept-Patch',
  'Accept-Post',
  'Age',
  'Service-Api-Version',
  'Service-Sequence',
  'Service-Priced-At',
  'Service-Prices-Until',
  'Service-Ignored-Properties',
  'Service-Ignored-Parameters',
  'Service-Changed',
  'Idempotency-Replayed',
  'Service-Dry-Run',
  'Preference-Applied',
  'X-Request-Id',
  'Server-Timing',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
].join(', ')

const readHeaders = [
  'Accept',
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Prefer',
  'Service-Api-Version',
  'Service-Dry-Run',
  'Service-Locale',
  'Traceparent',
].join(', ')

export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** The response to a preflight. It is the same for every path, so it reveals nothing about them. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': readHeaders,
      'Access-Control-Max-Age': '7200',
    },
  })
}
