import type { Dialect } from '../core/versions.ts'
import { versions } from '../versions/index.ts'

/**
 * The headers that announce the end of a version: `Deprecation` (RFC 9745) since its successor is out, `Sunset`
 * (RFC 8594). Nothing for the current and the rolling version.
 */
export function deprecationHeaders({ version, deprecated }: Dialect): Readonly<Record<string, string>> {
  const successor = versions[versions.indexOf(version) + 1]
  if (!deprecated || !version.sunset || !successor?.released) return {}
  return {
    Deprecation: `@${Date.parse(successor.released) / 1000}`,
    Sunset: new Date(version.sunset).toUTCString(),
  }
}
