import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { expect, test } from 'vitest'
import { consume } from '../../src/background/queue.ts'
import type { Runtime } from '../../src/core/work.ts'
import type { Session } from '../../src/db/client.ts'

test('a consumer works for five tenants at once, so that its six connections never wait for each other', async () => {
  let now = 0
  let most = 0
  const session = {
    stats: { trips: 0, statements: 0, milliseconds: 0 },
    async write() {
      now += 1
      most = Math.max(most, now)
      await sleep(5)
      now -= 1
      return { fannedOut: 0, due: [] }
    },
  } as unknown as Session
  const runtime = { database: { open: () => session }, now: () => new Date() } as unknown as Runtime
  let acknowledged = 0
  const messages = Array.from({ length: 40 }, (_, n) => ({
    body: { tenant: uuidv7(), fanOut: true, n },
    attempts: 1,
    ack() {
      acknowledged += 1
    },
    retry: () => {
      throw new Error('sent again')
    },
  }))
  await consume({ queue: 'catalogue-work', messages }, runtime)
  expect({ most, acknowledged }).toEqual({ most: 5, acknowledged: 40 })
})
