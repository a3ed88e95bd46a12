import pg from 'pg'
import { Command, type Field, StatementExchange } from './bridge-exchange.ts'
import type { Lease } from './bridge-pool.ts'
import { type Output, rowText } from './bridge-values.ts'

/**
 * The JSON of an answer in pieces. V8 allocates each string of more than 128 kB apart: to join 280 kB took 1.3 ms of CPU,
 * and to encode them in pieces 0.1 ms (Node 24, two cores).
 */
export type Pieces = readonly string[]

export type Statement = {
  readonly query: string
  readonly values: readonly (string | null)[]
  readonly output: Output
}

export type Limits = {
  /** Bytes of an answer's JSON. */
  readonly maximum: number
  /** Milliseconds that each message to Postgres is held back, as if it were far away. */
  readonly delay: number
}

/** The JSON of an answer exceeds the limit; a transaction is rolled back, as on Neon. */
export class ResponseTooLarge extends Error {}

/** The caller no longer waits for the response. */
export class CallerGone extends Error {}

/** Rejects with CallerGone when the caller has disconnected. */
export type Gone = Promise<never>

/** Runs a statement outside a transaction and returns its JSON. The connection is released, or closed after a failure. */
export async function runOne(
  lease: Lease,
  statement: Statement,
  limits: Limits,
  gone: Gone,
): Promise<Pieces> {
  try {
    const answer = await Promise.race([sizedAnswers(lease, limits)(statement), gone])
    // A bare BEGIN must not reach the next caller.
    if (lease.client.getTransactionStatus() === 'I') lease.giveBack()
    else lease.giveUp()
    return answer
  } catch (error) {
    if (error instanceof CallerGone) lease.cancel()
    else lease.giveUp()
    throw error
  }
}

/**
 * Runs statements as one transaction and answers the JSON of each. They run as between Neon's proxy and its
 * Postgres, one after the other and each in two trips, between START TRANSACTION and COMMIT: 2 N + 2 trips, with every lock
 * held meanwhile. It ends if the caller disconnects, unless COMMIT was sent.
 */
export async function runTransaction(
  lease: Lease,
  statements: readonly Statement[],
  mode: string,
  limits: Limits,
  gone: Gone,
): Promise<Pieces[]> {
  const answers: Pieces[] = []
  const run = sizedAnswers(lease, limits)
  try {
    await Promise.race([command(lease, `START TRANSACTION${mode}`, limits), gone])
    for (const statement of statements) answers.push(await Promise.race([run(statement), gone]))
  } catch (error) {
    if (error instanceof CallerGone) lease.cancel()
    else await rollBack(lease, error, limits)
    throw error
  }
  try {
    await command(lease, 'COMMIT', limits)
  } catch (error) {
    lease.giveUp()
    throw error
  }
  lease.giveBack()
  return answers
}

async function rollBack(lease: Lease, error: unknown, limits: Limits): Promise<void> {
  const isOver =
    error instanceof pg.DatabaseError ? error.severity === 'FATAL' : !(error instanceof ResponseTooLarge)
  if (isOver) return lease.giveUp()
  await command(lease, 'ROLLBACK', limits).then(lease.giveBack, lease.giveUp)
}

async function command({ client }: Lease, text: string, { delay }: Limits): Promise<void> {
  if (delay > 0) await pause(delay)
  const asked = new Command(text)
  client.query(asked)
  await asked.done
}

/** Runs statements one by one and answers the JSON of each, as long as all of it together keeps within the limit. */
function sizedAnswers({ client }: Lease, { maximum, delay }: Limits) {
  let size = 0
  const beforeTrip = () => (delay > 0 ? pause(delay) : undefined)
  return async ({ query, values, output }: Statement): Promise<Pieces> => {
    const rows: string[] = []
    const asked = new StatementExchange(query, values, {
      beforeTrip,
      onRow(row, fields) {
        if (size > maximum) return
        const text = rowText(row, fields, output)
        size += Buffer.byteLength(text) + 1
        // The remaining responses are read and discarded. After the last one the connection can run a ROLLBACK.
        if (size > maximum) rows.length = 0
        else rows.push(text)
      },
    })
    const waited = beforeTrip()
    if (waited) await waited
    client.query(asked)
    const { fields, tag } = await asked.done
    if (size > maximum) throw new ResponseTooLarge(`response is too large (max is ${maximum} bytes)`)
    return answerOf(tag, fields, rows, output)
  }
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

function answerOf(
  tag: string,
  fields: readonly Field[],
  rows: readonly string[],
  { isArray }: Output,
): Pieces {
  const words = tag.split(' ')
  const count = Number.parseInt(words.at(-1) ?? '', 10)
  const head = `{"command":${JSON.stringify(words[0])},"rowCount":${Number.isNaN(count) ? null : count},"rowAsArray":${isArray},"fields":${JSON.stringify(fields)},"rows":[`
  return [head, ...rows.map((row, index) => (index === 0 ? row : `,${row}`)), ']}']
}
