/** What is derived from the list of versions. */
import { type Dialect, dialectsOf, type Version } from '../core/versions.ts'
import { currentVersion, versions } from './list.ts'

export { currentVersion, versions } from './list.ts'

export const dialects = dialectsOf(versions, currentVersion)

/** The dialect of a version that is one of these. */
export function dialectNamed(name: string): Dialect {
  const dialect = dialects.get(name)
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
export function standingDialect(name: string, now: Date): Dialect {
  const dialect = dialects.get(name)
  return dialect && !isRetired(dialect.version, now) ? dialect : dialectNamed(oldestLive(now).name)
}
