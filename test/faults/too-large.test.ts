/** A body of a claimed batch is over the budget, and the worker dies at each point that it can die at. */
import { expect, test, vi } from 'vitest'
import { databaseUrls } from '../support/database.ts'
import { fattenEvents, tightBridge } from '../support/heavy.ts'
import { openWorld as openAnyWorld } from '../support/webhooks.ts'
import type { FailurePoint } from './failing-calls.ts'

const endpoint = tightBridge()
const openWorld = () =>
  openAnyWorld({ access: { DATABASE_URL: databaseUrls().appUrl, NEON_FETCH_ENDPOINT: endpoint() } })

const points: FailurePoint[] = [
  'before claiming',
  'after claiming',
  'before recording',
  'after recording',
  'before acknowledging messages',
]

test.each([null, ...points])(
  'the others of its batch arrive and it ends FAILED with its reason, also when a worker dies at: %s',
  async (point) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const world = await openWorld()
    await world.subscribe({ topic: 'category/*' })
    const body = Array.from({ length: 10 }, (_, n) => ({ title: `C${n}` }))
    const { member } = await world.shop.create('/api/categories', body)
    const heavy = member[6]
    // Some are so large that the batch is more than one worker holds.
    for (const [ids, bytes] of [
      [[heavy.id], 3_000_000],
      [[member[2].id, member[8].id], 1_900_000],
    ] as const)
      await fattenEvents(world.shop, { kind: 'categories', ids, property: 'handle', bytes })
    await world.settled()
    const handOver = async () => {
      const waiting = world.messages.splice(0)
      const messages = waiting.map(({ body: sent }) => ({ body: sent, attempts: 1, ack() {}, retry() {} }))
      await world.consume({ queue: 'catalogue-work', messages })
    }
    if (point !== null) world.failAt(point)
    await handOver()
    for (let left = 10; left > 0; left -= 1) {
      world.pass(60_000)
      await world.cron()
      await handOver()
    }
    const byId = Map.groupBy(world.receipts, ({ body: { id } }) => id)
    expect([...byId.keys()].toSorted()).toEqual(
      member.filter((each: object) => each !== heavy).map(({ id }: { id: string }) => id),
    )
    for (const each of byId.values()) expect(new Set(each.map(({ text }) => text)).size).toBe(1)
    const deliveries = await world.deliveries()
    expect(Object.groupBy(deliveries, ({ status }) => String(status))).toMatchObject({
      FAILED: [{ resource_id: heavy.id }],
      DELIVERED: { length: 9 },
    })
    const log = await world.owner(
      `select a.number, a.error from webhook_attempts a join webhook_deliveries d on d.tenant_id = a.tenant_id and d.id = a.delivery_id
        where a.tenant_id = $1 and d.resource_id = $2 order by a.number`,
      heavy.id,
    )
    expect(log.at(-1)!.error).toBe('too_large')
    // An attempt that was cut off is in the log without an outcome.
    expect(log.slice(0, -1).filter(({ error }) => error !== null)).toEqual([])
  },
  60_000,
)
