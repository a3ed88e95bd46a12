/** The smallest case that still shows a fault. */
import { type Case, type Outcome, run } from './case.ts'
import type { Fault } from './site.ts'

/** Makes a case smaller as long as it shows the fault and there is time: plain letters, fewer properties, shorter ones. */
export async function shortest(
  found: Case,
  fault: Fault,
  options: { thorough: boolean; paths: readonly string[]; until: number },
): Promise<Case> {
  const shows = async (each: Case): Promise<boolean> => {
    if (Date.now() > options.until) return false
    const outcome: Outcome | null = await run(each, options).catch(() => null)
    return outcome?.faults.some(({ signature }) => signature === fault.signature) ?? false
  }
  let smallest = found
  const tried = async (each: Case) => {
    if (await shows(each)) smallest = each
  }
  if (found.alphabet !== 'ascii') await tried({ ...smallest, alphabet: 'ascii' })
  // By halves first, since a case takes seconds.
  let left = smallest.full === 'all' ? [...options.paths] : [...smallest.full]
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const full = left.toSpliced(from, size)
      await tried({ ...smallest, full })
      if (smallest.full === full) left = full
      else from += size
    }
  }
  for (let share = smallest.share / 2; share > 0.01; share /= 2) {
    const half: Case = { ...smallest, share }
    await tried(half)
    if (smallest !== half) break
  }
  return smallest
}

/** The command that repeats a case. */
export function command({ kind, alphabet, full, share }: Case, { thorough }: { thorough: boolean }): string {
  const parts = [`--kind '${kind}'`, `--alphabet '${alphabet}'`, `--share ${share}`]
  const paths = full === 'all' ? [] : [`--full '${full.join(',')}'`]
  return `npm run test:large -- ${[...parts, ...paths, ...(thorough ? [] : ['--short'])].join(' ')}`
}
