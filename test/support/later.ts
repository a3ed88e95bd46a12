/** Background work of the service, in this process. */

const goingOn = new Set<Promise<unknown>>()

/** Waits until nothing is left. */
export async function rest(): Promise<void> {
  while (goingOn.size > 0) await Promise.all(goingOn)
}

/** Background work of responses runs, and `rest()` waits for it. */
export const executionContext: ExecutionContext = {
  waitUntil(promise) {
    const going: Promise<unknown> = promise
      .catch((error) => console.error('waitUntil failed', error))
      .finally(() => goingOn.delete(going))
    goingOn.add(going)
  },
  passThroughOnException() {},
  props: {},
} as ExecutionContext
