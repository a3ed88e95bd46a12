/** Which members of a body are told as ignored, where what newer versions have no more is among them. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import type { Unwritten } from '../core/unwritten.ts'
import { ignoredNames } from './passed-over.ts'

const removed = (path: Unwritten['path'], value: Unwritten['value'], beside?: string): Unwritten => ({
  path,
  value,
  readOnly: true,
  removed: true,
  ...(beside !== undefined && { beside }),
})

const told = (passedOver: readonly Unwritten[], exists: boolean, document: JsonObject = { '@id': '/a' }) =>
  ignoredNames(
    passedOver,
    { kind: 'item', document, version: null },
    {
      exists,
      type: 'Thing',
      hidden: new Map([['Thing', new Set(['secret'])]]),
      origins: [],
      spoken: Object.assign((path: string) => `spoken ${path}`, { text: (_: string, text: string) => text }),
      inVersion: () => ({ '@id': '/a', old: 1, parts: [{ '@id': '/b', old: 2 }] }),
    },
  )

describe('what newer versions have no more', () => {
  test('counts in what exists where it differs from what the version shows, under the name that was sent', () => {
    expect(told([removed(['old'], 1)], true)).toEqual([])
    expect(told([removed(['old'], 1, '/a')], true)).toEqual([])
    expect(told([removed(['old'], 2)], true)).toEqual(['old'])
    expect(told([removed(['unseen'], 2)], true)).toEqual([])
  })

  test('counts in what is made wherever it says something that the version shows', () => {
    expect(told([removed(['old'], 1)], false)).toEqual(['old'])
    expect(told([removed(['old'], null)], false)).toEqual([])
    expect(told([removed(['unseen'], 1)], false)).toEqual([])
  })

  test('counts beside what is referred to where that says something else', () => {
    expect(told([removed(['parts', 0, 'old'], 2, '/b')], false)).toEqual([])
    expect(told([removed(['parts', 3, 'old'], 2, '/b')], true)).toEqual([])
    expect(told([removed(['parts', 0, 'old'], 1, '/b')], true)).toEqual(['parts[0].old'])
    expect(told([removed(['parts', 0, 'old'], 2, '/c')], false)).toEqual(['parts[0].old'])
  })
})

test('everything else is compared with today’s document and told in the names of the version', () => {
  const readOnly = { path: ['size'], readOnly: true, value: 3 }
  expect(told([readOnly], true, { '@id': '/a', size: 3 })).toEqual([])
  expect(told([readOnly], true, { '@id': '/a', size: 4 })).toEqual(['spoken size'])
  expect(told([{ path: ['secret'], readOnly: true, value: 3 }], false)).toEqual([])
  expect(told([{ path: ['x'], readOnly: false, value: 3 }], false)).toEqual(['spoken x'])
})
