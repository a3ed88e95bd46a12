/** The writes of a grid: planned from its edits, and sent. */

import type { Plan } from '../prices/grid.ts'
import { changeAll, createAll, type Refusal } from '../prices/save.ts'
import { iriOf, type Patch } from './properties.ts'
import type { Line } from './submit.ts'

/** Above this number, the writes are a bulk operation. */
export const mostDirectWrites = 20

/** A write with the keys of its cells. */
export type GridWrite = Line & { readonly keys: readonly string[]; readonly version: number }

/** The writes of planned prices and patches. */
export function writesOf(plan: Plan, patches: readonly Patch[]): GridWrite[] {
  return [
    ...plan.created.map(({ key, body }) => ({
      method: 'POST' as const,
      path: '/api/sale_offers',
      body,
      keys: [key],
      version: 0,
    })),
    ...plan.changed.map(({ key, offer, amount }) => ({
      method: 'PATCH' as const,
      path: offer['@id'],
      body: { amount },
      keys: [key],
      version: offer.version,
    })),
    ...plan.removed.map(({ key, offer }) => ({
      method: 'DELETE' as const,
      path: offer['@id'],
      keys: [key],
      version: offer.version,
    })),
    ...patches.map(({ document, patch, keys }) => ({
      method: 'PATCH' as const,
      path: iriOf(document),
      body: patch,
      keys,
      version: Number(document.version),
    })),
  ]
}

/** Sends few writes: new prices in one request, changes one by one on the version that the user saw. Returns the errors by cell. */
export async function sendDirectly(
  writes: readonly GridWrite[],
  sameRequest: string,
): Promise<ReadonlyMap<string, Refusal>> {
  const creations = writes.filter(({ method }) => method === 'POST')
  const bodies = creations.map(({ body = {} }) => body)
  const refusals = new Map(refusalsByCell(creations, await createAll(bodies, sameRequest)))
  // A change of a variant raises the version of its product, so products are changed first.
  const isProduct = ({ path }: GridWrite) => /^\/api\/products\/[^/]+$/.test(path)
  const changes = Object.values(
    Object.groupBy(
      writes.filter(({ method }) => method !== 'POST'),
      (write) => (isProduct(write) ? 1 : 2),
    ),
  )
  for (const some of changes) {
    const sent = some.map(({ path, version, body = null }) => ({ iri: path, version, patch: body }))
    for (const [key, refusal] of refusalsByCell(some, await changeAll(sent))) refusals.set(key, refusal)
  }
  return refusals
}

/** Errors of writes by the keys of their cells. */
export function refusalsByCell(
  writes: readonly GridWrite[],
  refusals: ReadonlyMap<number, Refusal>,
): Map<string, Refusal> {
  return new Map(
    [...refusals].flatMap(([at, refusal]) => (writes[at]?.keys ?? []).map((key) => [key, refusal] as const)),
  )
}
