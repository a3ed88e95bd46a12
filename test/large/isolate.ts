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
  /** Bytes of the heap and of the buffers beside it, with what is not collected yet: workerd collects nothing on demand. */
  heap(): Promise<number>
  stop(): Promise<void>
}

/** The Worker as `npm run deploy` would send it. */
export type Bundle = {
  /** An isolate of its own, in which nothing has happened. */
  start(bindings: Readonly<Record<string, string>>): Promise<Isolate>
  remove(): void
}

const root = fileURLToPath(new URL('../..', import.meta.url).href)

/** Bundles the Worker. */
export function bundleWorker(): Bundle {
  const directory = mkdtempSync(join(tmpdir(), 'catalogue-isolate-'))
  const { compatibility_date, compatibility_flags } = unstable_readConfig({
    config: join(root, 'wrangler.toml'),
  })
  const file = join(directory, 'wrangler.json')
  const config = {
    name: 'memory',
    main: join(root, 'src/worker.ts'),
    compatibility_date,
    compatibility_flags,
  }
  writeFileSync(file, JSON.stringify(config))
  const wrangler = fileURLToPath(import.meta.resolve('wrangler'))
  const args = ['--no-warnings', wrangler, 'deploy', '--dry-run', `--outdir=${directory}`, `--config=${file}`]
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: 'false',
    XDG_CONFIG_HOME: join(directory, 'config'),
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the Worker cannot be bundled: ${stdout}${stderr}`)
  return {
    start: (bindings) =>
      startIsolate(
        new Miniflare(
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
        ),
      ),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
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
