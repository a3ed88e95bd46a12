import { createServer } from 'node:net'

/** A TCP port of 127.0.0.1 that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const port = await listen(0, '127.0.0.1')
  if (port === null) throw new Error('127.0.0.1 has no free port.')
  return port
}

/** Whether something listens on a port of `localhost`, in either version of IP. */
export async function isTaken(port: number): Promise<boolean> {
  return (await listen(port, '127.0.0.1')) === null || (await listen(port, '::1')) === null
}

/** Whether listening failed because the machine does not have the address, as `::1` without IPv6. */
export function lacksAddress({ code }: NodeJS.ErrnoException): boolean {
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
