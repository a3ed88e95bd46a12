/** Creates a value on first use, once. So an isolate starts without objects that few of its requests need. */
export function lazily<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}
