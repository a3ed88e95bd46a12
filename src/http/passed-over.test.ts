/** The members of a body that `Service-Ignored-Properties` names. */
import { expect, test } from 'vitest'
import type { IgnoredMember } from '../core/body.ts'
import type { JsonObject } from '../core/json.ts'
import { ignoredNames } from './ignored-properties.ts'

const namesOf = (
  passedOver: readonly IgnoredMember[],
  exists: boolean,
  document: JsonObject = { '@id': '/a' },
) =>
  ignoredNames(
    passedOver,
    { kind: 'item', document, version: null },
    {
      exists,
      type: 'Thing',
      hidden: new Map([['Thing', new Set(['secret'])]]),
      origins: [],
      translatePath: (path) => `translated ${path}`,
    },
  )

test('names read-only members that differ from the current document, in the names of the version', () => {
  const readOnly = { path: ['size'], readOnly: true, value: 3 }
  expect(namesOf([readOnly], true, { '@id': '/a', size: 3 })).toEqual([])
  expect(namesOf([readOnly], true, { '@id': '/a', size: 4 })).toEqual(['translated size'])
  expect(namesOf([{ path: ['secret'], readOnly: true, value: 3 }], false)).toEqual([])
  expect(namesOf([{ path: ['x'], readOnly: false, value: 3 }], false)).toEqual(['translated x'])
})
