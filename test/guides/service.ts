/** The service of `npm start` for the guide pages, and a tenant with the demo catalogue for each page. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { connected } from '../../src/local/cli/database.ts'
import { restoreDemo } from '../../src/local/demo.ts'
import {
  demoTenants,
  ensureTenant,
  localIssuer,
  localKeys,
  publicKeys,
} from '../../src/local/local-tenants.ts'
import { freePort } from '../../src/local/network.ts'
import { runningPostgres } from '../../src/local/postgres.ts'
import { keepProcess } from '../../src/local/processes.ts'
import { findTenant } from '../../src/local/tenant/stored.ts'
import { addStorefront } from '../../src/local/tenant/storefronts.ts'
import { mintToken } from '../../src/local/token.ts'
import { allScopes } from '../../src/resources/index.ts'

export const root = join(import.meta.dirname, '../..')

export type GuideService = {
  /** Opens a new tenant with the demo catalogue. */
  readonly openTenant: () => Promise<GuideTenant>
  /** The variable of local commands that names this service. */
  readonly variables: { readonly DATA_DIRECTORY: string }
  readonly close: () => Promise<void>
}

export type GuideTenant = {
  /** Its name in commands. */
  readonly name: string
  /** Its address, which every program can resolve. */
  readonly origin: string
  readonly token: (scopes?: readonly string[] | null) => Promise<string>
  /** The address of its storefront host, and a publishable key. */
  readonly storefront: { readonly origin: string; readonly key: string }
  readonly close: () => void
}

/** Builds the typed client, which programs of pages import. */
async function buildClient(): Promise<void> {
  await promisify(execFile)(process.execPath, ['generate.ts'], { cwd: join(root, 'src/client') })
}

/** Opens an address that leads to a host of the service. */
async function openDoor(host: string, port: number) {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const sent = { host: '127.0.0.1', port, method, path, headers: { ...headers, host: `${host}:${port}` } }
    const onward = request(sent, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Starts the service as `npm start` does. @throws Error with its output if it ends before it is ready */
export async function startGuideService(): Promise<GuideService> {
  const directory = mkdtempSync(join(tmpdir(), 'guides-'))
  // Otherwise the account of Postgres cannot enter it, and a copy of Postgres would be left in /var/tmp.
  chmodSync(directory, 0o755)
  const variables = { DATA_DIRECTORY: directory }
  const port = await freePort()
  let printed = ''
  const ready = Promise.withResolvers<void>()
  const service = keepProcess(process.execPath, ['src/local/dev.ts', '--port', String(port)], {
    ...{ signal: 'INT', cwd: root, env: { ...process.env, ...variables, DATABASE_URL: '' } },
    output(text) {
      printed += text
      if (printed.includes('Ready in ')) ready.resolve()
    },
  })
  const ended = service.exited.then(() => {
    throw new Error(`npm start has ended:\n${printed}`)
  })
  await Promise.all([Promise.race([ready.promise, ended]), buildClient()])
  ended.catch(() => {})
  const keys = await localKeys(directory)
  const ownerUrl = await runningPostgres(`${directory}/postgres`)

  async function openTenant(): Promise<GuideTenant> {
    const id = uuidv7()
    const name = `guide-${id.slice(-12)}`
    const host = `${name}.localhost`
    const addresses = { host, issuer: localIssuer(host), audience: `https://${host}/api` }
    await connected(ownerUrl!, async (client) => {
      await ensureTenant(client, { ...demoTenants[0]!, id, ...addresses }, publicKeys(keys))
      await restoreDemo(client, 'acme', { tenantId: id, port })
    })
    const shopHost = `front.${host}`
    const { key } = await connected(ownerUrl!, async (client) =>
      addStorefront(client, await findTenant(client, id), shopHost, undefined),
    )
    const [door, shopDoor] = [await openDoor(host, port), await openDoor(shopHost, port)]
    return {
      name,
      origin: door.origin,
      storefront: { origin: shopDoor.origin, key },
      token: (scopes) =>
        mintToken({
          ...addresses,
          ...{ key: keys.signing, scope: (scopes ?? allScopes).join(' '), permissions: [] },
          ...{ subject: 'guides', client: 'guides', expiresIn: 3600 },
        }),
      close() {
        for (const { server } of [door, shopDoor]) {
          server.close()
          server.closeAllConnections()
        }
      },
    }
  }

  return {
    openTenant,
    variables,
    async close() {
      await service.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
