/** The published versions with one change of each sort on real resources, in two versions, so that they add up. */
import * as z from 'zod'
import type { Version } from '../../src/core/version.ts'
import { version as v202607 } from '../../src/versions/2026-07.ts'

const commaSeparated = z
  .string()
  .max(1000)
  .describe('Free labels, separated by commas.')
  .meta({ examples: ['organic,summer'] })

export const sampleVersions: readonly Version[] = [
  { name: '2026-01', released: '2026-01-01', sunset: '2027-07-01', changes: [] },
  { name: '2026-04', released: '2026-04-01', sunset: '2027-10-01', changes: [] },
  {
    ...v202607,
    changes: [
      ...v202607.changes,
      {
        description: 'Say maker where it was brand, and RETIRED where it was GONE.',
        type: 'Product',
        renames: { maker: 'brand' },
        values: { status: { RETIRED: 'GONE' } },
      },
    ],
  },
  {
    name: '2026-10',
    released: '2026-10-01',
    sunset: '2028-04-01',
    changes: [
      {
        description: 'Read products as they are today.',
        type: 'Product',
        renames: { vendor: 'maker' },
        moves: { 'seo.title': 'seoTitle' },
        values: { status: { ARCHIVED: 'RETIRED' }, 'media.type': { IMAGE: 'PICTURE' } },
        defaults: { status: 'ACTIVE' },
        rewrites: [
          {
            after: ['tags'],
            before: { tags: commaSeparated },
            down: ({ tags }) => ({ tags: (tags as readonly string[]).join(',') }),
            up: ({ tags }) => ({ tags: tags === '' ? [] : String(tags).split(',') }),
          },
        ],
      },
      {
        description: 'Send a position where a variant is not to be the last.',
        type: 'Variant',
        defaults: { position: 0 },
        values: { 'weight.unit': { kg: 'KG' } },
      },
      {
        description: 'Order categories by position; before, it was place.',
        type: 'Category',
        renames: { position: 'place', parent: 'mother' },
        defaults: { description: 'None.' },
      },
      {
        description: 'Say topic where it was subject.',
        type: 'WebhookSubscription',
        renames: { topic: 'subject' },
      },
    ],
  },
  { name: 'unstable', released: null, sunset: null, changes: [] },
]
