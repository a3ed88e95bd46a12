import { randomInt } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Below the ports that Linux, macOS and Windows assign automatically. A free port of these stays free until a process names it.
 */
const asked = { from: 20_000, until: 32_000 } as const

/** A free TCP port of `localhost` that the system does not assign automatically. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(asked.from, asked.until)
    if (!(await isTaken(port))) return port
  }
  throw new Error('localhost has no free port.')
}

/** Whether something listens on a port of `localhost`, in either version of IP. */
export async function isTaken(port: number): Promise<boolean> {
  return (await listen(port, '127.0.0.1')) === null || (await listen(port, '::1')) === null
}

/** Whether a port is taken, also by a run that was just killed three seconds later. */
export async function isLastinglyTaken(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (!(await isTaken(port))) return false
    await sleep(300)
  }
  return true
}

/** Whether a server accepts connections on a port of 127.0.0.1. Unlike `isTaken` it never takes the port itself. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Whether listening failed because the machine does not have the address, as `::1` without IPv6. */
function lacksAddress({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
}

/** The port listened on for a moment; null when it is taken. A machine without that address has it free. */
function listen(port: number, host: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null)
      else if (lacksAddress(error)) resolve(port)
      else reject(error)
    })
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}

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
