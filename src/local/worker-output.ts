import { stripVTControlCharacters } from 'node:util'

/**
 * Makes of what `wrangler dev` prints what a developer wants to see: the service's own lines as they are in production, one of JSON
 * each (`src/core/log.ts`), and wrangler's errors. Takes text in pieces, and writes whole lines.
 */
export function ownLines(write: (text: string) => void): (text: string) => void {
  let unfinished = ''
  let isPassedOver = false
  return (text) => {
    const lines = `${unfinished}${text}`.split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) {
      const plain = stripVTControlCharacters(line)
      const own = /\{"event":.*\}/.exec(plain)?.[0]
      if (own !== undefined) write(`${own}\n`)
      // Continuation lines of a message are indented or empty.
      if (/^\S/.test(plain)) isPassedOver = own !== undefined || plain.startsWith('▲ [WARNING]')
      if (!isPassedOver) write(`${line}\n`)
    }
  }
}
