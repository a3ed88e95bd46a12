import { httpProblems } from '../../core/problems/http.ts'

const { not_found: kind } = httpProblems

/** Common settings of operations that describe the service itself: read-only and the same for every tenant. */
export const publicRead = {
  scope: null,
  method: 'GET',
  query: {},
  notFound: Object.assign(() => kind(), { ...kind }),
} as const
