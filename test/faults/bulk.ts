/** Bulk operations of a history, and what their files and results say about its events. */
import { randomUUID } from 'node:crypto'
import { owner } from '../support/ledger.ts'
import type { Shop } from '../support/shop.ts'
import type { Books } from './books.ts'
import type { Client } from './client.ts'
import { tally } from './tally.ts'
import type { World } from './world.ts'

/** A bulk operation that the client knows, and whether it asked to cancel it, and got a success. */
export type Submitted = { readonly iri: string; isCancelled: boolean; mayBeCancelled: boolean }

const path = '/api/bulk_operations'

/** Submits a file. Sometimes cancels it, or the previous file. */
export async function submitFile(world: World, client: Client): Promise<void> {
  const { chance } = world
  const cancelLast = async () => {
    const last = client.operations.at(-1)
    if (!last) return
    last.mayBeCancelled = true
    last.isCancelled = (await client.ask([], 'DELETE', last.iri)) !== null
  }
  if (chance.is(0.1)) await cancelLast()
  const lines = linesOf(world, client)
  const body = new Blob([lines.join('\n')], { type: 'application/x-ndjson' })
  const reply = await client.ask([], 'POST', chance.is(0.15) ? `${path}?dryRun=true` : path, { body })
  if (reply) client.operations.push({ iri: reply.body['@id'], isCancelled: false, mayBeCancelled: false })
  if (chance.is(0.2)) await cancelLast()
}

const coat = {
  title: 'Coat',
  options: [{ title: 'Size', values: [{ title: 'S' }] }],
  variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
}

/** Five to 30 lines. One refers to an earlier one, one is invalid, and several change the same resource. */
function linesOf({ chance }: World, { known: { products, offers } }: Client): string[] {
  const lines: string[] = []
  const add = (method: string, to: string, body: object) =>
    lines.push(JSON.stringify({ method, path: to, body }))
  let created: number | null = null
  for (let left = 5 + chance.below(26); left > 0; left -= 1) {
    const vendor = `mark-${randomUUID()}`
    const kind = chance.weighted({
      product: 3,
      category: 2,
      patch: 4,
      price: 2,
      upsert: 2,
      refer: created === null ? 0 : 2,
      nothing: 1,
      invalid: 1,
    })
    if (kind === 'product') created = add('POST', '/api/products', { ...coat, vendor })
    if (kind === 'category') add('POST', '/api/categories', { title: 'Coats', description: vendor })
    if (kind === 'patch') add('PATCH', chance.one(products).iri, { vendor })
    if (kind === 'price')
      add('PATCH', chance.one(offers).iri, { externalId: vendor, amount: `${1 + chance.below(9)}.00` })
    if (kind === 'upsert')
      add('PATCH', `/api/products/by-external-id/${chance.below(3)}`, { ...coat, vendor })
    if (kind === 'refer') add('PATCH', `/api/products/$${created}`, { vendor })
    if (kind === 'nothing') add('PATCH', chance.one(products).iri, { title: 'Coat' })
    if (kind === 'invalid')
      chance.is(0.5) ? lines.push(`{"${vendor}`) : add('POST', '/api/products', { title: '', vendor })
  }
  return lines
}

type Result = {
  readonly line: number
  readonly status: number
  readonly resource: string | null
  readonly problem: string | null
}

type Operation = {
  readonly id: string
  readonly status: string
  readonly isDryRun: boolean
  readonly processed: number
  readonly succeeded: number
  readonly failed: number
  readonly assumed: number
  readonly content: string
  readonly results: readonly Result[]
}

const operationsOf = ({ tenant }: Shop): Promise<Operation[]> =>
  owner(async (client) => {
    const { rows } = await client.query<Operation>(
      `select id, status, is_dry_run as "isDryRun", processed, succeeded, failed, assumed,
              (select string_agg(content, '' order by first_line) from bulk_operation_pieces p
                where p.tenant_id = $1 and p.operation_id = o.id) as content,
              (select coalesce(jsonb_agg(jsonb_build_object('line', line, 'status', status, 'resource', resource, 'problem', problem) order by line), '[]')
                 from bulk_operation_results r where r.tenant_id = $1 and r.operation_id = o.id) as results
         from bulk_operations o where tenant_id = $1`,
      [tenant.id],
    )
    return rows
  })

/** The differences between the results of bulk operations, their files, and the events of the history. */
export async function bulkFaults(
  { shop }: World,
  { operations: submitted }: Client,
  { events }: Books,
): Promise<string[]> {
  const operations = await operationsOf(shop)
  tally.files += operations.length
  tally.cancelled += operations.filter(({ status }) => status === 'CANCELLED').length
  tally.lines += operations.reduce((sum, { results }) => sum + results.length, 0)
  const lost = submitted.filter(({ iri }) => operations.every(({ id }) => !iri.endsWith(id)))
  return [
    ...lost.map(({ iri }) => `${iri} was acknowledged, and is lost`),
    ...operations.flatMap((operation) => {
      const client = submitted.find(({ iri }) => iri.endsWith(operation.id))
      const ends = events.filter(({ resource }) => resource === operation.id).length
      return [...endFaults(operation, client, ends), ...lineFaults(operation, events)].map(
        (fault) => `${operation.id}: ${fault}`,
      )
    }),
  ]
}

function endFaults(operation: Operation, client: Submitted | undefined, ends: number): string[] {
  const { status, isDryRun, processed, succeeded, failed, assumed, results, content } = operation
  const lines = content.split('\n').length
  const isRight =
    status === 'FINISHED' ? !client?.isCancelled : status === 'CANCELLED' && client?.mayBeCancelled
  const counted = results.filter(({ line }) => line <= processed)
  const counts = [
    counted.filter((each) => each.status < 300 && each.status !== 202).length,
    counted.filter((each) => each.status >= 400).length,
    counted.filter((each) => each.status === 202).length,
  ]
  const isDone =
    results.map(({ line }) => line).join() === Array.from({ length: lines }, (_, n) => n + 1).join()
  return [
    ...(isRight ? [] : [`is ${status}`]),
    ...(ends === 1 ? [] : [`ended ${ends} times`]),
    ...(status !== 'FINISHED' || (isDone && processed === lines)
      ? []
      : [`has ${results.length} results, and ${processed} lines of ${lines}`]),
    ...([succeeded, failed, assumed].join() === counts.join()
      ? []
      : [`counts ${[succeeded, failed, assumed].join()} instead of ${counts.join()}`]),
    ...results
      // A lock or a statement may exceed its time limit, as in any request.
      .filter((each) => each.status >= 500 && !each.problem?.includes('server.timeout'))
      .map(({ line, problem }) => `line ${line} failed: ${problem}`),
    ...(isDryRun
      ? results.filter(({ resource }) => resource).map(({ line }) => `line ${line} has a resource`)
      : []),
  ]
}

function lineFaults({ content, results, isDryRun }: Operation, events: Books['events']): string[] {
  const resultOf = new Map(results.map((result) => [result.line, result]))
  const last = new Map<string, number>()
  return content.split('\n').flatMap((text, index) => {
    const [result, marker] = [resultOf.get(index + 1), /mark-[\w-]+/.exec(text)?.[0]]
    if (marker === undefined) return []
    const isDone = !isDryRun && result !== undefined && result.status < 300
    const made = events.filter(({ written }) => written.includes(marker))
    const name = `line ${index + 1}, with ${result ? result.status : 'no result'}`
    if (made.length !== (isDone ? 1 : 0)) return [`${name}, made ${made.length} events`]
    const [event] = made
    if (!event) return referenceFaults(text, name, isDryRun ? undefined : result, resultOf)
    const earlier = last.get(event.resource) ?? 0
    last.set(event.resource, event.sequence)
    return [
      ...(result?.resource?.endsWith(event.resource) ? [] : [`${name}, changed another resource`]),
      ...(earlier < event.sequence ? [] : [`${name}, was performed before an earlier line`]),
    ]
  })
}

/** A line that refers to a created product changes it. No other client knows the product. */
function referenceFaults(
  text: string,
  name: string,
  result: Result | undefined,
  results: ReadonlyMap<number, Result>,
) {
  const line = /"\/api\/products\/\$(\d+)"/.exec(text)?.[1]
  const isCreated = line !== undefined && results.get(Number(line))?.status === 201
  return result && isCreated ? [`${name}, did not change the product of line ${line}`] : []
}
