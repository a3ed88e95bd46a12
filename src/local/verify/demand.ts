/** What a check demands of an answer. Failures name the request id, by which the service's log has the line. */
import * as z from 'zod'
import { Failed } from './outcome.ts'
import type { Answer } from './wire.ts'

/** What a check reads of a product. */
export const product = z.looseObject({
  '@id': z.string(),
  title: z.string(),
  vendor: z.string().nullish(),
  status: z.string(),
  version: z.int(),
})

/** A Hydra list of products. */
export const products = z.looseObject({
  member: z.array(product),
  totalItems: z.int(),
})

/** A catalogued problem. */
const problem = z.looseObject({ slug: z.string(), code: z.string(), type: z.string(), title: z.string() })

/** @throws Failed where the answer has another status */
export function demandStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Failed(`${told(answer)} instead of ${status}`)
  return answer
}

/** The body of an answer of that status. @throws Failed where it has another form */
export function demandBody<Body>(answer: Answer, status: number, form: z.ZodType<Body>): Body {
  const read = form.safeParse(demandStatus(answer, status).json)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Failed(
    `${told(answer)}, whose body is not as promised: ${issue?.path.join('.')} ${issue?.message}`,
  )
}

/** @throws Failed where the answer is not this problem, told as the catalogue of error codes tells it */
export function demandProblem(answer: Answer, status: number, slug: string): void {
  const found = demandBody(answer, status, problem)
  if (found.slug !== slug) throw new Failed(`${told(answer)} instead of ${slug}`)
  if (found.title !== slug || found.type !== `/api/error-codes/${found.code}`)
    throw new Failed(`${told(answer)}, which does not lead to the catalogue of error codes`)
}

/** The entity tag of an answer. @throws Failed where it has none */
export function demandTag(answer: Answer): string {
  if (answer.headers.etag === undefined) throw new Failed(`${told(answer)} without ETag`)
  return answer.headers.etag
}

/** What was asked and answered, in a line. */
export function told({ asked, status, headers, json }: Answer): string {
  const found = z.looseObject({ slug: z.string() }).safeParse(json)
  const id = headers['x-request-id']
  return `${asked} answered ${status}${found.success ? ` ${found.data.slug}` : ''}${id ? ` (${id})` : ''}`
}
