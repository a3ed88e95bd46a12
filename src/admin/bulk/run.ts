/** Many writes, a few at a time. */

const atOnce = 4

/** Runs an action for each item. A failure stops no other item. @returns the reasons of the failures */
export async function forEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  signal: AbortSignal,
  onProgress: (through: number) => void,
): Promise<string[]> {
  const refusals: string[] = []
  const left = items.values()
  let through = 0
  const worker = async () => {
    for (const item of left) {
      if (signal.aborted) return
      try {
        await act(item)
      } catch (error) {
        if (!signal.aborted) refusals.push((error as Error).message)
      }
      onProgress(++through)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return refusals
}
