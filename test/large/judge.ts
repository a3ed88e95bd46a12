/** The faults of a response about resources of any size. */
import { byteLimits } from '../../src/core/limits.ts'
import type { Answer, Asked } from './site.ts'

/** Bytes of an answer's headers, names and all. */
const mostHeaders = 16_000
/** Milliseconds of this process, far beyond what anything takes: how fast it is, no test says. */
const mostCpu = 10_000

type Node = ReturnType<typeof JSON.parse>

/** The faults of one answer, each in the same words whatever the things are called. */
export function faultsOf(asked: Asked, answer: Answer): string[] {
  const { status, headers, body, bytes } = answer
  const faults: string[] = []
  const atMost = (what: string, amount: number, most: number) => {
    if (amount > most) faults.push(`${what}: ${amount} > ${most}`)
  }
  if (status === 0) faults.push(`no answer: ${answer.text}`)
  if (status >= 500) faults.push(`status ${status} ${body?.slug ?? answer.text.slice(0, 200)}`)
  if (status >= 400 && status < 500 && asked.path !== '/mcp') faults.push(...faultsOfProblem(body))
  atMost('bytes of an answer', bytes, byteLimits.answer)
  atMost('bytes of the headers', headersBytes(headers), mostHeaders)
  for (const name of ['service-ignored-properties', 'service-ignored-parameters'])
    atMost(`bytes of ${name}`, Buffer.byteLength(headers.get(name) ?? ''), byteLimits.echoedHeader)
  atMost('milliseconds of CPU', answer.cpu, mostCpu)
  if (status < 200 || status >= 300 || !body) return faults
  if (body['@type'] === 'Event') atMost('bytes of an event', bytes, byteLimits.event)
  else if (isItem(body)) atMost('bytes of an item', bytes, byteLimits.item)
  for (const each of body.member ?? []) {
    if (each['@type'] === 'Event')
      atMost('bytes of an event in a list', sizeOf(each.document), byteLimits.event)
  }
  return faults
}

/** Sent back whole: previews and tests show the text of a payload, which is bounded as one. */
function isItem(body: Node): boolean {
  const type = body['@type']
  return typeof type === 'string' && !/^(?:Collection|Webhook(?:Preview|Test)|Error)$/.test(type)
}

function faultsOfProblem(body: Node): string[] {
  if (!body?.code || !body?.slug) return ['a refusal that is no problem of the catalogue']
  const listed = body.violations?.length ?? 0
  return listed > byteLimits.violations ? [`violations listed: ${listed} > ${byteLimits.violations}`] : []
}

function headersBytes(headers: Headers): number {
  return [...headers].reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + 4, 0)
}

/** Bytes of a value as JSON. */
function sizeOf(value: unknown): number {
  return value === undefined || value === null ? 0 : Buffer.byteLength(JSON.stringify(value))
}

/** Something that a document leaves out: how many there are, and where they are. */
export type LeftOut = { readonly name: string; readonly total: number; readonly next: string | null }

/** The members that a document, or any that it embeds, replaces by a total. */
export function leftOutIn(node: Node, limit = 3): LeftOut[] {
  const found: LeftOut[] = []
  const walk = (each: Node): void => {
    if (found.length >= limit || each === null || typeof each !== 'object') return
    if (Array.isArray(each)) {
      for (const one of each) walk(one)
      return
    }
    for (const [name, value] of Object.entries<Node>(each)) {
      const kind = /^(variants|values|children)Total$/.exec(name)?.[1]
      const shown = kind === undefined ? 0 : (each[kind]?.length ?? 0)
      if (kind !== undefined && value > shown && found.length < limit)
        found.push({ name: kind, total: value - shown, next: each[`${kind}View`]?.next ?? null })
      walk(value)
    }
  }
  walk(node)
  return found
}

/** Whether something was refused for its size alone, so that less of it is to be tried. */
export function isRefusedForSize({ status, body }: Answer): boolean {
  if (status === 413) return true
  const slugs: string[] = body?.violations?.map((each: Node) => each.slug) ?? [body?.slug]
  return (status === 422 || status === 409) && slugs.every((slug) => sizes.test(slug ?? ''))
}

const sizes = /\.(?:document_too_large|too_long|too_many_items|\w*limit)$/
