/**
 * Sets an entry as the most recent one and evicts the oldest beyond the limit. A cache with keys from outside must not
 * grow without bound.
 */
export function setInLru<Key, Value>(store: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  store.delete(key)
  const [oldest] = store.keys()
  if (store.size >= limit && oldest !== undefined) store.delete(oldest)
  store.set(key, value)
}
