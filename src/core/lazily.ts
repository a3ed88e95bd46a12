/** Creates a value on first use, once. So an isolate starts without objects that few of its requests need. */
export function lazily<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
