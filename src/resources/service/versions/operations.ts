import * as z from 'zod'
import type { Value } from '../../../core/document.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../../core/operation.ts'
import type { Version } from '../../../core/versions.ts'
import { currentVersion, dialectNamed, isRetired, versions } from '../../../versions/index.ts'
import { fixed } from '../../fixed.ts'
import { apiVersion as shape } from './schema.ts'

const common = { ...fixed, shape } as const

export const resource: Resource = {
  shape,
  problems: [],
  operations: [
    operation({
      ...common,
      name: 'listVersions',
      summary: 'List the API versions',
      path: '/api/versions',
      answers: 'collection',
      run: listVersions,
    }),
    operation({
      ...common,
      name: 'getVersion',
      summary: 'Read an API version',
      path: '/api/versions/{name}',
      params: { name: z.string() },
      answers: 'item',
      run: getVersion,
    }),
  ],
}

async function listVersions({ now }: Context): Promise<Answer> {
  return { kind: 'collection', members: versions.map((each) => document(each, now)), total: versions.length }
}

async function getVersion({ now }: Context, { params }: Input<{ params: 'name' }>): Promise<Answer> {
  const found = versions.find(({ name }) => name === params.name)
  if (!found) throw fixed.notFound()
  return { kind: 'item', document: document(found, now), version: null }
}

function document(version: Version, now: Date): Value {
  const { name, released, sunset, breakingChanges } = version
  return {
    '@id': `${shape.collection}/${name}`,
    '@type': shape.type,
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
  return dialectNamed(version.name).deprecated ? 'deprecated' : 'supported'
}
