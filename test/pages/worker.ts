import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { freePort } from '../../src/local/network.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Asked, it starts the Worker behind the pages unless that is running already, and answers its port. */
    pagesWorker: string
  }
}

type Worker = { readonly port: number; close(): Promise<void> }

/** One Worker with its files, as it is deployed, for all the tests in browsers: started when the first of them asks. */
export default async function pagesWorker(project: TestProject): Promise<() => Promise<void>> {
  let worker: Promise<Worker> | undefined
  const door = createServer(async (_, response) => {
    worker ??= start(project.getProvidedContext())
    try {
      response.end(String((await worker).port))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  const port = await freePort()
  await once(door.listen(port, '127.0.0.1'), 'listening')
  project.provide('pagesWorker', `http://127.0.0.1:${port}`)
  return async () => {
    door.close()
    await worker?.then(
      (running) => running.close(),
      () => undefined,
    )
  }
}

async function start({ appUrl, bridgeEndpoint }: ProvidedContext): Promise<Worker> {
  // In a process of its own: a build blocks its process for seconds.
  const build = fileURLToPath(new URL('../../src/local/build.ts', import.meta.url).href)
  await promisify(execFile)(process.execPath, [build])
  Object.assign(process.env, {
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG: 'error',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  })
  const { createTestHarness, unstable_readConfig } = await import('wrangler')
  const { assets, compatibility_date, compatibility_flags, r2_buckets } = unstable_readConfig({
    config: 'wrangler.toml',
  })
  const server = createTestHarness({
    workers: [
      {
        config: {
          name: 'catalogue',
          main: 'src/worker.ts',
          compatibility_date: compatibility_date!,
          compatibility_flags,
          assets,
          r2_buckets,
          queues: {
            producers: [{ binding: 'WORK', queue: 'pages-work' }],
          },
          vars: {
            DATABASE_URL: appUrl,
            NEON_FETCH_ENDPOINT: bridgeEndpoint,
            ENVIRONMENT: 'local',
            CALLBACKS: 'loopback',
          },
        },
      },
    ],
  })
  const { url } = await server.listen()
  return { port: Number(url.port), close: () => server.close() }
}
