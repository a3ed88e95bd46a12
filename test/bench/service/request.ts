import { Agent, request } from 'node:http'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'

/** A request to a Worker; a body that must differ each time is created again. */
export type Asked = {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | (() => string)
  /** The requests that follow this response until the caller is done: all of them are measured as one. */
  readonly followedBy?: readonly ((text: string) => Asked)[]
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

const agent = new Agent({ keepAlive: true })

/** Sends one request to a port of this machine: `fetch` does not let a caller set `Host`. */
export function ask(port: number, { method, path, headers, body }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, async (answer) => {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk)
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString(),
        })
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(typeof body === 'function' ? body() : body)
  })
}
