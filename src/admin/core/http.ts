import { HttpError } from 'react-admin'
import { spoken } from './language.ts'
import { ownAddress } from './own-address.ts'
import { currentToken } from './session.ts'
import { catalogue, currentLocale } from './settings.ts'
import { coreWords } from './words.ts'

export type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; json: Body }

type Violation = { propertyPath: string; message: string }

/**
 * Calls the service as the person in front of the page: with the token, in the chosen language, in the version that the
 * forms are written for. Only this very host is called, since only it may see the token. What it refuses is thrown with its own message and, where it names
 * places, with one for each. What it answers is taken for a `Body`, as the caller knows of the operation.
 */
export async function call<Body = Record<string, unknown>>(
  address: URL | string,
  options: RequestInit = {},
): Promise<Answer<Body>> {
  const url = ownAddress(address, location.origin)
  const headers = new Headers(options.headers)
  headers.set('Accept', 'application/ld+json')
  if (!headers.has('Service-Api-Version')) headers.set('Service-Api-Version', catalogue().currentVersion)
  if (!headers.has('Service-Locale')) headers.set('Service-Locale', currentLocale())
  const token = currentToken()
  if (token !== null) headers.set('Authorization', `Bearer ${token}`)
  if (options.body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/ld+json')
  }
  const response = await fetch(url, { ...options, headers, redirect: 'error' }).catch(unreachable)
  const text = await response.text()
  const json = text === '' ? {} : JSON.parse(text)
  if (response.ok) return { status: response.status, headers: response.headers, json }
  const message = json.message ?? json.detail ?? response.statusText
  throw new HttpError(message, response.status, { ...json, errors: errorsOf(json.violations, message) })
}

function unreachable(): never {
  const message = spoken(coreWords).unreachable
  throw new HttpError(message, 0, { errors: errorsOf(undefined, message) })
}

/**
 * `options[0].title` → `options.0.title`, as forms name their inputs. A refusal without places is one of the whole form:
 * without it a form would count as saved, and be left without a question.
 */
function errorsOf(violations: readonly Violation[] = [], message: string) {
  const places = violations.map(({ propertyPath, message: told }) => [
    propertyPath.replaceAll(/\[(\d+)\]/g, '.$1'),
    told,
  ])
  return { root: { serverError: message }, ...Object.fromEntries(places) }
}
