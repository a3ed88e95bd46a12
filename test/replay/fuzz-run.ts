/**
 * Sends the requests in `fuzz.jsonl`, one after the other. The generator in test/hostile produced them once, for the rows in
 * `catalogue/`. The file stores complete requests, so a change of the generator or of the code cannot change them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecorded } from './catalogue.ts'
import { passStep } from './clock.ts'
import { Ordinals } from './ordinals.ts'
import { outcomeOf } from './outcome.ts'
import { callersAt, host } from './read-run.ts'
import type { Entry } from './recording.ts'
import type { Service } from './service.ts'

type Attack = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly caller?: 'nobody' | 'a person' | 'a reader'
  /** At most one of the three is present: any JSON, any text, or bytes in base64. */
  readonly body?: unknown
  readonly text?: string
  readonly bytes?: string
}

const fuzzFile = join(import.meta.dirname, 'fuzz.jsonl')

export async function fuzzEntries(service: Service): Promise<Entry[]> {
  const callers = await callersAt(service, host)
  const tokens = { nobody: null, 'a person': callers.editor ?? null, 'a reader': callers.reader ?? null }
  const lines = readFileSync(fuzzFile, 'utf8').trimEnd().split('\n')
  const entries: Entry[] = []
  for (const [index, line] of lines.entries()) {
    const attack: Attack = JSON.parse(line)
    const token = attack.caller ? tokens[attack.caller] : (callers.full ?? null)
    const body = bodyOf(attack)
    const type = attack.method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json'
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': type }),
      ...attack.headers,
    }
    passStep()
    const request = { method: attack.method, path: attack.path, headers, ...(body !== undefined && { body }) }
    const received = await service.send(host, request)
    const target = {
      host,
      context: '',
      version: attack.headers['service-api-version'],
      locale: attack.headers['service-locale'],
    }
    // Each response has its own ordinals: one more id in a response changes no other response.
    const ordinals = new Ordinals(isRecorded)
    const family = `${attack.path.replace(/\?.*$/s, '').replace(/[0-9a-f-]{36}/g, '*')} ${received.status}`
    const outcomes = [outcomeOf(target, received, ordinals.replace)]
    entries.push({
      title: `${attack.method} ${attack.path.slice(0, 300)}, line ${index + 1} of fuzz.jsonl`,
      family,
      outcomes,
    })
  }
  return entries
}

function bodyOf({ body, text, bytes }: Attack): string | Uint8Array<ArrayBuffer> | undefined {
  if (bytes !== undefined) return new Uint8Array(Buffer.from(bytes, 'base64'))
  return text ?? (body === undefined ? undefined : JSON.stringify(body))
}
