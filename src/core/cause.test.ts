import { expect, test } from 'vitest'
import { DatabaseError, StorageUnavailable } from '../db/client.ts'
import { errorFieldsOf, SafeError } from './log.ts'
import { serverProblems } from './problems/server.ts'

const emptyFields = { reason: null, sqlstate: null, constraint: null, frames: [] }

test('the log names an error of this project with its reason', () => {
  expect(errorFieldsOf(new SafeError('WrongBindings', 'DATABASE_URL'))).toEqual({
    ...emptyFields,
    name: 'WrongBindings',
    reason: 'DATABASE_URL',
  })
})

test('the log names a problem by its cause, or by its slug', () => {
  const cause = new StorageUnavailable('57P01')
  const expected = { ...emptyFields, name: 'StorageUnavailable', reason: '57P01' }
  expect(errorFieldsOf(serverProblems.storage_unavailable({}, { cause }))).toEqual(expected)
  expect(errorFieldsOf(serverProblems.timeout())).toEqual({
    ...emptyFields,
    name: 'Problem',
    reason: 'server.timeout',
  })
})

test('the log names a Postgres error by its SQLSTATE and its constraint', () => {
  expect(errorFieldsOf(new DatabaseError('23505', 'products_handle', 'secret'))).toMatchObject({
    ...{ name: 'DatabaseError', sqlstate: '23505', constraint: 'products_handle', reason: null },
    frames: [expect.stringMatching(/^at /), ...Array(7).fill(expect.anything())],
  })
})

test('the log contains no message of a third-party error', () => {
  const secret = 'marker-4711'
  const messages = [
    secret,
    `x\n    at ${secret} (file.ts:1:1)`,
    `at ${secret} (/a/b.ts:1:1)\nat ${secret}:1:1`,
    `${secret}\n`.repeat(50),
  ]
  for (const message of messages) {
    const error = Object.assign(new TypeError(message), { name: `${secret} name` })
    const cause = errorFieldsOf(error)
    expect(cause.name).toBe('Error')
    expect(cause.frames.length).toBeGreaterThan(2)
    expect(JSON.stringify(cause)).not.toContain(secret)
  }
})

test('the log names a thrown value that is no Error', () => {
  for (const thrown of ['marker', null, 7, { message: 'marker' }])
    expect(errorFieldsOf(thrown)).toEqual({ ...emptyFields, name: 'unknown' })
})
