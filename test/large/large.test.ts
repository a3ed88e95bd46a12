/**
 * A fuzzer that knows the limits: it writes the largest legal thing of every kind, and reads, lists, changes, sends, delivers
 * and deletes it. Whatever is accepted stays usable: no 5xx, no answer, item, event or header beyond its budget, no delivery that
 * is stuck. `npm run test:large` makes more of them, larger ones, and every kind.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { chanceOf } from '../faults/chance.ts'
import { type AlphabetName, alphabetNames } from './alphabets.ts'
import { type Case, casesOf, partOf, run } from './case.ts'
import { kinds } from './kinds.ts'
import { command, shortest } from './shortest.ts'
import type { Cost } from './site.ts'

const asked = JSON.parse(process.env.LARGE ?? '{}') as Partial<Case> & {
  seed?: number
  rounds?: number
  thorough?: boolean
  /** Milliseconds in which a fault's case is made smaller. */
  shrinks?: number
}
const { seed = 1, rounds = 1, thorough = false, shrinks = 0 } = asked
const showsProgress = process.env.LARGE !== undefined
const costs = new Map<string, Cost>()

/** Kinds that other tests of `npm test` make as large, and that a short run leaves out: test/bounds/, large-pages.test.ts, events/bounds.test.ts, webhooks/large.test.ts. */
const madeElsewhere = ['variants', '50 products', 'option values', 'wide categories']
const isAsked = (kind: string) =>
  asked.kind === undefined ? thorough || !madeElsewhere.includes(kind) : kind === asked.kind

beforeAll(() => {
  // A delivery that cannot be rendered is logged, and a fault here.
  if (!showsProgress) vi.spyOn(console, 'error').mockImplementation(() => {})
})

/** The faults of a case, in words; empty without any. */
async function faultsOf(each: Case): Promise<string> {
  const { faults, made, paths, ...outcome } = await run(each, { thorough })
  for (const cost of outcome.costs) {
    const known = costs.get(cost.name)
    if (!known || known.cpu < cost.cpu) costs.set(cost.name, cost)
  }
  asks.push(
    `${String(outcome.asked).padStart(6)} requests, ${String(made).padStart(5)} made: ${each.kind} in ${each.alphabet}`,
  )
  const problems: string[] = []
  if (made === 0 && each.full === 'all')
    problems.push(`nothing of the kind was made: ${command(each, { thorough })}`)
  for (const [index, fault] of faults.entries()) {
    const until = Date.now() + (index < 3 ? shrinks : 0)
    const smallest = shrinks > 0 ? await shortest(each, fault, { thorough, paths, until }) : each
    problems.push(`${fault.what}\n  ${fault.request}\n  again: ${command(smallest, { thorough })}`)
  }
  pathsOf.set(each.kind, paths)
  // Printed at once, since many rounds take hours.
  if (showsProgress) process.stderr.write(problems.map((one) => `\n${one}\n`).join(''))
  return problems.join('\n')
}

const asks: string[] = []
const pathsOf = new Map<string, readonly string[]>()

describe.each(Array.from({ length: rounds }, (_, round) => round))(`seed ${seed}, round %i`, (round) => {
  const all = casesOf(seed, round).filter(({ kind }) => isAsked(kind))

  test.each(all)('the largest of $kind in $alphabet', { timeout: 3_600_000 }, async (drawn) => {
    const chance = chanceOf(seed * 1_000 + round + drawn.kind.length)
    const known = pathsOf.get(drawn.kind) ?? []
    const part = round > 0 && known.length > 0 ? partOf(drawn, known, chance) : drawn
    const { alphabet = part.alphabet, full = part.full, share = part.share } = asked
    const each: Case = { kind: drawn.kind, alphabet, full, share }
    expect(await faultsOf(each)).toBe('')
  })
})

test('every requested alphabet and kind exists', () => {
  expect(alphabetNames).toContain((asked.alphabet ?? 'ascii') satisfies AlphabetName)
  expect(Object.keys(kinds)).toEqual(expect.arrayContaining([asked.kind ?? 'product', ...madeElsewhere]))
})

test.runIf(showsProgress)('the highest costs are printed', () => {
  const most = [...costs.values()].toSorted((a, b) => b.cpu - a.cpu).slice(0, 25)
  const lines = most.map(({ name, cpu, milliseconds, bytes }) =>
    [
      cpu.toFixed(0).padStart(8),
      milliseconds.toFixed(0).padStart(8),
      `${bytes}`.padStart(10),
      `  ${name}`,
    ].join(''),
  )
  console.info(asks.join('\n'))
  console.info(['  CPU ms   all ms     bytes  request', ...lines].join('\n'))
})
