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

test('--help prints everything on standard output', async () => {
  const { code, out, err } = await run('--help')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const option of ['--tenant', '--topic', '--version', '--include-fields', '--fail-rate', '--port'])
    expect(out).toContain(option)
})

test.each([
  [[], '--tenant is required.'],
  [['--tenant', 'acme', '--fail-rate', '2'], '--fail-rate is a number from 0 to 1.'],
  [['--tenant', 'acme', '--port', 'x'], '--port is a number from 1 to 65535.'],
  [['--tenant', 'acme', '--nothing'], '--nothing is not an option of npm run webhooks.'],
])('%j gets the error and a hint to the help', async (args, message) => {
  const { code, err } = await run(...args)
  expect(code).toBe(2)
  expect(err).toContain(message)
  expect(err).toContain('See: npm run webhooks -- --help')
})

test('without a service it fails at once', async () => {
  const port = await freePort()
  const { code, err } = await run('--tenant', 'acme', '--token', 'any', '--port', String(port))
  expect({ code, err: err.trim() }).toEqual({
    code: 1,
    err: `Nothing answers at acme.localhost:${port}. Is "npm start" running?`,
  })
})
