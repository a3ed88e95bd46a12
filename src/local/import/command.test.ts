import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Doorstep, openDoorstep } from '../../../test/support/doorstep.ts'

const tenant = `import-${process.pid}`
let door: Doorstep
let directory: string
let there: string[]

beforeAll(async () => {
  door = await openDoorstep({}, { host: `${tenant}.localhost` })
  there = ['--tenant', tenant, '--port', new URL(door.origin).port, '--token', await door.shop.token()]
  directory = await mkdtemp(join(tmpdir(), 'import-'))
})

afterAll(async () => {
  await door.close()
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

async function file(name: string, csv: string | Buffer): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, csv)
  return path
}

test('a file is imported, then found unchanged', async () => {
  const path = await file('shop.csv', 'Handle,Title,Published,Variant Price\nmug,Mug,true,9.90\n')
  const first = await run(path, ...there)
  expect(first, first.err).toMatchObject({ code: 0 })
  expect(first.err).toMatch(/^100 % {2}products are written, 1 of 1$/m)
  expect(first.out).toMatch(/^products +1 +1 +0 +0 +0 +0$/m)
  const second = await run(path, ...there)
  expect(second.out).toMatch(/^products +1 +0 +0 +1 +0 +0$/m)
  expect(second.code).toBe(0)
})

test('a refusal makes the exit code 1 and names the line', async () => {
  const path = await file('bad.csv', 'Handle,Title,Variant Price\nlamp,Lamp,5\nnameless,,5\n')
  const { code, out } = await run(path, ...there)
  expect(code).toBe(1)
  expect(out).toContain('line 3  nameless  Title: This information is required.')
})

test('a token that is refused stops the import with the message of the service', async () => {
  const path = await file('shop2.csv', 'Handle,Title\nmug,Mug\n')
  const { code, err } = await run(path, ...there.slice(0, -1), 'bad')
  expect(code).toBe(1)
  expect(err).toContain('answered 401: ')
})

test('rejected rows are written to a file that can be corrected and imported', async () => {
  const path = await file('broken.csv', 'Handle,Title,Price\npot,Pot,7\npan,"Pan,5\ncup,Cup,"8,50"\n')
  const { code, out } = await run(path, ...there)
  expect(code).toBe(1)
  expect(out).toMatch(/line 3 +pan +Title ""Pan": A quote is not closed/)
  expect(out).toMatch(/^products +3 +2 +0 +0 +1 +0$/m)
  const rejected = join(directory, 'broken.rejected.csv')
  expect(out).toContain(`Correct the rows in ${rejected}, and import that file:

  npm run import -- ${rejected} ${there.slice(0, -1).join(' ')} TOKEN`)
  const text = await readFile(rejected, 'utf8')
  expect(text.split('\n')).toHaveLength(4)
  await writeFile(rejected, text.replace('8,50",', '8.50",'))
  // The second row is as the command has repaired it.
  const again = await run(rejected, ...there, '--decimal-comma')
  expect(again, again.out).toMatchObject({ code: 0 })
  expect(again.out).toMatch(/^products +2 +1 +1 +0 +0 +0$/m)
})

test('a file in Windows-1252 is imported, and the encoding is printed', async () => {
  const path = await file('latin.csv', Buffer.from('Handle;Title;Price\ncafe;Café;9,50\n', 'latin1'))
  const { code, out } = await run(path, ...there, '--decimal-comma')
  expect(out).toMatch(/^The file is read as windows-1252.\n/)
  expect(code).toBe(0)
  const { member } = await door.shop.read('/api/products?handle=cafe')
  expect(member).toMatchObject([{ title: 'Café' }])
})

test('a file without a known column is refused with its first line', async () => {
  const { code, err } = await run(await file('other.csv', 'Name,Price\nMug,5\n'), ...there)
  expect(code).toBe(1)
  expect(err).toContain(
    'Stopped: The file has no column "Handle", as a Shopify product export has. --layout and --map name others. Its columns: Name, Price',
  )
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
