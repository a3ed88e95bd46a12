/** The batches that the service sends to its database. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { neonConfig } from '@neondatabase/serverless'
import { onlyReads } from './reads.ts'

/** A statement as it is sent. */
export type SentStatement = { readonly query: string; readonly params: readonly unknown[] }

type Listening = { readonly sent: SentStatement[][]; readonly withholdsWrites: boolean }

const listening = new AsyncLocalStorage<Listening>()
/** The listener of another file, if there is one: it receives the messages as well. */
let others: typeof neonConfig.fetchFunction

/** Listens, whichever file has put itself in its place meanwhile. */
function listen(): void {
  if (neonConfig.fetchFunction === heard) return
  others = neonConfig.fetchFunction
  neonConfig.fetchFunction = heard
}

async function heard(url: string, init: RequestInit): Promise<Response> {
  const { sent, withholdsWrites } = listening.getStore() ?? {}
  const body = JSON.parse(String(init.body))
  // A single statement is not a batch.
  sent?.push(body.queries ?? [body])
  if (withholdsWrites && !onlyReads(init))
    return Response.json({ message: 'withheld', code: 'XX000' }, { status: 400 })
  return (others ?? fetch)(url, init)
}

/** The batches of one client, in their order, without those of other work. */
export async function sentBy(work: () => Promise<unknown>): Promise<readonly (readonly SentStatement[])[]> {
  listen()
  const sent: SentStatement[][] = []
  await listening.run({ sent, withholdsWrites: false }, work)
  return sent
}

/** The same, but no write of it reaches the database, which seems to refuse it: the work fails, and nothing has changed. */
export async function withheldFrom(
  work: () => Promise<unknown>,
): Promise<readonly (readonly SentStatement[])[]> {
  listen()
  const sent: SentStatement[][] = []
  await listening.run({ sent, withholdsWrites: true }, () => work().catch(() => {}))
  return sent
}
