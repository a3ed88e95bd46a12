import { describe, expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import type { BodyOf } from '../../core/operation.ts'
import { created, patchTexts, render } from '../../core/state.ts'
import type { ProductParts } from './document.ts'
import { decide } from './rules.ts'
import { product as shape } from './schema.ts'

const now = new Date('2026-01-02T03:04:05.678Z')
const locales = ['en-US'] as const
const locale = localeOf(locales, null)
const id = '01900000-0000-7000-8000-000000000001'

function productOf(body: BodyOf<typeof shape>): ProductParts {
  const state = created(shape, { title: 'Shirt', handle: 'shirt', ...body }, locale)
  return {
    id,
    document: render(shape, { iri: `/api/products/${id}`, id }, state, locales),
    translations: state.translations,
    status: state.values.status,
    version: 1,
    createdAt: '2026-01-01T00:00:00.000000Z',
    updatedAt: '2026-01-01T00:00:00.000000Z',
    categories: [],
    collections: [],
    options: [],
    variants: [],
    variantsTotal: 0,
  }
}

function decisionOn(
  product: ProductParts,
  body: BodyOf<typeof shape>,
  archivedChannels: readonly string[] = [],
) {
  const input = {
    product,
    archivedChannels,
    takenNames: [],
    references: { existing: new Set<string>(), metaobjects: [] },
    rules: { version: 0, collections: [] },
    existing: new Set<string>(),
    categories: new Map(),
  }
  return decide({ now, tenant: { locales } }, input, body, patchTexts(shape, body, locale))
}

describe('a change of a product', () => {
  test('that archives it empties its channels, stores them for a restore and records the time', () => {
    const change = decisionOn(productOf({ channels: ['web'] }), { status: 'ARCHIVED' })
    expect(change?.archivedChannels).toEqual(['web'])
    expect(change?.state.values).toMatchObject({
      status: 'ARCHIVED',
      channels: [],
      archivedAt: '2026-01-02T03:04:05.678000Z',
    })
    expect(change?.after.status).toBe('ARCHIVED')
  })

  test('that restores it clears the time of archiving', () => {
    const archived = decisionOn(productOf({}), { status: 'ARCHIVED' })?.after ?? productOf({})
    expect(decisionOn(archived, { status: 'DRAFT' })?.state.values).toMatchObject({ archivedAt: null })
  })

  test.each([
    ['without channels restores the stored ones', {}, ['web', 'store']],
    ['with channels replaces them', { channels: ['app'] }, ['app']],
    ['with an empty array of channels leaves it without channels', { channels: [] }, []],
    ['with channels of null leaves it without channels', { channels: null }, []],
  ] as const)('that restores it %s', (_, body, channels) => {
    const archived = productOf({ status: 'ARCHIVED', channels: [] })
    const change = decisionOn(
      archived,
      { status: 'ACTIVE', ...(structuredClone(body) as BodyOf<typeof shape>) },
      ['web', 'store'],
    )
    expect(change?.state.values.channels).toEqual(channels)
    expect(change?.archivedChannels).toEqual([])
  })

  test('with its current values changes nothing', () => {
    expect(decisionOn(productOf({ channels: ['web'] }), { title: 'Shirt', channels: ['web'] })).toBe(null)
  })

  test('of an archived product fails unless it restores the product', () => {
    const archived = productOf({ status: 'ARCHIVED' })
    expect(() => decisionOn(archived, { vendor: 'Acme' })).toThrow('product.archived')
  })

  test('reports a cleared handle and an unknown category together', () => {
    const violations = ['handle', 'categories[0]'].map((propertyPath) =>
      expect.objectContaining({ propertyPath }),
    )
    expect(() => decisionOn(productOf({}), { handle: null, categories: [id] })).toThrow(
      expect.objectContaining({ extras: { violations } }),
    )
  })
})
