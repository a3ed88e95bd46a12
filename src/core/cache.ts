type Entry<Value> = { readonly value: Value; readonly size: number }

/**
 * Caches values up to a total size, by default up to a number of entries, and evicts the least recently used ones. Keys
 * come from outside, so no cache may grow without bound.
 */
export class Lru<Value> {
  readonly #limit: number
  readonly #sizeOf: (key: string, value: Value) => number
  readonly #entries = new Map<string, Entry<Value>>()
  #size = 0

  constructor(limit: number, sizeOf: (key: string, value: Value) => number = () => 1) {
    this.#limit = limit
    this.#sizeOf = sizeOf
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Stores a value, unless it is larger than the whole cache. */
  set(key: string, value: Value): void {
    this.delete(key)
    const size = this.#sizeOf(key, value)
    if (size > this.#limit) return
    for (const oldest of this.#entries.keys()) {
      if (this.#size + size <= this.#limit) break
      this.delete(oldest)
    }
    this.#entries.set(key, { value, size })
    this.#size += size
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }
}

/** Makes a value once for each key object, and keeps it as long as the key. */
export function oncePer<Key extends WeakKey, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const existing = values.get(key)
    if (existing) return existing.value
    const value = make(key)
    values.set(key, { value })
    return value
  }
}
