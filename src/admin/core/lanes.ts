/** Runs an action for each item, four at a time. A failure ends the run, unless the action handles it. */
export async function forEach<Item>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries()
  const work = async () => {
    for (const [index, item] of left) await act(item, index)
  }
  await Promise.all(Array.from({ length: 4 }, work))
}
