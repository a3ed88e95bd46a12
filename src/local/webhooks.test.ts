import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from './network.ts'

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, 'webhooks.ts'), ...args], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
}

test('without a service it fails at once', async () => {
  const port = await freePort()
  const { code, err } = await run('--tenant', 'acme', '--token', 'any', '--port', String(port))
  expect({ code, err: err.trim() }).toEqual({
    code: 1,
    err: `Nothing answers at acme.localhost:${port}. Is "npm start" running?`,
  })
})
