/** The members of a body that `Service-Ignored-Properties` names. */
import { expect, test } from 'vitest'
import type { IgnoredMember } from '../core/body.ts'
import type { JsonObject } from '../core/json.ts'
import { ignoredPathsAfterWrite } from './ignored-properties.ts'

const pathsOf = (
  passedOver: readonly IgnoredMember[],
  exists: boolean,
  document: JsonObject = { '@id': '/a' },
) =>
  ignoredPathsAfterWrite(
    passedOver,
    { kind: 'item', document, version: null },
    {
      exists,
      type: 'Thing',
      hidden: new Map([['Thing', new Set(['secret'])]]),
    },
  )

test('names read-only members that differ from the current document', () => {
  const readOnly = { path: ['size'], readOnly: true, value: 3 }
  expect(pathsOf([readOnly], true, { '@id': '/a', size: 3 })).toEqual([])
  expect(pathsOf([readOnly], true, { '@id': '/a', size: 4 })).toEqual([['size']])
  expect(pathsOf([{ path: ['secret'], readOnly: true, value: 3 }], false)).toEqual([])
  expect(pathsOf([{ path: ['x'], readOnly: false, value: 3 }], false)).toEqual([['x']])
})
