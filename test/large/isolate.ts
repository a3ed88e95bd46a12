/** The Worker in workerd, with the inspector of its isolate. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_readConfig } from 'wrangler'

/** A Worker that can be asked, and what its isolate says of its memory. */
export type Isolate = {
  fetch(request: Request): Promise<Response>
  /** Bytes of the heap and of the buffers beside it that are in use. */
  heap(): Promise<number>
  /** Collects what is in use no more. */
  sweep(): Promise<void>
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url).href)

/** Bundles the Worker as it is deployed, and starts it. */
export async function startIsolate(bindings: Readonly<Record<string, string>>): Promise<Isolate> {
  const directory = mkdtempSync(join(tmpdir(), 'catalogue-isolate-'))
  const { compatibility_date, compatibility_flags } = unstable_readConfig({
    config: join(root, 'wrangler.toml'),
  })
  bundle(directory, { compatibility_date, compatibility_flags })
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      modulesRoot: directory,
      scriptPath: join(directory, 'worker.js'),
      compatibilityDate: compatibility_date!,
      compatibilityFlags: compatibility_flags,
      bindings,
      cf: false,
      inspectorPort: 0,
    }),
  )
  await worker.ready
  const inspector = await openInspector(await worker.getInspectorURL())
  await inspector('Runtime.enable')
  return {
    // Given its address as a text: miniflare and this program know different URL classes.
    async fetch(request) {
      const { pathname, search, host } = new URL(request.url)
      const headers = Object.fromEntries(request.headers)
      const answer = await worker.dispatchFetch(`http://${host}${pathname}${search}`, {
        method: request.method,
        headers,
        ...(request.body ? { body: await request.text() } : {}),
      })
      return answer as unknown as Response
    },
    async heap() {
      const { usedSize = 0, backingStorageSize = 0 } = await inspector('Runtime.getHeapUsage')
      return usedSize + backingStorageSize
    },
    async sweep() {
      await inspector('HeapProfiler.collectGarbage').catch(() => {})
    },
    async stop() {
      inspector.close()
      await worker.dispose()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** As `npm run deploy` would send it. */
function bundle(directory: string, config: object): void {
  const file = join(directory, 'wrangler.json')
  writeFileSync(file, JSON.stringify({ name: 'memory', main: join(root, 'src/worker.ts'), ...config }))
  const wrangler = fileURLToPath(import.meta.resolve('wrangler'))
  const args = ['--no-warnings', wrangler, 'deploy', '--dry-run', `--outdir=${directory}`, `--config=${file}`]
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', XDG_CONFIG_HOME: join(directory, 'config') }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the Worker cannot be bundled: ${stdout}${stderr}`)
}

type Command = ((method: string) => Promise<Record<string, number>>) & { close(): void }

/** The Chrome DevTools Protocol over a WebSocket. */
async function openInspector(url: URL): Promise<Command> {
  const targets = (await (await fetch(new URL('/json/list', url))).json()) as {
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
