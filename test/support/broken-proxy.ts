import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

type Broken = {
  /** The headers to send, instead of the original ones. */
  readonly request?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders
  /** The response to send, instead of the original one. */
  readonly answer?: (
    answer: IncomingMessage,
    path: string,
  ) => Partial<Pick<IncomingMessage, 'statusCode' | 'headers'>>
}

export type BrokenProxy = {
  readonly port: number
  readonly close: () => Promise<void>
}

/** A proxy for a service of this machine, on the same address and a port of its own, that breaks it in one way. */
export async function openBrokenProxy(
  host: string,
  port: number,
  { request: passed = (headers) => headers, answer: given = () => ({}) }: Broken,
): Promise<BrokenProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '/' } = incoming
    const onward = request(
      { host, port, method, path, headers: passed(incoming.headers) },
      async (answer) => {
        const { statusCode, headers } = {
          statusCode: answer.statusCode,
          headers: answer.headers,
          ...given(answer, path),
        }
        const body = await buffer(answer)
        outgoing.writeHead(statusCode ?? 502, headers).end(body)
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
