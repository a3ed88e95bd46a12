import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeCatalogue } from '../../../test/support/fake-catalogue.ts'

let service: Awaited<ReturnType<typeof startFakeCatalogue>>
let directory: string

beforeAll(async () => {
  service = await startFakeCatalogue()
  directory = await mkdtemp(join(tmpdir(), 'import-'))
})

afterAll(async () => {
  await service.close()
  await rm(directory, { recursive: true })
})

function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const command = join(import.meta.dirname, 'command.ts')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

async function file(name: string, csv: string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, csv)
  return path
}

const there = () => ['--tenant', 'acme', '--port', String(service.port), '--token', 'good']

test('a file is imported, then found unchanged', async () => {
  const path = await file('shop.csv', 'Handle,Title,Published,Variant Price\nmug,Mug,true,9.90\n')
  const first = await run(path, ...there())
  expect(first, first.err).toMatchObject({ code: 0, err: '100 %  1 products\n' })
  expect(first.out).toMatch(/^products +1 +0 +0 +0$/m)
  const second = await run(path, ...there())
  expect(second.out).toMatch(/^products +0 +0 +1 +0$/m)
  expect(second.code).toBe(0)
})

test('a refusal makes the exit code 1 and names the line', async () => {
  const path = await file('bad.csv', 'Handle,Title,Variant Price\nlamp,Lamp,5\nnameless,,5\n')
  const { code, out } = await run(path, ...there())
  expect(code).toBe(1)
  expect(out).toContain('line 3  nameless  title: This is required.')
})

test('a token that is refused stops the import with the message of the service', async () => {
  const path = await file('shop2.csv', 'Handle,Title\nmug,Mug\n')
  const { code, err } = await run(path, '--tenant', 'acme', '--port', String(service.port), '--token', 'bad')
  expect(code).toBe(1)
  expect(err).toContain('answered 401: The token is not valid.')
})

test('a file that is broken in the middle says where, and what was imported before', async () => {
  const path = await file('broken.csv', 'Handle,Title\npot,Pot\npan,"Pan\n')
  const { code, out, err } = await run(path, ...there())
  expect(code).toBe(1)
  expect(err).toMatch(/Stopped: The file cannot be read as CSV: .*line 3/)
  expect(out).toMatch(/^products/m)
})

test.each([
  [['--help'], 0, 'npm run import -- FILE.csv'],
  [[], 2, 'The CSV file is required'],
  [['nowhere.csv'], 2, 'There is no file nowhere.csv.\n--tenant is required.'],
  [['package.json'], 2, '--tenant is required.'],
  [['package.json', '--tenant', 'acme', '--port', 'x'], 2, '--port is a number from 1 to 65535.'],
  [
    ['package.json', '--tenant', 'acme', '--chanel', 'web'],
    2,
    '--chanel is not an option of npm run import.',
  ],
])('%j exits with %i and says %j', async (args, code, text) => {
  const done = await run(...args)
  expect(done.out + done.err).toContain(text)
  expect(done.code).toBe(code)
})
