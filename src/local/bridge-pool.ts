import { connect } from 'node:net'
import pg from 'pg'
import { Command } from './bridge-exchange.ts'

/** No connection could be made; the cause is what Postgres or the network said. */
export class ConnectFailure extends Error {
  constructor(cause: unknown) {
    super('no connection to the database', { cause })
  }
}

/** A connection that one caller uses until it is released, closed or cancelled. */
export type Lease = {
  readonly client: pg.Client
  /** Keeps it for the next caller, its session reset. */
  giveBack(): void
  /** Closes it, which rolls back its open transaction. */
  giveUp(): void
  /** Cancels the running statement, and closes the connection. */
  cancel(): void
}

/** Connections to one server. */
export type Pool = {
  /** @throws ConnectFailure at once if Postgres has no free connection */
  lease(connectionString: string): Promise<Lease>
  close(): Promise<void>
}

/** As Neon's proxy does, keeps so many connections of all roles and databases together, and opens more as they are wanted. */
export function openPool({ kept: most = 20 }: { kept?: number | undefined } = {}): Pool {
  const idle = new Map<string, pg.Client[]>()
  const open = new Set<pg.Client>()
  let kept = 0

  const take = (connectionString: string): pg.Client | undefined => {
    const client = idle.get(keyOf(connectionString))?.pop()
    if (client) kept -= 1
    return client
  }

  const forget = (connectionString: string, client: pg.Client) => {
    open.delete(client)
    const clients = idle.get(keyOf(connectionString))
    const place = clients?.indexOf(client) ?? -1
    if (place < 0) return
    clients!.splice(place, 1)
    kept -= 1
  }

  const connected = async (connectionString: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString })
    // A connection that the server ends is replaced at its next use. A running statement on it fails.
    client.on('error', () => {})
    client.on('end', () => forget(connectionString, client))
    try {
      await client.connect()
    } catch (error) {
      throw new ConnectFailure(error)
    }
    open.add(client)
    return client
  }

  return {
    async lease(connectionString) {
      const client = take(connectionString) ?? (await connected(connectionString))
      const giveUp = () => void client.end().catch(() => {})
      return {
        client,
        giveUp,
        giveBack() {
          if (kept >= most || !open.has(client)) return giveUp()
          // It is not awaited, because the next statement on the connection runs after it.
          const reset = new Command(sessionReset)
          client.query(reset)
          reset.done.catch(giveUp)
          const key = keyOf(connectionString)
          const clients = idle.get(key) ?? []
          clients.push(client)
          idle.set(key, clients)
          kept += 1
        },
        cancel: () => cancel(connectionString, client).finally(giveUp),
      }
    },
    async close() {
      await Promise.all([...open].map((client) => client.end().catch(() => {})))
    },
  }
}

/**
 * Neon's proxy takes everything of a session back but the plans that Postgres has kept on the connection: what functions run is
 * planned once. "DISCARD ALL" would drop them as well, so its other parts are named.
 */
export const sessionReset =
  'close all; reset session authorization; reset all; deallocate all; unlisten *; select pg_advisory_unlock_all(); discard temp; discard sequences'

/** A connection serves callers with the same role, database and password. */
function keyOf(connectionString: string): string {
  const { username, password, pathname } = new URL(connectionString)
  return `${username}:${password}${pathname}`
}

/** The code of a cancel request, which replaces the start of a session. */
const cancelRequest = 80877102

/** Resolves when Postgres has passed the request on, or cannot be reached. */
function cancel(connectionString: string, client: pg.Client): Promise<void> {
  // Sent by every server at the start of a session; the types leave them out.
  const { processID, secretKey } = client as pg.Client & { processID: number; secretKey: number }
  const request = Buffer.alloc(16)
  for (const [place, value] of [16, cancelRequest, processID, secretKey].entries())
    request.writeInt32BE(value, place * 4)
  const { hostname, port } = new URL(connectionString)
  return new Promise((resolve) => {
    const socket = connect(Number(port || 5432), hostname, () => socket.write(request))
    socket.on('error', () => {}).once('close', () => resolve())
  })
}
