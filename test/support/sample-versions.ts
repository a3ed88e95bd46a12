/** The published versions with one breaking change of each sort on real resources, in two versions, so that they add up. */
import * as z from 'zod'
import type { JsonObject } from '../../src/core/json.ts'
import type { Version } from '../../src/core/version.ts'
import { version as v202607 } from '../../src/versions/2026-07.ts'

const commaSeparated = z
  .string()
  .max(1000)
  .describe('Free labels, separated by commas.')
  .meta({ examples: ['organic,summer'] })

const archived = z.boolean().describe('Whether it is archived.')
const origin = z
  .string()
  .max(20)
  .describe('Where it was entered.')
  .meta({ examples: ['api'] })

export const sampleVersions: readonly Version[] = [
  { name: '2026-01', released: '2026-01-01', sunset: '2027-07-01', breakingChanges: [] },
  { name: '2026-04', released: '2026-04-01', sunset: '2027-10-01', breakingChanges: [] },
  {
    ...v202607,
    breakingChanges: [
      ...v202607.breakingChanges,
      {
        description: 'Say maker where it was brand, and RETIRED where it was GONE.',
        type: 'Product',
        renames: { maker: 'brand', origin: 'source' },
        values: { status: { RETIRED: 'GONE' } },
      },
    ],
  },
  {
    name: '2026-10',
    released: '2026-10-01',
    sunset: '2028-04-01',
    breakingChanges: [
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
        removals: {
          archived: {
            schema: archived,
            taken: false,
            from: ['status'],
            value: ({ status }) => status === 'ARCHIVED',
          },
          origin: { schema: origin, taken: true, value: 'api' },
        },
      },
      {
        description: 'Send a position where a variant is not to be the last.',
        type: 'Variant',
        defaults: { position: 0 },
        values: { 'weight.unit': { kg: 'KG' } },
        removals: {
          grams: {
            schema: z.number().describe('Its weight in grams, where it is told in kilograms.'),
            taken: false,
            from: ['weight'],
            value: (members) => gramsOf(members),
          },
        },
      },
      {
        description: 'Say priority where it was rank.',
        type: 'SaleOffer',
        renames: { priority: 'rank' },
        values: { status: { DRAFT: 'PLANNED' } },
      },
      {
        description: 'Order categories by position; before, it was place.',
        type: 'Category',
        renames: { position: 'place', parent: 'mother' },
        defaults: { description: 'None.' },
        removals: {
          depth: {
            schema: z.int().describe('How deep it is, counted from one.'),
            taken: false,
            from: ['level'],
            value: ({ level }) => Number(level) + 1,
          },
        },
      },
      {
        description: 'Say topic where it was subject.',
        type: 'WebhookSubscription',
        renames: { topic: 'subject' },
      },
    ],
  },
  { name: 'unstable', released: null, sunset: null, breakingChanges: [] },
]

function gramsOf({ weight }: JsonObject): number | null {
  const { value, unit } = z.object({ value: z.number(), unit: z.string() }).parse(weight)
  return unit === 'kg' ? value * 1000 : null
}
