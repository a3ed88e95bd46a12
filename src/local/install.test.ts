/** In front of a project of one package that needs no registry. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

let template: string
let project: string

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'install-template-'))
  project = template
  mkdirSync(join(project, 'src/local'), { recursive: true })
  cpSync(join(import.meta.dirname, 'install.cjs'), join(project, 'src/local/install.cjs'))
  await release('1.0.0')
})

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'install-'))
  cpSync(template, project, { recursive: true })
})

afterEach(() => rmSync(project, { recursive: true, force: true }))

afterAll(() => rmSync(template, { recursive: true, force: true }))

const write = (file: string, content: unknown) =>
  writeFileSync(join(project, file), JSON.stringify(content, null, 2))

/** Makes a version of the package, and names it in the lock file. */
async function release(version: string): Promise<void> {
  // Elsewhere, as by a colleague: here npm would note down at once that it is installed.
  const elsewhere = join(project, 'elsewhere')
  mkdirSync(join(elsewhere, 'greeter'), { recursive: true })
  write('elsewhere/greeter/package.json', { name: 'greeter', version, bin: { greet: 'greet.sh' } })
  writeFileSync(join(elsewhere, 'greeter/greet.sh'), `#!/bin/sh\necho "greeter ${version} says $*"\n`)
  write('elsewhere/package.json', {
    name: 'project',
    version: '1.0.0',
    scripts: { prestart: 'node src/local/install.cjs', start: 'exec greet' },
    devDependencies: { greeter: `file:greeter-${version}.tgz` },
  })
  for (const parameters of [
    ['pack', './greeter'],
    ['install', '--package-lock-only', '--ignore-scripts'],
  ]) {
    const { code, output } = await run('npm', parameters, {}, elsewhere)
    if (code !== 0) throw new Error(output)
  }
  for (const file of ['package.json', 'package-lock.json', `greeter-${version}.tgz`]) {
    cpSync(join(elsewhere, file), join(project, file))
  }
}

type Ended = { readonly code: number | null; readonly output: string }

function run(
  command: string,
  parameters: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = project,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, {
      cwd,
      env: { ...process.env, npm_config_offline: 'true', npm_config_loglevel: 'error', ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    child.once('close', (code) => resolve({ code, output }))
  })
}

const install = (env?: NodeJS.ProcessEnv) => run(process.execPath, ['src/local/install.cjs'], env)

const installed = /^… Installing what package-lock\.json names\n✔ Installed in \d+ s\n$/

test('a fresh clone is installed before its command runs, also where npm leaves out what developers need', async () => {
  const { code, output } = await run('npm', ['start', '--silent', '--', 'hello'], { NODE_ENV: 'production' })
  expect(output).toMatch(/^… Installing .*\n✔ Installed in \d+ s\ngreeter 1\.0\.0 says hello\n$/)
  expect(code).toBe(0)
}, 60_000)

test('an installation stays, whatever the timestamps of its files', async () => {
  expect((await install()).output).toMatch(installed)
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(join(project, 'package-lock.json'), later, later)
  expect(await install()).toEqual({ code: 0, output: '' })
}, 60_000)

test('new entries of the lock file are installed', async () => {
  await install()
  await release('2.0.0')
  expect((await install()).output).toMatch(installed)
  expect(await install()).toEqual({ code: 0, output: '' })
}, 60_000)

test('an interrupted installation is repeated', async () => {
  await install()
  rmSync(join(project, 'node_modules/.package-lock.json'))
  expect((await install()).output).toMatch(installed)
}, 60_000)

test('of several at once one installs, and the others wait for it', async () => {
  const all = await Promise.all([install(), install(), install()])
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0])
  const output = all.map((each) => each.output)
  expect(output.filter((each) => installed.test(each))).toHaveLength(1)
  for (const each of output.filter((each) => !installed.test(each)))
    expect(each).toMatch(/^(?:Another command is installing what package-lock\.json names; waiting\.\n)?$/)
}, 60_000)

/** Installs with an npm that never ends. */
function spawnSlow(options: SpawnOptions): ChildProcess {
  writeFileSync(join(project, 'npm'), '#!/bin/sh\nexec sleep 20\n', { mode: 0o755 })
  const env = { ...process.env, PATH: `${project}:${process.env.PATH}` }
  return spawn(process.execPath, ['src/local/install.cjs'], { cwd: project, env, ...options })
}

test('an installation that was killed leaves no lock', async () => {
  const child = spawnSlow({ stdio: 'ignore', detached: true })
  const ended = new Promise((done) => child.once('exit', done))
  await sleep(1000)
  process.kill(-child.pid!, 'SIGKILL')
  await ended
  expect((await install()).output).toMatch(installed)
}, 60_000)

test('a stop ends npm, and says that the next command begins again', async () => {
  const child = spawnSlow({ stdio: 'pipe' })
  let output = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const ended = new Promise((done) => child.once('close', done))
  while (!output.includes('Installing')) await sleep(20)
  await sleep(300)
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
  expect(output).toContain(
    'Stopped by SIGTERM before everything was installed. The next command begins again.\n',
  )
}, 60_000)

test('a failure shows what npm said', async () => {
  write('package.json', { name: 'project', version: '1.0.0', devDependencies: { stranger: '1.0.0' } })
  const { code, output } = await install()
  expect(code).toBe(1)
  expect(output).toMatch(/npm error [\s\S]*stranger[\s\S]*\n\n"npm ci" failed; what it said is above\.\n$/)
}, 60_000)

test('an old Node and an unsupported machine get instructions, and nothing is installed', async () => {
  const pretend = (code: string) => {
    writeFileSync(join(project, 'pretend.cjs'), code)
    return install({ NODE_OPTIONS: `--require ${join(project, 'pretend.cjs')}` })
  }
  const old = `Object.defineProperty(process.versions, 'node', { value: '18.20.0' })`
  expect(await pretend(old)).toEqual({
    code: 1,
    output: expect.stringMatching(/^This needs Node 20 or newer and runs on Node 18\.20\.0: install .*\n$/),
  })
  const windows = `Object.defineProperty(process, 'platform', { value: 'win32' })`
  expect(await pretend(windows)).toEqual({
    code: 1,
    output: expect.stringMatching(/^This runs on Linux with glibc, .*, and this is win32 .*: use .*\n$/),
  })
  expect(existsSync(join(project, 'node_modules'))).toBe(false)
}, 60_000)

test('a command that installs nothing says what to run, with any Node', async () => {
  const hint = { code: 1, output: expect.stringMatching(/^Run "npm ci" first: [^\n]+\n$/) }
  writeFileSync(join(project, 'src/local/command.ts'), 'console.log("runs" as string)')
  const command = () => run(process.execPath, ['-r', './src/local/install.cjs', 'src/local/command.ts'])
  expect(await command()).toEqual(hint)
  mkdirSync(join(project, 'node_modules'))
  write('node_modules/.package-lock.json', {})
  expect(await command()).toEqual({ code: 0, output: 'runs\n' })
  const old = ['--no-experimental-strip-types', '-r', './src/local/install.cjs', 'src/local/command.ts']
  expect(await run(process.execPath, old)).toEqual(hint)
})
