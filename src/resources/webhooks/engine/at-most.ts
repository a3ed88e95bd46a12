/** Does work for each item, for so many at once at most, and rejects with the first failure. */
export async function atMost<Item>(
  most: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // One iterator that all share: each item is taken by whoever is free.
  const left = items[Symbol.iterator]()
  const go = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: most }, go))
}
