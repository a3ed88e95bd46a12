import { bodyTypes, bodyTypesOf, type Operation } from '../core/operation.ts'
import type { Problem } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'

/** `/api/products/{id}` in Hono's notation. Only the parameter `path` may contain slashes. */
export function honoPath(path: string): string {
  return path.replace(/\{(path|externalId)\}/, ':$1{.+}').replace(/\{(\w+)\}/g, ':$1')
}

/** The methods of a path, and the media types that a POST and a PATCH accept there. */
type Methods = {
  readonly allowed: readonly string[]
  readonly posted: readonly string[]
  readonly patched: readonly string[]
}

/** The headers of OPTIONS and 405 (RFC 5789 §3.1). */
export function methodHeaders({ allowed, posted, patched }: Methods): Record<string, string> {
  return {
    Allow: allowed.join(', '),
    ...(allowed.includes('PATCH') && { 'Accept-Patch': patched.join(', ') }),
    ...(allowed.includes('POST') && { 'Accept-Post': posted.join(', ') }),
  }
}

/** The problem of a request that no operation serves: 405 if its path has other methods, else 404. */
export function unservedProblem(methods: Methods, method: string): Problem {
  if (methods.allowed.length === 0) return httpProblems.not_found()
  const help = `The path has the methods ${methods.allowed.join(', ')}. Use one of them.`
  return httpProblems.method_not_allowed({ method }, { help, headers: methodHeaders(methods) })
}

/** Finds the methods of a path in a version; none if the path does not exist. */
export function methodsAt(
  routes: readonly Pick<Operation, 'method' | 'path' | 'onlyIn' | 'body' | 'upload'>[],
): (pathname: string, version: string | undefined) => Methods {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, pathRoutes]) => ({
    path,
    pattern: new RegExp(
      `^${path
        .replaceAll('.', '\\.')
        .replace('{path}', '.+')
        .replace(/\{\w+\}/g, '[^/]+')}$`,
    ),
    pathRoutes,
  }))
  return (pathname, version) => {
    const matching = paths.filter(({ pattern }) => pattern.test(pathname))
    // `/api/collections/count` also matches the pattern of `/api/collections/{id}`.
    const literal = matching.filter(({ path }) => path === pathname)
    const served = (literal.length > 0 ? literal : matching).flatMap(({ pathRoutes }) =>
      pathRoutes.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version),
    )
    const methods: string[] = served.map(({ method }) => method)
    const posted = served.find(({ method }) => method === 'POST')?.upload?.types ?? bodyTypes.create
    const { body } = served.find(({ method }) => method === 'PATCH') ?? {}
    const patched = body ? bodyTypesOf(body) : []
    if (methods.length === 0) return { allowed: [], posted, patched }
    const reading = methods.includes('GET') ? ['HEAD'] : []
    return { allowed: [...new Set([...methods, ...reading, 'OPTIONS'])], posted, patched }
  }
}
