import type { Upload } from '../core/operation.ts'
import { httpProblems } from '../core/problems/index.ts'

/**
 * The file that a request brings, of which nothing is read yet. @throws 411 `http.length_required`, 413 `http.body_too_large` by
 * what is announced, 400 `http.body_required`
 */
export function uploadIn(request: Request, most: number): Upload {
  const announced = request.headers.get('content-length')
  const length = announced === null ? null : Number(announced)
  if (length === 0 || request.body === null) throw httpProblems.body_required()
  if (length === null || !Number.isSafeInteger(length) || length < 0) throw httpProblems.length_required()
  if (length > most) throw httpProblems.body_too_large({ limit: most })
  return { length, body: request.body }
}
