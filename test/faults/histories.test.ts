import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startResolver } from '../support/resolver.ts'
import { failurePoints } from './failing-calls.ts'
import { runHistory } from './history.ts'
import { broken } from './invariants.ts'
import { tally } from './tally.ts'

/**
 * The value of `npm run test:faults`, by default the number of CI: as many
 * as `--broken` needs to notice each missing safeguard.
 */
const amount = Number(process.env.FAULT_SEEDS ?? 60)
const from = Number(process.env.FAULT_FROM ?? 1)
const showsProgress = process.env.FAULT_PROGRESS === 'on'

/** Histories under way at once: each waits for the database most of the time. */
const atOnce = 6

let resolver: Awaited<ReturnType<typeof startResolver>>

beforeAll(async () => {
  // The handlers log every mishap, and there are thousands.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  resolver = await startResolver({
    'one.shop.dev': ['93.184.215.14'],
    'two.shop.dev': ['93.184.215.14'],
  })
})

afterAll(() => resolver.close())

describe(`${amount} histories from seed ${from} on`, () => {
  test('whatever goes wrong, every change reaches its subscribers', { timeout: 14_400_000 }, async () => {
    const failures: string[] = []
    let next = from
    let done = 0
    const go = async () => {
      while (next < from + amount) {
        const seed = next
        next += 1
        const faults = await runHistory(seed, resolver.url)
          .then(broken)
          .catch((error: Error) => [`it threw: ${error.stack}`])
        if (faults.length > 0) failures.push(`seed ${seed}\n  ${faults.join('\n  ')}`)
        done += 1
        if (showsProgress && faults.length > 0) process.stderr.write(`\n${failures.at(-1)}\n`)
        if (showsProgress) process.stderr.write(`\r${done}/${amount} run, ${failures.length} broken`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, go))
    if (showsProgress) process.stderr.write(`\n${tally.text()}\n`)
    expect(failures.join('\n')).toBe('')
  })

  // Few histories reach some points, and which ones depends on the speed of the machine: more run until all are reached.
  test.runIf(amount >= 60)(
    'workers died at every point at which they can',
    { timeout: 14_400_000 },
    async () => {
      const wanted = [...Object.keys(failurePoints), 'before the work after a write']
      const missing = () => wanted.filter((point) => !tally.deaths.has(point))
      const failures: string[] = []
      for (let seed = from + amount; missing().length > 0 && seed < from + 5 * amount; seed += 1) {
        const faults = await broken(await runHistory(seed, resolver.url))
        failures.push(...faults.map((fault) => `seed ${seed}: ${fault}`))
      }
      expect(failures).toEqual([])
      expect(missing()).toEqual([])
      expect(tally.accepted).toBeGreaterThan(amount)
    },
  )
})
