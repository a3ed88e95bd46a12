/** Whether a file is the export of a tenant as it is now, by its first line and its last. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import * as z from 'zod'
import { sealOf } from '../moving/file.ts'

const header = z.object({ kind: z.literal('export'), tenant: z.object({ host: z.string() }) })
const end = z.object({ kind: z.literal('end'), sequence: z.int() })

/** Bytes in which a first or a last line is looked for. */
const most = 1 << 20

/** The reason why a file is not the complete current export of a tenant. Null if it is. */
export function exportFault(
  path: string,
  { hosts, sequence }: { readonly hosts: readonly string[]; readonly sequence: number },
): string | null {
  const lines = firstAndLast(path)
  if (!lines) return `There is no file ${path}.`
  const [first, last] = [header.safeParse(lines.first), end.safeParse(lines.last)]
  if (!first.success) return `${path} is no export of a tenant.`
  if (!hosts.includes(first.data.tenant.host)) return `${path} is an export of ${first.data.tenant.host}.`
  if (!last.success)
    return `${path} is not complete. Run the same "npm run export" again, which continues it.`
  if (sealOf(path) !== 'matches')
    return `${path} has no digest, or one that differs from its content. Run the same "npm run export" again into a new file.`
  if (last.data.sequence < sequence) {
    return `${path} is of sequence ${last.data.sequence}, and the tenant has changed since: it is at ${sequence}. Run the same "npm run export" again.`
  }
  return null
}

function firstAndLast(path: string): { first: unknown; last: unknown } | null {
  const file = opened(path)
  if (file === null) return null
  try {
    const { size } = fstatSync(file)
    const text = (from: number) => {
      const bytes = Buffer.alloc(Math.min(most, size))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8')
    }
    const [first = ''] = text(0).split('\n', 1)
    const last =
      text(Math.max(0, size - most))
        .trimEnd()
        .split('\n')
        .at(-1) ?? ''
    return { first: jsonIn(first), last: jsonIn(last) }
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
