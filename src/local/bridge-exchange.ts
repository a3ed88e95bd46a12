/** The messages on a connection to Postgres. Each class is one request, and settles with its response. */
import type { Connection, Submittable } from 'pg'

/** A column as Neon's answers describe it, which is how `pg` describes it. */
export type Field = {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
  readonly dataTypeSize: number
  readonly dataTypeModifier: number
  readonly format: string
}

/** A text without parameters and rows, such as COMMIT: one trip. */
export class Command implements Submittable {
  readonly done: Promise<void>
  readonly #text: string
  readonly #settle = Promise.withResolvers<void>()

  constructor(text: string) {
    this.#text = text
    this.done = this.#settle.promise
    // Who asked may come to wait for it after it has failed.
    this.done.catch(() => {})
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  handleReadyForQuery(): void {
    this.#settle.resolve()
  }

  handleError(error: Error): void {
    this.#settle.reject(error)
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
}

export type StatementEvents = {
  /** Called before each trip. */
  readonly beforeTrip: () => Promise<void> | undefined
  readonly onRow: (values: readonly (string | null)[], fields: readonly Field[]) => void
}

/** A statement that returned: its columns and its tag, such as `INSERT 0 1`. */
export type Returned = { readonly fields: readonly Field[]; readonly tag: string }

/** A statement with parameters, in two trips as Neon's proxy makes them: parsed and described, then bound and executed. */
export class StatementExchange implements Submittable {
  readonly done: Promise<Returned>
  readonly #query: string
  readonly #values: readonly (string | null)[]
  readonly #events: StatementEvents
  readonly #settle = Promise.withResolvers<Returned>()
  #fields: readonly Field[] = []
  #tag = ''
  #connection: Connection | undefined
  #isBound = false

  constructor(query: string, values: readonly (string | null)[], events: StatementEvents) {
    this.#query = query
    this.#values = values
    this.#events = events
    this.done = this.#settle.promise
    this.done.catch(() => {})
  }

  submit(connection: Connection): void {
    this.#connection = connection
    // `pg` passes on the description of rows, but not the message that a statement returns no rows.
    connection.once('noData', this.#bind)
    connection.stream.cork()
    connection.parse({ name: '', text: this.#query, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.flush()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields
    void this.#bind()
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    this.#events.onRow(values, this.#fields)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#tag = text
  }

  handleReadyForQuery(): void {
    this.#settle.resolve({ fields: this.#fields, tag: this.#tag })
  }

  handleError(error: Error, connection: Connection): void {
    connection.off('noData', this.#bind)
    // After an error Postgres reads on only from a Sync; what is bound has sent its own.
    if (!this.#isBound) connection.sync()
    this.#settle.reject(error)
  }

  handleCopyInResponse(connection: Connection & { sendCopyFail?(reason: string): void }): void {
    connection.sendCopyFail?.('COPY is not served over HTTP')
  }

  handleEmptyQuery(): void {}
  handleCopyData(): void {}
  handlePortalSuspended(): void {}

  readonly #bind = async (): Promise<void> => {
    const connection = this.#connection!
    connection.off('noData', this.#bind)
    const waited = this.#events.beforeTrip()
    if (waited) await waited
    this.#isBound = true
    connection.stream.cork()
    connection.bind({ values: [...this.#values] }, true)
    connection.execute({}, true)
    connection.sync()
    connection.stream.uncork()
  }
}
