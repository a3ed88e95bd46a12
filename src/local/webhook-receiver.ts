import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A received request, and its response. */
export type Received = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The status of its response: 204, 401 if its signature is wrong, 500 if it had to fail. */
  readonly status: 204 | 401 | 500
  /** Why the signature does not hold. */
  readonly fault?: string
}

export type ReceiverOptions = {
  /** 0 takes any that is free. */
  readonly port: number
  /** Of good deliveries, how many are answered 500: 0 to 1. */
  readonly failRate: number
  readonly random?: () => number
  readonly show: (received: Received) => void
}

export type Receiver = {
  readonly url: string
  /** From here on signatures are checked; what came before is refused. */
  trust(secret: string): void
  close(): Promise<void>
}

const mostBytes = 16 * 1024 * 1024

/** Listens on this machine for deliveries, verifies each as any integrator would, and shows it. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { failRate, random = Math.random, show } = options
  let webhook: Webhook | null = null

  function judged(
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Pick<Received, 'status' | 'fault'> {
    try {
      if (!webhook) throw new Error('the secret is not known yet')
      webhook.verify(body, { ...headers }, { jsonParse: false })
    } catch (error) {
      return { status: 401, fault: (error as Error).message }
    }
    return { status: random() < failRate ? 500 : 204 }
  }

  const server = createServer(async (request, response) => {
    try {
      const body = await textOf(request)
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const received = { headers, body, ...judged(headers, body) }
      response.writeHead(received.status).end()
      show(received)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(options.port, '127.0.0.1', done)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    trust: (secret) => {
      webhook = new Webhook(secret)
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > mostBytes) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
