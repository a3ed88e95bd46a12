/** Verification of a copy: finds the resources whose version in a copy is not that of the catalogue. */
import type { CatalogueClient, Components } from './index.ts'
import { CatalogueError, idOf } from './pages.ts'

type Compared = NonNullable<Components['2026-10']['schemas']['SyncDifferences']>
/** The types of resources that a copy can be compared for. */
export type ComparedType = NonNullable<Compared['type']>

/** The IRI and the version of a resource in a copy. */
export type CopiedVersion = readonly [resource: string, version: number]
/** A resource that a copy has in another version, or has not, or only the copy has: then `version` is null. */
export type CopyDifference = { readonly resource: string; readonly version: number | null }

type Row = {
  readonly resource: string
  readonly version: number
  readonly hash: string
  readonly value: number
}
type Range = { readonly rows: Row[]; sum: number }

/** The most ranges of a request. */
const rangesOfRequest = 1000

/**
 * Compares the versions of a copy with those of the catalogue, by sums over ranges of the ids. A copy of 100,000 resources with 1,000
 * differences needs two requests. Versions are compared, so properties that change without one are not. @throws CatalogueError
 */
export async function copyDifferences(
  catalogue: CatalogueClient<'2026-10'>,
  type: ComparedType,
  versions: Iterable<CopiedVersion> | AsyncIterable<CopiedVersion>,
): Promise<CopyDifference[]> {
  const rows: Row[] = []
  for await (const [resource, version] of versions) rows.push(await hashed(resource, version))
  const found = new Map<string, number | null>()
  let names = ['']
  while (names.length > 0) {
    const own = rangesOf(rows, names[0]?.length ?? 0)
    const parts: string[] = []
    for (let start = 0; start < names.length; start += rangesOfRequest) {
      const batch = names.slice(start, start + rangesOfRequest)
      const sums = Object.fromEntries(batch.map((name) => [name, sumOf(own.get(name))]))
      const { data, error, response } = await catalogue.POST('/api/sync/differences', {
        body: { type, sums },
      })
      if (!data) throw new CatalogueError(error, response.status)
      for (const { range, sums, versions } of data.ranges ?? []) {
        const copied = own.get(range)?.rows ?? []
        if (versions) compare(copied, versions, found)
        else parts.push(...differingParts(range, copied, sums ?? []))
      }
    }
    names = parts
  }
  return [...found].map(([resource, version]) => ({ resource, version }))
}

/** SHA-256 of the id selects the range, and SHA-256 of `id:version` is the value in the sum. */
async function hashed(resource: string, version: number): Promise<Row> {
  const id = idOf(resource)
  const hash = await sha256(id)
  return {
    resource,
    version,
    hash: hash.slice(0, 8),
    value: Number.parseInt((await sha256(`${id}:${version}`)).slice(0, 12), 16),
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest, 0, 6), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function rangesOf(rows: readonly Row[], digits: number): Map<string, Range> {
  const ranges = new Map<string, Range>()
  for (const row of rows) {
    const name = row.hash.slice(0, digits)
    const range = ranges.get(name) ?? { rows: [], sum: 0 }
    range.rows.push(row)
    range.sum = (range.sum + row.value) % 2 ** 48
    ranges.set(name, range)
  }
  return ranges
}

const sumOf = (range: Range | undefined): number[] => (range ? [range.rows.length, range.sum] : [0, 0])

function differingParts(range: string, rows: readonly Row[], sums: readonly number[][]): string[] {
  const digits = Math.log2(sums.length) / 4
  const own = rangesOf(rows, range.length + digits)
  return sums.flatMap(([count, sum], nth) => {
    const part = range + nth.toString(16).padStart(digits, '0')
    const [ownCount, ownSum] = sumOf(own.get(part))
    return count === ownCount && sum === ownSum ? [] : part
  })
}

function compare(
  rows: readonly Row[],
  versions: Readonly<Record<string, number>>,
  found: Map<string, number | null>,
) {
  const seen = new Set<string>()
  for (const { resource, version } of rows) {
    // A resource that the copy has twice differs, too.
    if (seen.has(resource) || versions[resource] !== version) found.set(resource, versions[resource] ?? null)
    seen.add(resource)
  }
  for (const [resource, version] of Object.entries(versions))
    if (!seen.has(resource)) found.set(resource, version)
}
