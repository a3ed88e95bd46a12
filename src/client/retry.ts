/** Repeats requests that may succeed later, as `Retry-After` and RFC 9110 §9.2.2 allow. */

const retriedStatuses = new Set([429, 502, 503, 504])
const [firstDelay, maximumDelay] = [500, 60_000]

/**
 * Repeats a request after 429, 502, 503, 504 and network errors, if its method is safe or it has an `Idempotency-Key`. It waits for
 * `Retry-After`, else twice as long each time, with jitter. If the service requires more than a minute, this returns its response.
 */
export function retrying(send: (request: Request) => Promise<Response>, maximum: number) {
  return async (request: Request): Promise<Response> => {
    const isRepeatable =
      /^(?:GET|HEAD|OPTIONS)$/.test(request.method) || request.headers.has('Idempotency-Key')
    for (let attempt = 0; ; attempt++) {
      const isLast = !isRepeatable || attempt >= maximum
      let response: Response | null = null
      try {
        // A sent body cannot be read again.
        response = await send(isLast ? request : request.clone())
      } catch (error) {
        if (isLast || request.signal.aborted) throw error
      }
      if (response && (isLast || !(await isTemporary(response, attempt)))) return response
      const delay = delayOf(attempt, response?.headers.get('Retry-After') ?? null)
      if (response && delay > maximumDelay) return response
      await response?.body?.cancel()
      await wait(delay, request.signal)
    }
  }
}

/** After a lost response, the request with the same key can still be in progress. */
async function isTemporary(response: Response, attempt: number): Promise<boolean> {
  if (retriedStatuses.has(response.status)) return true
  if (attempt === 0 || response.status !== 409) return false
  const problem = await response
    .clone()
    .json()
    .catch(() => null)
  return problem?.slug === 'idempotency.in_flight'
}

/** Milliseconds. `Retry-After` has seconds or a date. Jitter separates clients that failed at the same time. */
function delayOf(attempt: number, retryAfter: string | null): number {
  const backoff = Math.min(firstDelay * 2 ** attempt, 8000) * (0.5 + Math.random() / 2)
  if (retryAfter === null) return backoff
  const requested = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(requested) ? backoff : Math.max(0, requested) + firstDelay * Math.random()
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', stop, { once: true })
  })
}
