import { createServer } from 'node:http'
import { type Asked, openShop, type Shop, type ShopOptions } from './shop.ts'

/** A shop that other programs can reach: on a loopback address of its own, which is its host. */
export type Doorstep = {
  readonly shop: Shop
  /** `http://127.4.8.15:37211` */
  readonly origin: string
  readonly close: () => Promise<void>
}

/**
 * Opens a shop behind a socket, on an address of its own or, where its host is given, on 127.0.0.1. `asked` is added to every
 * request that does not say otherwise.
 */
export async function openDoorstep(
  asked: Pick<Asked, 'version'> = {},
  options: Pick<ShopOptions, 'host' | 'locales' | 'bindings'> = {},
): Promise<Doorstep> {
  const part = () => 1 + Math.floor(Math.random() * 250)
  const own = `127.${part()}.${part()}.${part()}`
  const shop = await openShop({ host: own, ...options })
  return openDoor(shop, options.host === undefined ? own : '127.0.0.1', asked)
}

/** Opens a socket in front of a shop, on a loopback address. */
export async function openDoor(
  shop: Shop,
  host: string,
  asked: Pick<Asked, 'version'> = {},
): Promise<Doorstep> {
  const server = createServer({ keepAliveTimeout: 60_000 }, async (incoming, outgoing) => {
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of incoming) chunks.push(chunk)
    } catch {
      // The client has gone in the middle of its body.
      return
    }
    const headers = new Headers(
      Object.entries(incoming.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each): [string, string] => [name, each]),
      ),
    )
    if (asked.version && !headers.has('service-api-version'))
      headers.set('service-api-version', asked.version)
    const method = incoming.method ?? 'GET'
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method,
      headers,
      ...body,
    })
    const response = await shop.fetch(request)
    outgoing.writeHead(response.status, [...response.headers].flat())
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    shop,
    origin: `http://${host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
