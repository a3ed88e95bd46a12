import { expect, test } from 'vitest'
import { authProblems } from './auth.ts'

const problems = Object.values(authProblems)

test('codes and statuses stay as published', () => {
  expect(Object.fromEntries(problems.map(({ slug, code, status }) => [slug, [code, status]]))).toEqual({
    'auth.token_required': ['AUTH-1001', 401],
    'auth.invalid_token': ['AUTH-1002', 401],
    'auth.insufficient_scope': ['AUTH-1003', 403],
    'auth.permission_denied': ['AUTH-1004', 403],
    'auth.multiple_credentials': ['AUTH-1005', 400],
    'auth.issuer_unavailable': ['AUTH-1006', 503],
  })
})
