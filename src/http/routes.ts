import { lazily } from '../core/lazily.ts'
import type { Operation } from '../core/operation.ts'
import { bodyTypes } from './request-body.ts'

/** `/api/products/{id}` as Hono writes it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** What OPTIONS and 405 say of a path: its methods, and what it takes (RFC 5789 §3.1). */
export function methodHeaders(methods: readonly string[]): Record<string, string> {
  return {
    Allow: methods.join(', '),
    ...(methods.includes('PATCH') && { 'Accept-Patch': bodyTypes.patch.join(', ') }),
    ...(methods.includes('POST') && { 'Accept-Post': bodyTypes.create.join(', ') }),
  }
}

/** Tells which methods a path has in a version; none when nothing has the path. */
export function methodsAt(
  routes: readonly Pick<Operation, 'method' | 'path' | 'onlyIn'>[],
): (pathname: string, version: string | undefined) => string[] {
  const known = lazily(() =>
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, each]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      each,
    })),
  )
  return (pathname, version) => {
    const methods: string[] = known()
      .filter(({ pattern }) => pattern.test(pathname))
      .flatMap(({ each }) => each.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version))
      .map(({ method }) => method)
    if (methods.length === 0) return []
    const reading = methods.includes('GET') ? ['HEAD'] : []
    return [...new Set([...methods, ...reading, 'OPTIONS'])]
  }
}
