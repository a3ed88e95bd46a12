/**
 * Two walls keep tenants apart: the tenant_id in every statement, and row security under it. Here each is
 * alone, to show that it is enough. For test files with a database of their own.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inject } from 'vitest'
import { databaseUrls } from './database.ts'
import { owner } from './ledger.ts'

/** Which walls stand. */
export type Walls = 'both walls' | 'tenant_id alone' | 'row security alone'

/** How the service reaches its database, as its bindings say it. */
export type Access = { readonly DATABASE_URL: string; readonly NEON_FETCH_ENDPOINT: string }

export type Fortress = {
  readonly access: (standing: Walls) => Access
  /** How many times a tenant_id was taken out of a statement. */
  readonly taken: () => number
  readonly close: () => Promise<void>
}

const predicate = /(?:(?:\w+|"\w+")\.)?"?tenant_id"? = (?:current_tenant\(\)|tenant\b)/g

/** Makes a role that row security does not bind, and a line to the database on which every tenant_id gets lost. */
export async function openFortress(): Promise<Fortress> {
  const suffix = randomUUID().slice(0, 8)
  const users: Readonly<Record<Walls, string>> = {
    'both walls': 'catalogue_app',
    'tenant_id alone': `catalogue_passing_${suffix}`,
    'row security alone': `catalogue_bare_${suffix}`,
  }
  const roles = [users['tenant_id alone'], users['row security alone']]
  await owner(async (client) => {
    for (const role of roles) {
      const passes = role === users['tenant_id alone'] ? 'bypassrls' : 'nobypassrls'
      await client.query(`create role ${role} login password 'test' ${passes} in role catalogue_app`)
    }
  })
  let taken = 0
  const without = (text: string) =>
    text.replaceAll(predicate, () => {
      taken += 1
      return 'true'
    })
  const line = createServer(async (request, response) => {
    const text = await textOf(request)
    const isBare = String(request.headers['neon-connection-string']).includes(users['row security alone'])
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers
    const answer = await fetch(inject('bridgeEndpoint'), {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: isBare ? rewritten(text, without) : text,
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((done) => line.listen(0, '127.0.0.1', done))
  const { port } = line.address() as AddressInfo
  return {
    access(standing) {
      const url = new URL(databaseUrls().appUrl)
      url.username = users[standing]
      return { DATABASE_URL: url.href, NEON_FETCH_ENDPOINT: `http://127.0.0.1:${port}/sql` }
    },
    taken: () => taken,
    async close() {
      await new Promise((done) => line.close(done))
      await owner(async (client) => {
        for (const role of roles) await client.query(`drop role ${role}`)
      })
    },
  }
}

/** Takes every tenant_id out of the functions that run with their caller's rights, too; what came before is over then. */
export async function bareFunctions(): Promise<number> {
  return owner(async (client) => {
    const { rows } = await client.query<{ definition: string }>(
      `select pg_get_functiondef(oid) as definition from pg_proc
        where pronamespace = 'public'::regnamespace and prokind = 'f' and not prosecdef
          and pg_get_functiondef(oid) ~ 'tenant_id = '`,
    )
    for (const { definition } of rows) await client.query(definition.replaceAll(predicate, 'true'))
    return rows.length
  })
}

type Query = { query: string }

function rewritten(text: string, without: (text: string) => string): string {
  const body = JSON.parse(text) as Query | { queries: Query[] }
  const bare = (each: Query) => ({ ...each, query: without(each.query) })
  return JSON.stringify('queries' in body ? { queries: body.queries.map(bare) } : bare(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
