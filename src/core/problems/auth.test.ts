import { expect, test } from 'vitest'
import { authProblems } from './auth.ts'

const problems = Object.values(authProblems)
const placeholders = (text: string) => text.match(/\{\w+\}/g) ?? []

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

test.each(problems.map((problem) => [problem.slug, problem.message] as const))(
  '%s says the same values in four different languages',
  (_, message) => {
    expect(new Set(Object.values(message)).size).toBe(4)
    for (const text of Object.values(message))
      expect(placeholders(text)).toEqual(placeholders(message['en-US']))
  },
)
