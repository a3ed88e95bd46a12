import { connect, createServer, type Socket } from 'node:net'
import { lacksAddress } from './port.ts'

/** A listener on `::1` that forwards to 127.0.0.1. */
export type Ipv6Door = { close(): Promise<void> }

/**
 * Listens on a port of `::1` and passes each connection on to the same port of 127.0.0.1: programs may try either address
 * of `localhost` first, and `wrangler dev` listens on one. Null on a machine without IPv6.
 */
export async function openIpv6Door(port: number): Promise<Ipv6Door | null> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (caller) => {
    const service = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    for (const [from, to] of [
      [caller, service],
      [service, caller],
    ] as const) {
      open.add(from)
      from.pipe(to)
      // An error of one side ends the other.
      from.on('error', () => to.destroy())
      from.on('close', () => open.delete(from))
    }
  })
  const isListening = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      lacksAddress(error) ? resolve(false) : reject(error),
    )
    server.listen({ host: '::1', port, ipv6Only: true }, () => resolve(true))
  })
  if (!isListening) return null
  return {
    close() {
      for (const socket of open) socket.destroy()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
