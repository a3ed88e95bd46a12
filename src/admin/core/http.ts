import { HttpError } from 'react-admin'
import { messages } from './language.ts'
import { ownAddress } from './own-address.ts'
import { catalogue, currentLocale, isRestored } from './settings.ts'
import { withToken } from './sign-in.ts'

export type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; json: Body }

type Violation = { propertyPath: string; message: string }

/**
 * Calls the service as the user: with the token, in the chosen language, in the version that the
 * forms are written for. Only this very host is called, since only it may see the token. What it answers is taken for a `Body`,
 * as the caller knows of the operation.
 *
 * @throws HttpError for every failure, with a message for the person and, where the service names places, one for each place
 */
export async function call<Body = Record<string, unknown>>(
  address: URL | string,
  options: RequestInit = {},
): Promise<Answer<Body>> {
  const request = `${address} ${options.body}`
  const key = isCreation(address, options) ? (lostKeys.get(request) ?? crypto.randomUUID()) : null
  const headers = new Headers(options.headers)
  if (key !== null) headers.set('Idempotency-Key', key)
  try {
    const response = await withToken((token) => send(token, address, { ...options, headers }))
    const answer = await answerOf<Body>(response)
    lostKeys.delete(request)
    return answer
  } catch (error) {
    if (key !== null && mayRetry(error)) lostKeys.set(request, key)
    else lostKeys.delete(request)
    throw error
  }
}

/** Keys of requests whose response was lost: if the person tries again, the service recognizes the request and creates once. */
const lostKeys = new Map<string, string>()

/** Responses with a secret are left out, because the service stores the response for each key. */
function isCreation(address: URL | string, { method, body }: RequestInit): boolean {
  return method === 'POST' && typeof body === 'string' && !String(address).includes('webhook_subscriptions')
}

/**
 * Calls the service with another token than that of this tab.
 *
 * @throws HttpError like {@link call}; also if the service rejects the token
 */
export async function callAs(token: string, address: string): Promise<Answer> {
  return answerOf(await send(token, address, {}))
}

/** How long a request may take. A network that drops packets would keep a page waiting for minutes. */
const patience = 60_000

async function send(token: string | null, address: URL | string, options: RequestInit): Promise<Response> {
  const url = ownAddress(address, location.origin)
  const headers = new Headers(options.headers)
  headers.set('Accept', 'application/ld+json')
  if (!headers.has('Service-Api-Version')) headers.set('Service-Api-Version', catalogue().currentVersion)
  if (!headers.has('Service-Locale')) headers.set('Service-Locale', currentLocale())
  if (token !== null) headers.set('Authorization', `Bearer ${token}`)
  if (options.body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/ld+json')
  }
  const signals = [AbortSignal.timeout(patience), ...(options.signal ? [options.signal] : [])]
  const request = { ...options, headers, redirect: 'error', signal: AbortSignal.any(signals) } as const
  return fetch(url, request).catch(unreachable)
}

async function answerOf<Body>(response: Response): Promise<Answer<Body>> {
  const { status, headers } = response
  const text = await response.text().catch(unreachable)
  const json = jsonIn(text)
  // If the service does not answer, a proxy or the platform answers in HTML.
  if (json === undefined) throw failure(status, { message: messages('core').unreadable(status) }, true)
  if (response.ok) return { status, headers, json: json as Body }
  if (status === 412 && (await isRestored()))
    throw failure(409, { message: messages('core').restored }, false)
  throw failure(status, json, status === 401 || status === 429 || status >= 500)
}

function jsonIn(text: string): object | undefined {
  try {
    const json: unknown = text === '' ? {} : JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}

function unreachable(): never {
  const words = messages('core')
  throw failure(0, { message: navigator.onLine === false ? words.offline : words.unreachable }, true)
}

type Refusal = {
  readonly message?: string
  readonly detail?: string
  readonly violations?: readonly Violation[]
}

/** @param mayRetry whether the same request may succeed later, unchanged */
function failure(status: number, body: Refusal, mayRetry: boolean): HttpError {
  const message = body.message ?? body.detail ?? `HTTP ${status}`
  const places = (body.violations ?? []).map(({ propertyPath, message: detailText }) => [
    inputName(propertyPath),
    detailText,
  ])
  // A refusal without places is one of the whole form: without it react-admin would count the form as saved.
  const root = { serverError: message, ...(mayRetry && { mayRetry: message }) }
  return new HttpError(message, status, { ...body, errors: { root, ...Object.fromEntries(places) } })
}

/** Whether the same request may succeed later, unchanged: the service was not reached, or asked for a new token. */
export function mayRetry(error: unknown): boolean {
  return error instanceof HttpError && error.body?.errors?.root?.mayRetry !== undefined
}

/** `options[0].title` → `options.0.title`, as forms name their inputs. */
function inputName(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1')
}
