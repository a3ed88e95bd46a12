/** Many writes, a few at a time. */

const atOnce = 4

export type Outcome<Done> = {
  readonly done: readonly Done[]
  readonly refusals: readonly string[]
}

/** Does something to each; what fails is told and stops no other. `tell` hears how many are through. */
export async function forEach<Item, Done>(
  items: readonly Item[],
  act: (item: Item) => Promise<readonly Done[]>,
  signal: AbortSignal,
  tell: (through: number) => void,
): Promise<Outcome<Done>> {
  const done: Done[] = []
  const refusals: string[] = []
  const left = items.values()
  let through = 0
  const worker = async () => {
    for (const item of left) {
      if (signal.aborted) return
      try {
        done.push(...(await act(item)))
      } catch (error) {
        if (!signal.aborted) refusals.push((error as Error).message)
      }
      tell(++through)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { done, refusals }
}
