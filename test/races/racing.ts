import type { Reply } from '../support/shop.ts'

/** Runs `turns` calls of each of `writers` writers, the writers side by side, and gives every result. */
export async function race<Result>(
  writers: number,
  turns: number,
  call: (writer: number, turn: number) => Promise<Result>,
): Promise<Result[]> {
  const results = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const own: Result[] = []
      for (let turn = 0; turn < turns; turn += 1) own.push(await call(writer, turn))
      return own
    }),
  )
  return results.flat()
}

/** The number of responses with Retry-After, of all calls so far. */
export const tally = { calls: 0, busy: 0 }

/** Calls again while the answer is `concurrency.busy` or `concurrency.tenant_busy`, as a client does. */
export async function persistent(call: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    tally.calls += 1
    const reply = await call()
    if (!/^concurrency\.(?:tenant_)?busy$/.test(reply.body?.slug) || attempt === 50) return reply
    tally.busy += 1
    await new Promise((done) => setTimeout(done, Math.random() * 20))
  }
}
