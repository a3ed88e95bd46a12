/** Gives the programs of a request the response that the service gave to it, and keeps what they sent. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string }

export type Recorder = {
  /** An address that gives this answer; `sent` has the requests to it. */
  readonly expect: (answer: Answer) => { readonly origin: string; readonly sent: Sent[] }
  readonly close: () => void
}

export async function startRecorder(): Promise<Recorder> {
  const expected: { readonly answer: Answer; readonly sent: Sent[] }[] = []
  const server = createServer(async (incoming, outgoing) => {
    const [, index = '', path = ''] = /^\/(\d+)(.*)$/.exec(incoming.url ?? '') ?? []
    const { answer, sent } = expected[Number(index)]!
    const headers = incoming.headers as Record<string, string>
    sent.push({ method: incoming.method ?? '', path, headers, body: await text(incoming) })
    const kept = [...answer.headers].filter(
      ([name]) => !/^(?:content-length|content-encoding|transfer-encoding|connection|keep-alive)$/.test(name),
    )
    outgoing.writeHead(answer.status, Object.fromEntries(kept)).end(answer.text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    expect(answer) {
      const sent: Sent[] = []
      expected.push({ answer, sent })
      return { origin: `http://127.0.0.1:${port}/${expected.length - 1}`, sent }
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
