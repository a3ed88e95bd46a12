/** Decides patches of a category without a database. */
import { expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import { patchTexts } from '../../core/state.ts'
import type { CategoryParts } from './document.ts'
import { decideChange, type RelatedRows } from './rules.ts'
import { type Body, category } from './schema.ts'

const locale = localeOf(['en-US'], null)

const shirts: CategoryParts = {
  id: 'shirts',
  document: JSON.stringify({ externalId: null, handle: 'shirts', fields: [] }),
  translations: { 'en-US': { title: 'Shirts' } },
  parentId: null,
  position: 1,
  level: 0,
  version: 3,
  createdAt: '',
  updatedAt: '',
  ancestors: [],
  children: ['polo', 'tee'],
  childrenTotal: 2,
}

const node = (id: string, parentId: string | null, level: number) => ({ id, parentId, level, version: 1 })

const related: RelatedRows = {
  nodes: [
    node('shirts', null, 0),
    node('polo', 'shirts', 1),
    node('tee', 'shirts', 1),
    node('tank', null, 0),
  ],
  siblings: [{ siblings: 2 }],
  taken: [],
  references: { existing: new Set(), metaobjects: [] },
}

const decided = (body: Body, overrides: Partial<RelatedRows> = {}) =>
  decideChange({ id: 'shirts', body, textUpdate: patchTexts(category, body, locale) }, shirts, {
    ...related,
    ...overrides,
  })

test.each<[string, Body]>([
  ['nothing', {}],
  ['the existing state', { title: 'Shirts', handle: 'shirts', parent: null, children: ['polo', 'tee'] }],
  ['the end, where it stands', { position: -1 }],
])('%s changes nothing', (_, body) => {
  expect(decided(body)).toBeNull()
})

test('children that are listed come in, and those left out leave', () => {
  const decision = decided({ children: ['tee', 'tank'] })
  expect(decision).toMatchObject({ children: ['tee', 'tank'], state: null, moves: null, position: null })
  expect(decision?.added.map((node) => node.id)).toEqual(['tank'])
  expect(decision?.dropped.map((node) => node.id)).toEqual(['polo'])
})

test('under another parent it comes last unless a position is written', () => {
  const moves = { from: null, parentId: 'tank' }
  expect(decided({ parent: 'tank', position: -1 })).toMatchObject({ moves, position: null })
  expect(decided({ parent: 'tank', position: 0 })).toMatchObject({ moves, position: 0 })
})

test('a handle that another category has is refused', () => {
  const takenNames = [{ kind: 'handle', value: 'tanks' }] as const
  expect(() => decided({ handle: 'tanks' }, { taken: takenNames })).toThrow('category.handle_taken')
  expect(decided({ handle: 'tops' }, { taken: takenNames })?.state?.values.handle).toBe('tops')
})

test('below one of its own children it is refused', () => {
  expect(() => decided({ parent: 'tee' })).toThrow('category.cycle')
})
