import type { Problem } from '../core/problem.ts'
import { versionProblems } from '../core/problems/index.ts'
import type { Dialect } from '../core/version.ts'
import { dialects, isRetired, oldestLive, versions } from '../versions/index.ts'

/**
 * The API version that a request speaks: its header's, else the tenant's default. A default past its sunset is served by
 * the oldest version that lives; a header past its sunset, or one that names no version, is a problem kept for later.
 */
export function askedVersion(
  headers: Headers,
  standard: string,
  now: Date,
): { dialect: Dialect; problem: Problem | null } {
  const asked = headers.get('service-api-version')
  const named = asked === null ? undefined : dialects.get(asked)
  if (asked === null) return { dialect: standardDialect(standard, now), problem: null }
  if (!named) {
    const supportedVersions = versions.filter((each) => !isRetired(each, now)).map((each) => each.name)
    const problem = versionProblems.unknown({ version: asked }, { members: { supportedVersions } })
    return { dialect: standardDialect(standard, now), problem }
  }
  if (!isRetired(named.version, now)) return { dialect: named, problem: null }
  const sunset = named.version.sunset ?? ''
  return {
    dialect: standardDialect(standard, now),
    problem: versionProblems.retired({ version: asked, sunset }),
  }
}

function standardDialect(standard: string, now: Date): Dialect {
  const dialect = dialects.get(standard)
  return dialect && !isRetired(dialect.version, now) ? dialect : dialects.get(oldestLive(now).name)!
}
