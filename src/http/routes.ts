import { lazily } from '../core/lazily.ts'
import type { Operation } from '../core/operation.ts'
import { bodyTypes } from './body.ts'

/** `/api/products/{id}` as Hono writes it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** What can be done at a path: its methods, and the media types that a POST takes there. */
type Methods = { readonly allowed: readonly string[]; readonly posted: readonly string[] }

/** What OPTIONS and 405 say of a path: its methods, and what it takes (RFC 5789 §3.1). */
export function methodHeaders({ allowed, posted }: Methods): Record<string, string> {
  return {
    Allow: allowed.join(', '),
    ...(allowed.includes('PATCH') && { 'Accept-Patch': bodyTypes.patch.join(', ') }),
    ...(allowed.includes('POST') && { 'Accept-Post': posted.join(', ') }),
  }
}

/** Tells which methods a path has in a version; none when nothing has the path. */
export function methodsAt(
  routes: readonly Pick<Operation, 'method' | 'path' | 'onlyIn' | 'upload'>[],
): (pathname: string, version: string | undefined) => Methods {
  const known = lazily(() =>
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, each]) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      each,
    })),
  )
  return (pathname, version) => {
    const matching = known().filter(({ pattern }) => pattern.test(pathname))
    // `/api/collections/count` is no item, though `/api/collections/{id}` has room for it.
    const literal = matching.filter(({ path }) => path === pathname)
    const served = (literal.length > 0 ? literal : matching).flatMap(({ each }) =>
      each.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version),
    )
    const methods: string[] = served.map(({ method }) => method)
    const posted = served.find(({ method }) => method === 'POST')?.upload?.types ?? bodyTypes.create
    if (methods.length === 0) return { allowed: [], posted }
    const reading = methods.includes('GET') ? ['HEAD'] : []
    return { allowed: [...new Set([...methods, ...reading, 'OPTIONS'])], posted }
  }
}
