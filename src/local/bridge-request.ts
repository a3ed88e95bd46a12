/** Parses a request in Neon's HTTP protocol. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Statement } from './bridge-batch.ts'
import { type Output, parameterText } from './bridge-values.ts'

/** A request that is answered without asking Postgres. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** One statement, or several as a transaction, with the options of START TRANSACTION. */
export type Asked =
  | { readonly statement: Statement }
  | { readonly statements: readonly Statement[]; readonly mode: string }

/** Reads the body of a request, whose headers say how rows are wanted and what kind of transaction. @throws Refusal */
export function askedOf(text: string, headers: IncomingHttpHeaders): Asked {
  const standard: Output = {
    isRaw: headers['neon-raw-text-output'] === 'true',
    isArray: headers['neon-array-mode'] === 'true',
  }
  const body = parsed(text)
  if (body.queries === undefined) return { statement: statementOf(body, standard) }
  if (!Array.isArray(body.queries)) throw new Refusal(400, 'queries must be an array')
  const statements = body.queries.map((each: Body) => statementOf(each, standard))
  return { statements, mode: modeOf(headers) }
}

const levels = new Map([
  ['ReadUncommitted', 'READ UNCOMMITTED'],
  ['ReadCommitted', 'READ COMMITTED'],
  ['RepeatableRead', 'REPEATABLE READ'],
  ['Serializable', 'SERIALIZABLE'],
])

/** As on Neon, the words are taken exactly as the driver writes them, and what is not `true` is as if it were absent. */
function modeOf(headers: IncomingHttpHeaders): string {
  const level = headers['neon-batch-isolation-level']
  const words = typeof level === 'string' ? levels.get(level) : ''
  if (words === undefined) throw new Refusal(400, 'invalid isolation level')
  const modes = [
    words && `ISOLATION LEVEL ${words}`,
    headers['neon-batch-read-only'] === 'true' && 'READ ONLY',
    headers['neon-batch-deferrable'] === 'true' && 'DEFERRABLE',
  ].filter(Boolean)
  return modes.length > 0 ? ` ${modes.join(', ')}` : ''
}

type Body = { query?: unknown; params?: unknown; arrayMode?: unknown; queries?: unknown }

function statementOf(value: Body, standard: Output): Statement {
  const { query, params, arrayMode } = value ?? {}
  if (typeof query !== 'string') throw new Refusal(400, 'query must be a string')
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new Refusal(400, 'params must be an array')
  }
  const output = typeof arrayMode === 'boolean' ? { ...standard, isArray: arrayMode } : standard
  return { query, values: (params ?? []).map(parameterText), output }
}

function parsed(text: string): Body {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return body
  } catch {
    // Said below.
  }
  throw new Refusal(400, 'the body must be a JSON object')
}

/** The body of a request as text. @throws Refusal 413 */
export async function bodyOf(request: IncomingMessage, maximum: number): Promise<string> {
  const tooLarge = () => new Refusal(413, `request is too large (max is ${maximum} bytes)`)
  if (Number(request.headers['content-length'] ?? 0) > maximum) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maximum) {
        chunks.length = 0
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    request.on('end', () =>
      resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')),
    )
    request.on('error', reject)
  })
}
