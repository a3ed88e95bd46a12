import { httpProblems } from '../../core/problems/http.ts'

const { not_found: kind } = httpProblems

/** What operations have in common that read what the service itself is: the same for every tenant, never written. */
export const publicRead = {
  scope: null,
  method: 'GET',
  query: {},
  notFound: Object.assign(() => kind(), { ...kind }),
} as const
