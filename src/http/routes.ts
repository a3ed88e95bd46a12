import type { Operation } from '../core/operation.ts'

/** `/api/products/{id}` as Hono writes it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** Tells which methods a path has; none when nothing has the path. */
export function methodsAt(
  routes: readonly Pick<Operation, 'method' | 'path'>[],
): (pathname: string) => string[] {
  const patterns = Map.groupBy(routes, ({ path }) => path)
  const known = [...patterns].map(([path, each]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: each.map(({ method }) => method as string),
  }))
  return (pathname) => {
    const methods = known.filter(({ pattern }) => pattern.test(pathname)).flatMap((each) => each.methods)
    if (methods.length === 0) return []
    const reading = methods.includes('GET') ? ['HEAD'] : []
    return [...new Set([...methods, ...reading, 'OPTIONS'])]
  }
}
