import type { Call } from './call.ts'

/** Names members of the body that mean nothing, beside those that are named already, in `Service-Ignored-Properties`. */
export function ignoreProperties(call: Pick<Call, 'ignored' | 'headers'>, paths: readonly string[]): void {
  for (const path of paths) call.ignored.add(path)
  if (call.ignored.size > 0) call.headers.set('Service-Ignored-Properties', namesHeader([...call.ignored]))
}

/** Names as a header value: visible ASCII, at most fifty of them, the rest as `...`. */
export function namesHeader(names: readonly string[]): string {
  const shown = names
    .slice(0, 50)
    .map((name) => name.slice(0, 100).replace(/[^\x21-\x2b\x2d-\x7e]/gu, escaped))
  return [...shown, ...(names.length > shown.length ? ['...'] : [])].join(', ')
}

/** Percent-encoded UTF-8; half a surrogate pair has none. */
function escaped(character: string): string {
  return character === ',' ? '%2C' : encodeURIComponent(character.toWellFormed())
}
