import { budgets } from '../core/budgets.ts'
import type { Call } from './call.ts'

/** Names members of the body that mean nothing in `Service-Ignored-Properties`: in their order, before those that are named already. */
export function ignoreProperties(call: Pick<Call, 'ignored' | 'headers'>, paths: readonly string[]): void {
  const names = [...paths, ...call.ignored]
  call.ignored.clear()
  for (const name of names) call.ignored.add(name)
  if (call.ignored.size > 0) call.headers.set('Service-Ignored-Properties', namesHeader([...call.ignored]))
}

const more = '...'
const longestName = 100

/** Names as a header value: visible ASCII, in all within what a header may repeat; what is left out or cut ends in `...`. */
export function namesHeader(names: readonly string[]): string {
  const shown: string[] = []
  let length = more.length
  for (const name of names) {
    const cut = name.length > longestName ? more : ''
    const each = name.slice(0, longestName).replace(/[^\x21-\x2b\x2d-\x7e]/gu, escaped) + cut
    length += each.length + 2
    if (length > budgets.echoedHeader) return [...shown, more].join(', ')
    shown.push(each)
  }
  return shown.join(', ')
}

/** Percent-encoded UTF-8; half a surrogate pair has none. */
function escaped(character: string): string {
  return character === ',' ? '%2C' : encodeURIComponent(character.toWellFormed())
}
