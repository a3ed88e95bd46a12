/** The requirements of checks. A failure names the request id, which finds the line in the service's log. */
import * as z from 'zod'
import { reasonOf } from '../cli/command.ts'
import { type HttpResponse, NotTried } from './service.ts'

/** The service does not do what it promises. */
export class Failed extends Error {}

export type Result = {
  readonly check: string
  readonly outcome: 'passed' | 'failed' | 'not tried'
  readonly seen: string
  readonly ms: number
}

/** Runs a check, which returns what it saw. */
export async function resultOf(check: string, run: () => Promise<string>): Promise<Result> {
  const started = performance.now()
  const result = (outcome: Result['outcome'], seen: string): Result => ({
    check,
    outcome,
    seen,
    ms: Math.round(performance.now() - started),
  })
  try {
    return result('passed', await run())
  } catch (error) {
    return result(error instanceof NotTried ? 'not tried' : 'failed', reasonOf(error))
  }
}

export const product = z.looseObject({
  '@id': z.string(),
  title: z.string(),
  vendor: z.string().nullish(),
  status: z.string(),
  version: z.int(),
})

export const products = z.looseObject({ member: z.array(product), totalItems: z.int() })

const problem = z.looseObject({ slug: z.string(), code: z.string(), type: z.string(), title: z.string() })

/** @throws Failed for another status */
export function requireStatus(response: HttpResponse, status: number): HttpResponse {
  if (response.status !== status) throw new Failed(`${summaryOf(response)} instead of ${status}`)
  return response
}

/** Returns the body. @throws Failed for another status or form */
export function requireBody<Body>(response: HttpResponse, status: number, form: z.ZodType<Body>): Body {
  const result = form.safeParse(requireStatus(response, status).json)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Failed(
    `${summaryOf(response)}, with another body than promised: ${issue?.path.join('.')} ${issue?.message}`,
  )
}

/** @throws Failed for another problem, or one that does not agree with the catalogue of error codes */
export function requireProblem(response: HttpResponse, status: number, slug: string): void {
  const found = requireBody(response, status, problem)
  if (found.slug !== slug) throw new Failed(`${summaryOf(response)} instead of ${slug}`)
  if (found.title !== slug || found.type !== `/api/error-codes/${found.code}`)
    throw new Failed(`${summaryOf(response)}, which does not lead to the catalogue of error codes`)
}

/** Returns the entity tag. @throws Failed without one */
export function requireTag(response: HttpResponse): string {
  if (response.headers.etag === undefined) throw new Failed(`${summaryOf(response)} without ETag`)
  return response.headers.etag
}

/** A request and its response in a line. */
export function summaryOf({ request, status, headers, json }: HttpResponse): string {
  const found = z.looseObject({ slug: z.string() }).safeParse(json)
  const id = headers['x-request-id']
  return `${request} answered ${status}${found.success ? ` ${found.data.slug}` : ''}${id ? ` (${id})` : ''}`
}
