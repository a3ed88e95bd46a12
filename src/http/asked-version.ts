import type { Problem } from '../core/problem.ts'
import { versionProblems } from '../core/problems/index.ts'
import type { Dialect } from '../core/versions.ts'
import { dialects, isRetired, standingDialect, versions } from '../versions/index.ts'

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
  if (asked === null) return { dialect: standingDialect(standard, now), problem: null }
  return namedVersion(asked, standard, now)
}

/** The version of a name, as `askedVersion` reads it from the header. */
export function namedVersion(
  asked: string,
  standard: string,
  now: Date,
): { dialect: Dialect; problem: Problem | null } {
  const named = dialects.get(asked)
  if (!named) {
    const supportedVersions = versions.filter((each) => !isRetired(each, now)).map((each) => each.name)
    const problem = versionProblems.unknown({ version: asked }, { members: { supportedVersions } })
    return { dialect: standingDialect(standard, now), problem }
  }
  if (!isRetired(named.version, now)) return { dialect: named, problem: null }
  const sunset = named.version.sunset ?? ''
  return {
    dialect: standingDialect(standard, now),
    problem: versionProblems.retired({ version: asked, sunset }),
  }
}
