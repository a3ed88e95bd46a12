/** What is made when it is first asked for, and once: an isolate starts without what few of its requests need. */
export function lazily<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
