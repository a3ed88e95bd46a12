/**
 * Keeps an entry as the newest of its store, of which the oldest make room: what is kept for keys that come from outside must
 * not grow with them.
 */
export function setInLru<Key, Value>(store: Map<Key, Value>, key: Key, value: Value, most: number): void {
  store.delete(key)
  const [oldest] = store.keys()
  if (store.size >= most && oldest !== undefined) store.delete(oldest)
  store.set(key, value)
}
