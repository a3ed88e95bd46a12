/** Runs fault histories: a thousand by default, one of them again, or those of a service without its safeguards. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandOptions } from '../support/command-options.ts'
import { brokenVariants, type Edit } from './broken-variants.ts'

const root = fileURLToPath(new URL('../..', import.meta.url).href)

const options = commandOptions('test:faults', {
  seeds: { type: 'string', default: '1000' },
  from: { type: 'string', default: '1' },
  seed: { type: 'string' },
  broken: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
})

if (options.help) {
  console.log(`Runs histories in which everything fails that can, and checks that every change reached its subscribers.

  npm run test:faults -- [--seeds 1000] [--from 1]
  npm run test:faults -- --seed 97
  npm run test:faults -- --broken [--seeds 60] [--only TEXT]

  --seeds NUMBER  how many histories
  --from NUMBER   the seed of the first
  --seed NUMBER   that one history alone
  --broken        takes the safeguards out, one at a time, and expects each to be missed
  --only TEXT     of the safeguards those alone whose names have it

Prints the seeds of broken histories, each with the rules that it breaks. Exits with 1 when there are any; with --broken,
when a safeguard was not missed.`)
  process.exit(0)
}

const seeds = options.seed ? '1' : options.broken && options.seeds === '1000' ? '60' : options.seeds
const from = options.seed ?? options.from
for (const given of [seeds, from]) {
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    console.error(`${given} is no number of histories: npm run test:faults -- --help`)
    process.exit(2)
  }
}

process.exit(options.broken ? await takeOutSafeguards() : (await runHistories(root, 'inherit')).code)

/** Runs the histories in a tree. */
function runHistories(tree: string, output: 'inherit' | 'pipe'): Promise<{ code: number; text: string }> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [
    vitest,
    'run',
    '--config',
    'test/vitest.config.ts',
    '--project=long',
    'test/faults/histories.test.ts',
  ]
  const env = {
    ...process.env,
    FAULT_SEEDS: seeds,
    FAULT_FROM: from,
    FAULT_PROGRESS: output === 'inherit' ? 'on' : 'off',
    // This program parses the output, so it has no colours.
    ...(output === 'pipe' ? { NO_COLOR: '1' } : {}),
  }
  const child = spawn(process.execPath, args, { cwd: tree, env, stdio: ['ignore', output, output] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (text += data))
  return new Promise((done) => child.on('close', (code) => done({ code: code ?? 1, text })))
}

/** A tree in which nothing runs would pass for one whose safeguards are missed: so the untouched copy has to be whole. */
async function takeOutSafeguards(): Promise<number> {
  const chosen = Object.entries(brokenVariants).filter(([name]) => name.includes(options.only))
  if (chosen.length === 0) {
    console.error(`No safeguard has a name with: ${options.only}`)
    return 2
  }
  const whole = await toldWithout([])
  console.log(`${whole.code === 0 ? 'whole' : 'BROKEN'}   with every safeguard`)
  let wrong = whole.code === 0 ? 0 : 1
  for (const [name, edits] of chosen) {
    const { code, text } = await toldWithout(edits)
    const rule = /^\+?\s+([a-z][^:\n]{15,90}): /m.exec(text)?.[1]
    const isMissed = code !== 0 && rule !== undefined
    console.log(isMissed ? `missed   ${name}: it is no longer true that ${rule}` : `UNMISSED ${name}`)
    if (!isMissed) wrong += 1
  }
  return wrong === 0 ? 0 : 1
}

/** The histories of a copy of this tree with some edits. */
async function toldWithout(edits: readonly Edit[]): Promise<{ code: number; text: string }> {
  const tree = mkdtempSync(join(tmpdir(), 'catalogue-broken-'))
  try {
    for (const part of ['src', 'test', 'migrations', 'package.json', 'tsconfig.json', 'wrangler.toml']) {
      const filter = (path: string) => !path.includes('node_modules')
      cpSync(join(root, part), join(tree, part), { recursive: true, filter })
    }
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    for (const { file, from: found, to } of edits) {
      const path = join(tree, file)
      const code = readFileSync(path, 'utf8')
      if (!code.includes(found)) throw new Error(`${file} no longer says: ${found}`)
      writeFileSync(
        path,
        code.replace(found, () => to),
      )
    }
    return await runHistories(tree, 'pipe')
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}
