import type { CataloguedProblem } from '../problem.ts'
import { authProblems } from './auth.ts'
import { concurrencyProblems } from './concurrency.ts'
import { httpProblems } from './http.ts'
import { idempotencyProblems } from './idempotency.ts'
import { localeProblems } from './locale.ts'
import { rateLimitProblems } from './rate-limit.ts'
import { serverProblems } from './server.ts'
import { validationProblems } from './validation.ts'
import { versionProblems } from './version.ts'

export {
  authProblems,
  concurrencyProblems,
  httpProblems,
  idempotencyProblems,
  localeProblems,
  rateLimitProblems,
  serverProblems,
  validationProblems,
  versionProblems,
}

/** Every problem that belongs to no resource: the part of the catalogue that all operations share. */
export const coreProblems: CataloguedProblem[] = [
  authProblems,
  validationProblems,
  httpProblems,
  versionProblems,
  localeProblems,
  concurrencyProblems,
  idempotencyProblems,
  rateLimitProblems,
  serverProblems,
].flatMap((declared): CataloguedProblem[] => Object.values(declared))
