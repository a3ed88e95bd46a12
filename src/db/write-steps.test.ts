import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { numberRows, run, type WriteStep } from './write-steps.ts'

const save = (...ids: string[]): WriteStep => ({
  do: 'save',
  table: 'things',
  rows: ids.map((id) => ({ id })),
})
const links: WriteStep = { do: 'replace_links', table: 'links', owners: [], rows: [{ thing: 'a' }] }
const changes = [
  { id: 'b', version: 3 },
  { id: 'other', version: 9 },
  { id: 'a', version: 1 },
]

test('numberRows gives saved rows the version of their change and its place', () => {
  expect(numberRows([links, save('a', 'b')], changes, false)).toEqual({
    steps: [
      links,
      {
        do: 'save',
        table: 'things',
        rows: [
          { id: 'a', version: 1 },
          { id: 'b', version: 3 },
        ],
        places: [2, 0],
      },
    ],
    savedIds: new Set(['a', 'b']),
  })
})

test('numberRows gives rows in front of a query no place', () => {
  const placesOf = (steps: readonly WriteStep[], hasReadBack: boolean) => {
    const numbered = numberRows(steps, changes, hasReadBack)
    return [
      numbered.steps.map((step) => (step.do === 'save' ? step.places : step.do)),
      [...numbered.savedIds],
    ]
  }
  const query = run(sql`select 1`)
  expect(placesOf([save('a'), query, save('b')], false)).toEqual([[[null], 'run', [0]], ['b']])
  expect(placesOf([save('a'), save('b')], true)).toEqual([[[null], [null]], []])
})

test('numberRows uses the last change of a row that changes twice', () => {
  const { steps } = numberRows([save('a')], [...changes, { id: 'a', version: 2 }], false)
  expect(steps).toEqual([{ do: 'save', table: 'things', rows: [{ id: 'a', version: 2 }], places: [3] }])
})

test('numberRows rejects a saved row without a change', () => {
  expect(() => numberRows([save('c')], changes, false)).toThrow('row c of things')
})

test('run converts a statement to a template and its parameters', () => {
  expect(run(sql`select ${'a'}, ${5}, ${null} where '%' = ${'b'}`)).toEqual({
    do: 'run',
    query: "select %1$L, %2$L, %3$L where '%%' = %4$L",
    params: ['a', '5', null, 'b'],
  })
})
