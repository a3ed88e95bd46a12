/** Replays the recorded requests and compares the responses with the recording. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandOptions } from '../support/command-options.ts'
import { loadCatalogue, recordedTenant } from './catalogue.ts'
import { setDay, stopClock } from './clock.ts'
import { fuzzEntries } from './fuzz-run.ts'
import { usualHeaders } from './outcome.ts'
import { callersAt, host, locales, readEntry } from './read-run.ts'
import { reads } from './reads.ts'
import { type Entry, mismatchesBetween, topicText } from './recording.ts'
import { buildDocuments, type Service, startService } from './service.ts'
import { writeEntries } from './write-run.ts'
import { writes } from './writes.ts'

const help = `Sends recorded requests to the service and compares every response, event and webhook with the recording in
test/replay/recording/, byte for byte.

  npm run test:replay -- [--only TEXT] [--update]

  --only TEXT   only the topics whose names contain the text: reads-products, writes-categories, fuzz …
  --update      writes the recording again; git diff shows the differences
  --help        this text

Exit code 0: every response is as recorded; 1: some differ; 2: wrong usage.
`

const directory = join(import.meta.dirname, 'recording')
/** The number of differing responses that are printed with their lines, and of lines of each. The titles of all are printed. */
const limits = { responses: 10, lines: 40 }

type Topic = {
  readonly name: string
  /** The day of the replay's clock on which it begins. */
  readonly day: number
  readonly run: (service: Service) => Promise<readonly Entry[]>
}

const topics: readonly Topic[] = [
  ...Object.entries(reads).map(
    ([name, all]): Topic => ({
      name: `reads-${name}`,
      day: 0,
      async run(service) {
        const callers = await callersAt(service, host)
        return fourAtOnce(all, (read) => readEntry(service, callers, read))
      },
    }),
  ),
  ...Object.entries(writes).map(
    ([name, run], index): Topic => ({
      name: `writes-${name}`,
      day: 1,
      run: (service) => writeEntries(service, name, index + 1, run),
    }),
  ),
  // The last topic, because some of its requests change the recorded catalogue.
  { name: 'fuzz', day: 2, run: fuzzEntries },
]

/** Works on four items at once; the results are in the order of the items. */
async function fourAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const workers = Array.from({ length: 4 }, async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  })
  await Promise.all(workers)
  return results
}

const options = {
  only: { type: 'string', default: '' },
  update: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<number> {
  const values = commandOptions('test:replay', options)
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const chosenTopics = topics.filter(({ name }) => name.includes(values.only))
  if (chosenTopics.length === 0) {
    console.error(
      `No topic has “${values.only}” in its name. The topics: ${topics.map(({ name }) => name).join(', ')}.`,
    )
    return 2
  }
  buildDocuments()
  stopClock()
  const service = await startService()
  try {
    await service.addTenant({ id: recordedTenant, host, locales })
    await loadCatalogue(service.owner, recordedTenant)
    return await replay(service, chosenTopics, values.update)
  } finally {
    await service.close()
  }
}

async function replay(service: Service, chosenTopics: readonly Topic[], updates: boolean): Promise<number> {
  let different = 0
  for (const { name, day, run } of chosenTopics) {
    setDay(day)
    const started = performance.now()
    const entries = await run(service)
    const text = topicText([`npm run test:replay -- --only ${name}`, ...usualHeaders], entries)
    const file = join(directory, `${name}.txt`)
    const recordedText = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const count = entries.reduce((sum, { outcomes }) => sum + outcomes.length, 0)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    if (updates) {
      mkdirSync(directory, { recursive: true })
      writeFileSync(file, text)
      console.log(`${recordedText === text ? '✔' : '✎'} ${name}: ${count} responses in ${seconds} s`)
      continue
    }
    const mismatches = mismatchesBetween(recordedText, text)
    console.log(`${mismatches.length === 0 ? '✔' : '✘'} ${name}: ${count} responses in ${seconds} s`)
    for (const [index, { title, lines }] of mismatches.entries()) {
      if (different + index >= limits.responses) {
        console.log(`  ✘ ${title.replace('\n', '')}`)
        continue
      }
      console.log(`\n${title}\n${lines.slice(0, limits.lines).join('\n')}`)
      if (lines.length > limits.lines) console.log(`  and ${lines.length - limits.lines} more lines`)
    }
    different += mismatches.length
  }
  if (different === 0) return 0
  console.log(
    `\n${different} responses differ from the recording. If you intend that, record them with npm run test:replay -- --update, and look at git diff.`,
  )
  return 1
}

process.exitCode = await main()
