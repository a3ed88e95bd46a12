import * as z from 'zod'
import { readOnly, type Shape } from '../../../core/property.ts'

const change = z.object({
  description: z.string(),
  type: z.string(),
  renames: z.record(z.string(), z.string()),
})

export const apiVersion = {
  type: 'ApiVersion',
  description: 'A version of this API: how long it is served, and what broke with it.',
  collection: '/api/versions',
  readWith: null,
  properties: {
    name: readOnly(z.string(), 'What the header Service-Api-Version says.', { example: '2026-07' }),
    released: readOnly(z.iso.date().nullable(), 'The day it came out; null for the rolling version.', {
      example: '2026-07-01',
    }),
    sunset: readOnly(
      z.iso.date().nullable(),
      'The day from which it is no longer served; null when none is set.',
      { example: '2028-01-01' },
    ),
    status: readOnly(
      z.enum(['current', 'supported', 'deprecated', 'retired']),
      'current: the newest stable one; supported: served without a date to leave; deprecated: served until its sunset.',
      { example: 'supported' },
    ),
    changes: readOnly(
      z.array(change),
      'What broke with it, against the version before: renamed properties as data, whatever else changed in the description.',
      {
        // No rename: a document of one version names nothing of another.
        example: [],
      },
    ),
  },
} satisfies Shape
