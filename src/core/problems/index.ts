import type { CataloguedProblem } from '../problem.ts'
import { authProblems } from './auth.ts'
import { httpProblems, rateLimitProblems } from './http.ts'
import { concurrencyProblems, idempotencyProblems, serverProblems } from './server.ts'
import { localeProblems, validationProblems, versionProblems } from './validation.ts'

/** Problems without a resource: the part of the catalogue that all operations share. */
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
].flatMap((problems): CataloguedProblem[] => Object.values(problems))
