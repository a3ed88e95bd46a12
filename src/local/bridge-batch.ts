import type { Connection, Submittable } from 'pg'

export type Statement = { readonly query: string; readonly values: readonly (string | null)[] }

/** One statement's result as JSON text, in the shape that Neon's driver reads. */
export type Answer = string

/** The rows of an answer exceed the limit; a transaction is rolled back, as on Neon. */
export class ResponseTooLarge extends Error {}

/**
 * Statements sent to Postgres in one write and answered as JSON text, each value exactly as Postgres prints it.
 * With a transaction mode they are one transaction, whose COMMIT is sent when the last result has arrived: not
 * before, or an answer over the limit could no longer be rolled back.
 */
export class Batch implements Submittable {
  readonly done: Promise<Answer[]>
  readonly #statements: readonly Statement[]
  readonly #mode: string | null
  readonly #maximum: number
  readonly #answers: Answer[] = []
  #settle!: { resolve(answers: Answer[]): void; reject(error: Error): void }
  #phase: 'begin' | 'statements' | 'commit'
  #fields: readonly Field[] = []
  #rows: string[] = []
  #size = 0
  #failed = false
  #connection: Connection | undefined

  /** `mode` is the text after BEGIN, or null for a single statement without a transaction of its own. */
  constructor(statements: readonly Statement[], mode: string | null, maximum: number) {
    this.#statements = statements
    this.#mode = mode
    this.#maximum = maximum
    this.#phase = mode === null ? 'statements' : 'begin'
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    // The caller may come to wait for it after it has failed.
    this.done.catch(() => {})
  }

  get transaction(): boolean {
    return this.#mode !== null
  }

  submit(connection: Connection): void {
    this.#connection = connection
    connection.stream.cork()
    if (this.#mode !== null) sendStatement(connection, `begin${this.#mode}`, [])
    for (const { query, values } of this.#statements) sendStatement(connection, query, values)
    if (this.#mode === null) connection.sync()
    else if (this.#statements.length === 0) this.#commit(connection)
    else connection.flush()
    connection.stream.uncork()
  }

  handleRowDescription(message: { fields: readonly Field[] }): void {
    this.#fields = message.fields
  }

  handleDataRow(message: { length: number; fields: readonly (string | null)[] }): void {
    if (this.#failed) return
    this.#size += message.length
    if (this.#size > this.#maximum) this.#abandon()
    else this.#rows.push(JSON.stringify(message.fields))
  }

  handleCommandComplete(message: { text: string }, connection: Connection): void {
    if (this.#phase === 'begin') {
      this.#phase = 'statements'
      return
    }
    if (this.#phase === 'commit') return
    this.#answers.push(answer(message.text, this.#fields, this.#rows))
    this.#fields = []
    this.#rows = []
    if (this.#mode !== null && this.#answers.length === this.#statements.length) this.#commit(connection)
  }

  handleEmptyQuery(connection: Connection): void {
    this.handleCommandComplete({ text: '' }, connection)
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#answers)
  }

  handleError(error: Error, connection: Connection): void {
    // After an error Postgres reads on only from a Sync; the other phases have sent theirs.
    if (this.#mode !== null && this.#phase !== 'commit' && !this.#failed) connection.sync()
    this.#failed = true
    this.#settle.reject(error)
  }

  handleCopyInResponse(connection: Connection & { sendCopyFail?(reason: string): void }): void {
    connection.sendCopyFail?.('COPY is not served over HTTP')
  }

  handleCopyData(): void {}

  handlePortalSuspended(): void {}

  #commit(connection: Connection): void {
    this.#phase = 'commit'
    connection.stream.cork()
    sendStatement(connection, 'commit', [])
    connection.sync()
    connection.stream.uncork()
  }

  /** A transaction whose connection is gone is rolled back by Postgres. */
  #abandon(): void {
    this.#failed = true
    this.#settle.reject(new ResponseTooLarge(`response is too large (max is ${this.#maximum} bytes)`))
    this.#connection?.stream.destroy()
  }
}

const isolationLevels: Record<string, string> = {
  readuncommitted: ' isolation level read uncommitted',
  readcommitted: ' isolation level read committed',
  repeatableread: ' isolation level repeatable read',
  serializable: ' isolation level serializable',
}

/** What follows BEGIN for the values of Neon's batch headers (lower case); undefined for an unknown level. */
export function transactionMode(headers: {
  isolationLevel?: string | undefined
  readOnly?: string | undefined
  deferrable?: string | undefined
}): string | undefined {
  const level = headers.isolationLevel === undefined ? '' : isolationLevels[headers.isolationLevel]
  if (level === undefined) return undefined
  const access =
    headers.readOnly === 'true' ? ' read only' : headers.readOnly === 'false' ? ' read write' : ''
  return level + access + (headers.deferrable === 'true' ? ' deferrable' : '')
}

type Field = {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
  readonly dataTypeSize: number
  readonly dataTypeModifier: number
  readonly format: string
}

function sendStatement(connection: Connection, text: string, values: readonly (string | null)[]): void {
  connection.parse({ name: '', text, types: [] }, true)
  connection.bind({ values: [...values] }, true)
  connection.describe({ type: 'P', name: '' }, true)
  connection.execute({}, true)
}

function answer(tag: string, fields: readonly Field[], rows: readonly string[]): Answer {
  const words = tag.split(' ')
  const count = Number.parseInt(words.at(-1) ?? '', 10)
  return `{"command":${JSON.stringify(words[0])},"rowCount":${Number.isNaN(count) ? null : count},"rowAsArray":true,"fields":${JSON.stringify(fields)},"rows":[${rows.join(',')}]}`
}
