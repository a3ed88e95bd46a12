/** Everything that a history leaves to chance, decided by its seed alone. */
export type Chance = {
  /** From 0 up to, but not, 1. */
  readonly next: () => number
  /** True that often: 0 never, 1 always. */
  readonly is: (probability: number) => boolean
  /** A whole number from 0 up to, but not, `below`. */
  readonly below: (below: number) => number
  readonly one: <Each>(of: readonly Each[]) => Each
  /** One of the names, as often as its weight says. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
}

/** The generator mulberry32: 32 bits of state, the same row of numbers for the same seed everywhere. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    is: (probability) => next() < probability,
    one: (of) => of[below(of.length)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries.at(-1)![0]
    },
  }
}
