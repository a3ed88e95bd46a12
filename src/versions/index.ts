import { type ApiVersion, buildApiVersions, type Version } from '../core/versions.ts'
import { version as v202607 } from './2026-07.ts'

/** The published versions, oldest first. A version that breaks something has a file of its own. */

export const versions: readonly Version[] = [
  { name: '2026-01', released: '2026-01-01', sunset: '2027-07-01', breakingChanges: [] },
  { name: '2026-04', released: '2026-04-01', sunset: '2027-10-01', breakingChanges: [] },
  v202607,
  { name: '2026-10', released: '2026-10-01', sunset: '2028-04-01', breakingChanges: [] },
  { name: 'unstable', released: null, sunset: null, breakingChanges: [] },
]

/** The newest stable version: what a new tenant defaults to. */
export const currentVersion = '2026-10'

/** What is derived from the list of versions. */

export const apiVersions = buildApiVersions(versions, currentVersion)

/** The dialect of a version that is one of these. */
export function apiVersionNamed(name: string): ApiVersion {
  const dialect = apiVersions.get(name)
  if (!dialect) throw new Error(`no version ${name}`)
  return dialect
}

/** True when a version is past its sunset at a moment. */
export function isRetired(version: Version, now: Date): boolean {
  return version.sunset !== null && now.getTime() >= Date.parse(version.sunset)
}

/** The oldest version that still lives: it serves defaults and pins that are past their sunset. */
export function oldestLive(now: Date): Version {
  const live = versions.find((each) => !isRetired(each, now))
  if (!live) throw new Error('every version is past its sunset')
  return live
}

/** The dialect of a default or a pin: past its sunset, or unknown, the oldest live version serves it. */
export function liveApiVersion(name: string, now: Date): ApiVersion {
  const dialect = apiVersions.get(name)
  return dialect && !isRetired(dialect.version, now) ? dialect : apiVersionNamed(oldestLive(now).name)
}
