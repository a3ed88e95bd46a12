import { type ApiVersion, buildApiVersions, type Version } from '../core/versions.ts'
import { version as v202607 } from './2026-07.ts'

/** The published versions, oldest first. A version with breaking changes has its own file. */
export const versions: readonly Version[] = [
  { name: '2026-01', released: '2026-01-01', sunset: '2027-07-01', breakingChanges: [] },
  { name: '2026-04', released: '2026-04-01', sunset: '2027-10-01', breakingChanges: [] },
  v202607,
  { name: '2026-10', released: '2026-10-01', sunset: '2028-04-01', breakingChanges: [] },
  { name: 'unstable', released: null, sunset: null, breakingChanges: [] },
]

/** The newest stable version, and the default of new tenants. */
export const currentVersion = '2026-10'

/** The versions by name, with the data that follows from their list. */
export const apiVersions = buildApiVersions(versions, currentVersion)

/** An API version by its name. */
export function apiVersionNamed(name: string): ApiVersion {
  const apiVersion = apiVersions.get(name)
  if (!apiVersion) throw new Error(`no version ${name}`)
  return apiVersion
}

/** Whether a version is past its sunset at a time. */
export function isRetired(version: Version, now: Date): boolean {
  return version.sunset !== null && now.getTime() >= Date.parse(version.sunset)
}

/** The oldest version before its sunset. It replaces defaults and pins that are past their sunset. */
export function oldestLive(now: Date): Version {
  const live = versions.find((version) => !isRetired(version, now))
  if (!live) throw new Error('every version is past its sunset')
  return live
}

/** The API version of a default or a pin. The oldest live version replaces unknown versions and those past their sunset. */
export function liveApiVersion(name: string, now: Date): ApiVersion {
  const apiVersion = apiVersions.get(name)
  return apiVersion && !isRetired(apiVersion.version, now)
    ? apiVersion
    : apiVersionNamed(oldestLive(now).name)
}
