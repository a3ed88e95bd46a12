/** A case: one kind of thing, made as large as it may be in one way, and everything that is done with it. */
import { type Chance, chanceOf } from '../faults/chance.ts'
import { type AlphabetName, alphabetNames } from './alphabets.ts'
import { deliver, openReceiver, subscribe, tryOut } from './deliveries.ts'
import { kinds } from './kinds.ts'
import type { Filling } from './largest.ts'
import { type Cost, type Fault, openSite } from './site.ts'
import { readEvents, sendNonsense, takeDown, visit } from './visit.ts'

/** The parameters of a case; a repeated case is the same but for ids. */
export type Case = Filling & { readonly kind: string }

/** The result of a case. */
export type Outcome = {
  readonly faults: readonly Fault[]
  readonly costs: readonly Cost[]
  /** How many requests were made. */
  readonly asked: number
  /** How many things were made. */
  readonly made: number
  /** The parts that could have had their largest size. */
  readonly paths: readonly string[]
}

/** The cases of a seed, one for each kind: in the first round everything is as large as it may be, later on a part. */
export function casesOf(seed: number, round: number): Case[] {
  const chance = chanceOf(seed * 1_000 + round)
  return Object.keys(kinds).map((kind, index) => ({
    kind,
    alphabet: alphabetNames[(seed + round * 7 + index) % alphabetNames.length] as AlphabetName,
    full: 'all',
    share: round === 0 ? 1 : chance.one([1, 1, 0.7, 0.3]),
  }))
}

/** One large part of a case at its minimum, so that the other parts have the room. */
export function partOf(each: Case, paths: readonly string[], chance: Chance): Case {
  const full = paths.filter(() => chance.is(0.4))
  return { ...each, full: full.length > 0 ? full : [chance.one(paths)] }
}

/** Makes the things of a case in a tenant of its own, and does with them all that can be done. */
export async function run({ kind, ...filling }: Case, { thorough }: { thorough: boolean }): Promise<Outcome> {
  const site = await openSite(filling, { thorough })
  const receiver = await openReceiver()
  try {
    const subscriptions = await subscribe(site, receiver.url)
    const iris = await kinds[kind]!(site)
    await site.world.shop.rest()
    await visit(site, iris)
    await tryOut(site, subscriptions, iris)
    if (kind === 'product') await sendNonsense(site)
    await takeDown(site, iris)
    await site.world.shop.rest()
    await readEvents(site, iris)
    await deliver(site, subscriptions)
    const { faults, costs, asked, paths } = site
    return { faults, costs: [...costs.values()], asked, made: iris.length, paths: [...paths] }
  } finally {
    receiver.close()
  }
}
