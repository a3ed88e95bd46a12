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
