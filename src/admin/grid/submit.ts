/** Many writes as one bulk operation: submitted, followed until its end, and undone. */
import type { Fields } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { everyMember } from '../core/pages.ts'
import type { Refusal } from '../prices/save.ts'
import { gridWords } from './words.ts'

/** A line of a bulk operation. */
export type Line = {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

type Operation = {
  readonly '@id': string
  readonly lines: number
  readonly processed: number
  readonly unchanged: number
  readonly finishedAt: string | null
}

type Result = { readonly line: number; readonly status: number; readonly problem: Fields | null }

export type Outcome = {
  readonly operation: Operation
  /** By the index of the line. */
  readonly refusals: ReadonlyMap<number, Refusal>
}

type OnProgress = (processed: number, lines: number) => void

/** Operations whose end the page does not know yet, by their requests. A retry follows them instead of submitting the lines again. */
const unfinished = new Map<string, string>()

/** Performs lines, or checks them in a dry run. */
export async function submit(
  lines: readonly Line[],
  isDryRun: boolean,
  onProgress: OnProgress,
): Promise<Outcome> {
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  return follow(`/api/bulk_operations?dryRun=${isDryRun}`, onProgress, {
    body,
    headers: { 'Content-Type': 'application/x-ndjson' },
  })
}

/** Undoes the changes of an operation. */
export async function revert(operation: string, onProgress: OnProgress): Promise<Outcome> {
  return follow(`${operation}/revert`, onProgress, {})
}

/** Ends the offers of a campaign now (null), or at another moment. */
export async function endCampaign(
  campaign: string,
  at: string | null,
  onProgress: OnProgress,
): Promise<Outcome> {
  return follow(`${campaign}/end`, onProgress, { body: JSON.stringify({ at }) })
}

async function follow(address: string, onProgress: OnProgress, options: RequestInit): Promise<Outcome> {
  const request = `${address} ${options.body}`
  const iri =
    unfinished.get(request) ?? (await call<Operation>(address, { method: 'POST', ...options })).json['@id']
  unfinished.set(request, iri)
  const operation = await ended(iri, onProgress)
  const results = await everyMember<Result>(`${iri}/results?failed=true&itemsPerPage=100`)
  unfinished.delete(request)
  const refusals = new Map(
    results.map(({ line, status, problem }) => [line - 1, refusalOf(problem, status)] as const),
  )
  const message = gridWords().notPerformed
  for (let at = operation.processed; at < operation.lines; at += 1)
    refusals.set(at, { message, isOvertaken: false })
  return { operation, refusals }
}

/** Reads the operation until it has ended, at first often. */
async function ended(iri: string, onProgress: OnProgress): Promise<Operation> {
  for (let pause = 200; ; pause = Math.min(pause * 1.5, 3000)) {
    const { json } = await call<Operation>(iri)
    onProgress(json.processed, json.lines)
    if (json.finishedAt !== null) return json
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** The message of the first violation, which names the rule, or of the problem. */
function refusalOf(problem: Fields | null, status: number): Refusal {
  const [violation] = Array.isArray(problem?.violations) ? problem.violations : []
  const message = violation?.message ?? problem?.message ?? `HTTP ${status}`
  return { message: String(message), isOvertaken: false }
}
