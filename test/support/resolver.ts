import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of DNS over HTTPS on this machine that knows some names, each with its addresses; `null` makes it fail. */
export type Names = Record<string, readonly string[] | null>

type StartedResolver = {
  readonly url: string
  /** The number of its queries. */
  readonly asked: () => number
  readonly close: () => Promise<void>
}

/** Starts one; `url` is what the binding DNS_OVER_HTTPS_URL takes. */
export async function startResolver(names: Names): Promise<StartedResolver> {
  let asked = 0
  const server: Server = createServer((request, response) => {
    asked += 1
    const { searchParams } = new URL(request.url!, 'http://resolver')
    const addresses = names[searchParams.get('name')!]
    if (addresses === null) return void response.writeHead(500).end()
    const type = searchParams.get('type') === 'AAAA' ? 28 : 1
    const found = (addresses ?? []).filter((each) => each.includes(':') === (type === 28))
    const Answer = found.map((data) => ({ name: searchParams.get('name'), type, TTL: 60, data }))
    response.writeHead(200, { 'content-type': 'application/dns-json' })
    response.end(JSON.stringify({ Status: addresses ? 0 : 3, Answer }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/dns-query`,
    asked: () => asked,
    close: () => new Promise((done) => server.close(() => done())),
  }
}
