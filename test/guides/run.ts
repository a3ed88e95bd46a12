/** Runs a guide page from top to bottom in a tenant of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '../../src/local/guides/pages.ts'
import { curlOf, type GuideRequest, pythonOf, typescriptOf } from '../../src/local/guides/requests.ts'
import { differences, missingLine } from './matching.ts'
import { becomes, inTurn, type Program, startProgram } from './programs.ts'
import { type Answer, type Recorder, type Sent, startRecorder } from './recorder.ts'
import { type GuideService, type GuideTenant, root } from './service.ts'

type Block = Page['blocks'][number]

/** Blocks that are shown only. */
const isShown = (info: string) =>
  /^(?:\w+ (?:config|fragment|example)\b.*|sql|csv|toml|yaml|html)$/.test(info)

/** Runs each block, and returns each difference from the page with its place. */
export async function runPage(page: Page, service: GuideService): Promise<string[]> {
  const tenant = await service.openTenant()
  const recorder = await startRecorder()
  const artefacts = join(root, 'test/artefacts')
  mkdirSync(artefacts, { recursive: true })
  // In this tree, so that programs find packages.
  const directory = mkdtempSync(join(artefacts, `guide-${page.slug}-`))
  const run = new Run(page, { service, tenant, recorder, directory })
  try {
    return await run.all()
  } finally {
    run.end()
    tenant.close()
    recorder.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

type Surroundings = {
  readonly service: GuideService
  readonly tenant: GuideTenant
  readonly recorder: Recorder
  readonly directory: string
}

class Run {
  readonly #page: Page
  readonly #in: Surroundings
  readonly #values = new Map<string, string>()
  readonly #programs: Program[] = []
  readonly #later: Promise<unknown>[] = []
  readonly #found: string[] = []
  /** The result of the block before. */
  #before:
    | { readonly answer: Answer }
    | { readonly program: Program; readonly isBackground: boolean }
    | null = null
  #background: Program | null = null
  #hasEnded = false

  constructor(page: Page, surroundings: Surroundings) {
    this.#page = page
    this.#in = surroundings
  }

  /** Ends after four minutes. The programs that still run are then killed, so that their blocks fail. */
  async all(): Promise<string[]> {
    const limit = setTimeout(() => this.end(), 240_000)
    try {
      return await this.#run()
    } finally {
      clearTimeout(limit)
    }
  }

  async #run(): Promise<string[]> {
    for (const block of this.#page.blocks) {
      try {
        if (this.#hasEnded) throw new Error('not run: the page has taken four minutes')
        await this.#block(block)
      } catch (error) {
        this.#report(block, (error as Error).message)
      }
    }
    await Promise.all(this.#later)
    return this.#found
  }

  end(): void {
    this.#hasEnded = true
    for (const program of this.#programs) program.kill()
  }

  #report({ line }: Block, ...findings: readonly string[]): void {
    for (const finding of findings) this.#found.push(`${this.#page.file}:${line}: ${finding}`)
  }

  async #block(block: Block): Promise<void> {
    const { info, code, request } = block
    if (isShown(info)) return
    if (request) return this.#request(block, request)
    const [language = '', ...settings] = info.split(' ')
    if (info === 'json') return this.#compareJson(block, this.#filled(code))
    if (info === 'text') return this.#compareText(block, this.#filled(code))
    const commands: Readonly<Record<string, string>> = { sh: 'bash', ts: process.execPath, python: 'python3' }
    const command = commands[language]
    const isBackground = settings.includes('background')
    const file = settings.find((each) => each.startsWith('file='))?.slice(5)
    const isKnown = settings.every((each) => each === 'background' || each.startsWith('file='))
    if (!command || !isKnown) throw new Error(`“${info}” is no kind of block`)
    const path = join(this.#in.directory, file ?? `line-${block.line}.${language}`)
    writeFileSync(path, code)
    const parameters = language === 'sh' ? ['-e', '-o', 'pipefail', path] : [path]
    const program = startProgram(command, parameters, await this.#variables(), isBackground)
    this.#programs.push(program)
    this.#before = { program, isBackground }
    if (isBackground) {
      this.#background = program
      await becomes(() => program.output() !== '', 5)
      return
    }
    const status = await program.exited
    if (status !== 0) this.#report(block, `exit code ${status}: ${program.output()}`)
  }

  async #variables(scopes: GuideRequest['scopes'] = null): Promise<Record<string, string>> {
    const { tenant, service } = this.#in
    const { origin, key } = tenant.storefront
    const credentials =
      scopes?.[0] === 'publishable_key'
        ? { SHOP: origin, TOKEN: key }
        : { SHOP: tenant.origin, TOKEN: await tenant.token(scopes) }
    return {
      ...service.variables,
      ...{ TENANT: tenant.name, ...credentials },
      PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    }
  }

  /** A text with the values of earlier responses. */
  #filled(text: string): string {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => {
      const value = this.#values.get(name)
      if (value === undefined) throw new Error(`no earlier request keeps ${name}`)
      return value
    })
  }

  async #request(block: Block, request: GuideRequest): Promise<void> {
    const { method, headers, body, status, keeps } = request
    const variables = await this.#variables(request.scopes)
    const path = this.#filled(request.path.join(''))
    const fields = headers.map(([name, value]): [string, string] => [name, this.#filled(value)])
    const response = await fetch(`${variables.SHOP}${path}`, {
      ...{ method, redirect: 'manual' },
      headers: [['Authorization', `Bearer ${variables.TOKEN}`], ...fields],
      ...(body !== null && { body: this.#filled(body) }),
    })
    const answer = { status: response.status, headers: response.headers, text: await response.text() }
    this.#before = { answer }
    const isExpected = status === null ? response.ok : response.status === status
    if (!isExpected) throw new Error(`expected ${status ?? '2xx'}, was ${response.status}: ${answer.text}`)
    const used = this.#usedIn(block.code)
    const kept: Record<string, string> = {}
    for (const keep of keeps) {
      const value: unknown =
        'header' in keep
          ? response.headers.get(keep.header)
          : keep.path.reduce((found, step) => found?.[step], JSON.parse(answer.text))
      if (value === undefined || value === null) throw new Error(`the response has no ${keep.name}`)
      kept[keep.name] = String(value)
    }
    for (const [language, program] of Object.entries(programs(request, used, this.#in.directory, block.line)))
      this.#later.push(
        inTurn(async () => {
          const { origin, sent } = this.#in.recorder.expect(answer)
          const [command, ...parameters] = program
          const started = startProgram(command!, parameters, { ...variables, ...used, SHOP: origin })
          const code = await started.exited
          const outcome = { code, sent, output: started.output(), printed: started.printed() }
          const wanted = {
            method,
            path,
            fields,
            body: body === null ? '' : fill(body, used),
            token: variables.TOKEN!,
          }
          const wrong = faults(language, outcome, wanted, answer, kept)
          this.#report(block, ...wrong.map((fault) => `${language}: ${fault}`))
        }).catch((error: Error) => this.#report(block, error.message)),
      )
    for (const [name, value] of Object.entries(kept)) this.#values.set(name, value)
  }

  /** The values that a block uses. */
  #usedIn(code: string): Record<string, string> {
    const names = [...code.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!)
    return Object.fromEntries(names.map((name) => [name, this.#values.get(name)!]))
  }

  #compareJson(block: Block, code: string): void {
    if (this.#before === null) throw new Error('no request or program is before this JSON')
    const text = 'answer' in this.#before ? this.#before.answer.text : this.#before.program.printed()
    this.#report(block, ...differences(JSON.parse(text), JSON.parse(code)))
  }

  /** The output of a background program is compared at the end of the page, or at once below a request. */
  async #compareText(block: Block, code: string): Promise<void> {
    const program = this.#before && 'program' in this.#before ? this.#before.program : this.#background
    if (program === null) throw new Error('no program is before this output')
    const compare = async () => {
      const seconds = program === this.#background ? 20 : 0
      if (await becomes(() => missingLine(program.output(), code) === null, seconds)) return
      const missing = missingLine(program.output(), code)
      this.#report(block, `the output has no line “${missing}” in this order:\n${program.output()}`)
    }
    if (this.#before && 'program' in this.#before && this.#before.isBackground) this.#later.push(compare())
    else await compare()
  }
}

const fill = (text: string, values: Readonly<Record<string, string>>) =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]!)

/** The commands that run the printed programs of a request. Each ends with a line that prints the values that it keeps. */
function programs(
  request: GuideRequest,
  used: Readonly<Record<string, string>>,
  directory: string,
  line: number,
): Record<string, string[]> {
  const names = request.keeps.map(({ name }) => name)
  const values = Object.entries(used)
  const write = (language: string, parts: readonly string[]) => {
    const path = join(directory, `request-${line}.${language}`)
    writeFileSync(path, parts.join('\n'))
    return path
  }
  const ts = [
    ...values.map(([name, value]) => `let ${name} = ${JSON.stringify(value)}`),
    typescriptOf(request),
    `console.log('\\n' + JSON.stringify({ ${names.join(', ')} }))`,
  ]
  const python = [
    ...values.map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    pythonOf(request),
    `import json; print("\\n" + json.dumps({ ${names.map((name) => `"${name}": ${name}`).join(', ')} }))`,
  ]
  return {
    curl: ['bash', '-e', write('sh', [curlOf(request)])],
    TypeScript: [process.execPath, write('ts', ts)],
    Python: ['python3', write('py', python)],
  }
}

type Wanted = {
  readonly method: string
  readonly path: string
  readonly fields: readonly (readonly [string, string])[]
  readonly body: string
  readonly token: string
}

type Outcome = {
  readonly code: number
  readonly sent: readonly Sent[]
  readonly output: string
  readonly printed: string
}

/** How the request of a program differs from that of the page, and its output from the response. */
function faults(
  language: string,
  { code, sent, output, printed }: Outcome,
  wanted: Wanted,
  answer: Answer,
  kept: Readonly<Record<string, string>>,
): string[] {
  const [request, ...more] = sent
  if (code !== 0 || !request || more.length > 0)
    return [`exit code ${code}, ${sent.length} requests: ${output}`]
  const expectedHeaders = Object.fromEntries([
    ['authorization', `Bearer ${wanted.token}`],
    ...wanted.fields.map(([name, value]) => [name.toLowerCase(), value]),
  ])
  const address = (path: string) => new URL(path, 'http://shop.test').href
  const found = [
    ...differences(request.method, wanted.method, 'method'),
    ...differences(address(request.path), address(wanted.path), 'address'),
    ...differences(request.headers, expectedHeaders, 'headers'),
    ...differences(parsed(request.body), parsed(wanted.body), 'body'),
    ...(wanted.body === '' ? differences(request.headers['content-type'], undefined, 'Content-Type') : []),
  ]
  if (language === 'curl') {
    const body = wanted.method === 'HEAD' ? '' : answer.text
    return printed.endsWith(body) ? found : [...found, `the output is not the response: ${output}`]
  }
  const [first = '', last = ''] = [
    printed.trimEnd().split('\n').slice(0, -1).join('\n'),
    printed.trimEnd().split('\n').at(-1),
  ]
  return [
    ...found,
    ...differences(parsed(first.trim()), parsed(`${answer.status} ${answer.text}`.trim()), 'output'),
    ...differences(JSON.parse(last), kept, 'kept values'),
  ]
}

/** A text as a value to compare: JSON, also behind a status, is parsed. */
function parsed(text: string): unknown {
  const [, status = '', rest = text] = /^(\d{3}) ([\s\S]+)$/.exec(text) ?? []
  try {
    return [status, JSON.parse(rest)]
  } catch {
    return text
  }
}
