import * as z from 'zod'
import { readOnly, type Shape } from '../../core/schema.ts'
import type { Version } from '../../core/versions.ts'
import { apiVersionNamed, currentVersion, isRetired, versions } from '../../versions/index.ts'
import { serviceResource } from '../shared/service-resource.ts'

const change = z.object({
  description: z.string(),
  type: z.string(),
  renames: z.record(z.string(), z.string()),
})

const apiVersion = {
  type: 'ApiVersion',
  description: 'A version of this API: how long it is served, and what broke with it.',
  collection: '/api/versions',
  readWith: null,
  properties: {
    name: readOnly(z.string(), 'The value of the header Service-Api-Version.', { example: '2026-07' }),
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
        // No rename: the document of one version must not contain names of another.
        example: [],
      },
    ),
  },
} satisfies Shape

export const resource = serviceResource({
  shape: apiVersion,
  list: { name: 'listVersions', summary: 'List the API versions' },
  item: { name: 'getVersion', summary: 'Read an API version' },
  key: 'name',
  documents: ({ now }) => versions.map((version) => document(version, now)),
})

function document(version: Version, now: Date) {
  const { name, released, sunset, breakingChanges } = version
  return {
    '@id': `${apiVersion.collection}/${name}`,
    '@type': apiVersion.type,
    name,
    released,
    sunset,
    status: statusOf(version, now),
    changes: breakingChanges.map(({ description, type, renames }) => ({ description, type, renames })),
  }
}

function statusOf(version: Version, now: Date): string {
  if (isRetired(version, now)) return 'retired'
  if (version.name === currentVersion) return 'current'
  return apiVersionNamed(version.name).deprecated ? 'deprecated' : 'supported'
}
