/**
 * Durations of a tenant's requests next to writers of others, who write to one tenant, then to a tenant each. The Worker in workerd with its queues, a
 * bridge with Neon's protocol and a real Postgres, on loopback. `npm run bench:neighbours -- --help`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOptions } from '../support/command-options.ts'
import { type Call, withService } from './measured.ts'
import { quantile } from './quantile.ts'

const options = commandOptions('bench:neighbours', {
  writers: { type: 'string', default: '50' },
  seconds: { type: 'string', default: '15' },
  rounds: { type: 'string', default: '3' },
  help: { type: 'boolean', default: false },
})
if (options.help) {
  console.log(`Measures a reader and a writer of one tenant next to the writers of others, against a throwaway Postgres.

  npm run bench:neighbours -- [--writers 50] [--seconds 15] [--rounds 3]

  --writers NUMBER  changes of products at once, first all in one tenant, then each in a tenant of its own
  --seconds NUMBER  length of a run
  --rounds NUMBER   runs of each kind, in turns; the medians are printed

Prints the milliseconds of the reader and of the writer, and how many changes the others made a second.`)
  process.exit(0)
}
const [writers, seconds, rounds] = [options.writers, options.seconds, options.rounds].map(Number) as [
  number,
  number,
  number,
]

/** Changes or reads a product. */
type Action = () => Promise<unknown>

type Run = {
  readonly read: number[]
  readonly written: number[]
  readonly others: number
  readonly refused: number
}

await withService('neighbours', async ({ call, callerOf }) => {
  const own = await productOf(await callerOf('own.test'))
  const inOne = await Promise.all(Array.from({ length: writers }, () => productOf(call)))
  const inMany: (typeof own)[] = []
  for (let n = 0; n < writers; n += 1) inMany.push(await productOf(await callerOf(`other-${n}.test`)))
  const lanes = { 'one tenant': inOne, 'a tenant each': inMany }
  const runs = new Map(Object.keys(lanes).map((name) => [name, [] as Run[]]))
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, products] of Object.entries(lanes)) {
      const run = await measured(
        own,
        products.map(({ change }) => change),
      )
      // The first round fills the caches of statements.
      if (round > 0) runs.get(name)?.push(run)
      console.error(`round ${round} of ${rounds}, ${name}`)
    }
  console.log(
    `| ${writers} writers of | read p50, p99 ms | write p50, p99 ms | changes of the others /s, rejected |`,
  )
  console.log('| --- | --- | --- | --- |')
  for (const [name, all] of runs) {
    const of = (figure: (run: Run) => number) => quantile(all.map(figure), 0.5).toFixed(0)
    const both = (times: (run: Run) => number[]) =>
      `${of((run) => quantile(times(run), 0.5))}, ${of((run) => quantile(times(run), 0.99))}`
    const cells = [name, both(({ read }) => read), both(({ written }) => written)]
    cells.push(`${of(({ others }) => others / seconds)}, ${of(({ refused }) => refused)}`)
    console.log(`| ${cells.join(' | ')} |`)
  }
})

/** A new product of a tenant. */
async function productOf(call: Call): Promise<{ readonly read: Action; readonly change: Action }> {
  const path = (await call('POST', '/api/products', { title: 'Lamp' }))['@id']
  let count = 0
  return {
    read: () => call('GET', path),
    change: () => call('PATCH', path, { vendor: `Vendor ${(count += 1)}` }),
  }
}

async function measured(own: { read: Action; change: Action }, others: readonly Action[]): Promise<Run> {
  const end = performance.now() + seconds * 1000
  const repeat = async (action: Action, pause: number) => {
    const times: number[] = []
    let refused = 0
    while (performance.now() < end) {
      const started = performance.now()
      await action().catch((error: Error) => {
        if (!error.message.includes('tenant_busy')) throw error
        refused += 1
      })
      times.push(performance.now() - started)
      await sleep(pause)
    }
    return { times, refused }
  }
  const [read, written, ...rest] = await Promise.all([
    repeat(own.read, 20),
    repeat(own.change, 20),
    ...others.map((action) => repeat(action, 0)),
  ])
  return {
    read: read.times,
    written: written.times,
    others: rest.reduce((sum, { times }) => sum + times.length, 0),
    refused: rest.reduce((sum, run) => sum + run.refused, 0),
  }
}
