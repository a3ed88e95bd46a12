/** The Worker in workerd, with the inspector of its isolate. */
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Bundle } from '../support/bundle.ts'

/** A Worker that takes requests, with the memory that its isolate reports. */
export type Isolate = {
  fetch(request: Request): Promise<Response>
  /** Bytes of the heap and of the buffers outside it, with uncollected ones: workerd collects nothing on demand. */
  heap(): Promise<number>
  stop(): Promise<void>
}

/** An isolate of its own, in which nothing has happened. */
export function startBundled(
  { directory, script, compatibilityDate, compatibilityFlags }: Bundle,
  bindings: Readonly<Record<string, string>>,
): Promise<Isolate> {
  return startIsolate(
    new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        modulesRoot: directory,
        scriptPath: join(directory, script),
        compatibilityDate,
        compatibilityFlags: [...compatibilityFlags],
        bindings,
        cf: false,
        inspectorPort: 0,
      }),
    ),
  )
}

async function startIsolate(worker: Miniflare): Promise<Isolate> {
  await worker.ready
  const inspector = await openInspector(await worker.getInspectorURL())
  await inspector('Runtime.enable')
  return {
    // Given its address as a text: miniflare and this program know different URL classes.
    async fetch(request) {
      const { pathname, search, host } = new URL(request.url)
      const answer = await worker.dispatchFetch(`http://${host}${pathname}${search}`, {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        ...(request.body ? { body: await request.text() } : {}),
      })
      return answer as unknown as Response
    },
    async heap() {
      const { usedSize = 0, backingStorageSize = 0 } = await inspector('Runtime.getHeapUsage')
      return usedSize + backingStorageSize
    },
    async stop() {
      inspector.close()
      await worker.dispose()
    },
  }
}

type Command = ((method: string) => Promise<Record<string, number>>) & { close(): void }

/** The Chrome DevTools Protocol over a WebSocket. */
async function openInspector(url: URL): Promise<Command> {
  const targets = (await (await fetch(`http://${url.host}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]!.webSocketDebuggerUrl)
  await new Promise((done, failed) => {
    socket.addEventListener('open', done)
    socket.addEventListener('error', failed)
  })
  const waiting = new Map<
    number,
    (answer: { result?: Record<string, number>; error?: { message: string } }) => void
  >()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data))
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  let count = 0
  const command = (method: string) =>
    new Promise<Record<string, number>>((done, failed) => {
      count += 1
      waiting.set(count, ({ result, error }) =>
        error ? failed(new Error(error.message)) : done(result ?? {}),
      )
      socket.send(JSON.stringify({ id: count, method }))
    })
  return Object.assign(command, { close: () => socket.close() })
}
