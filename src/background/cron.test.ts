/** When the cron queries the database, and what it then finds. */
import { neonConfig } from '@neondatabase/serverless'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createApp } from '../../test/support/app.ts'
import { useOwnDatabase } from '../../test/support/database.ts'
import { executionContext } from '../../test/support/later.ts'
import { hear } from '../../test/support/lines.ts'
import { onlyReads } from '../../test/support/reads.ts'
import { newWakeUp } from '../../test/support/wake-up.ts'
import { openWorld, type World } from '../../test/support/webhooks.ts'
import { runCron } from './jobs.ts'

const second = 1000
const minute = 60 * second
const metricsToken = 'm'.repeat(32)

// Due times are of all tenants of a database.
let drop: () => Promise<void>
beforeAll(async () => {
  drop = await useOwnDatabase()
})
afterAll(() => drop())

let queries: string[] = []
beforeEach(() => {
  queries = []
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    queries.push(onlyReads(init) ? 'read' : 'write')
    return fetch(url, init)
  }
})
/** The open worlds, whose tenants are suspended at the end of the test, so that later tests have no work of theirs. */
const worlds: World[] = []
afterEach(async () => {
  neonConfig.fetchFunction = undefined
  vi.restoreAllMocks()
  for (const world of worlds.splice(0))
    await world.owner(`update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1`)
})

/** A deployment with an object, whose clock is that of the world. */
async function open(interfere?: (name: string, place: string) => unknown) {
  const world = await openWorld()
  worlds.push(world)
  const now = () => world.runtime.now().getTime()
  const wakeUp = newWakeUp({ now, elapsed: now, interfere })
  const cron = async () => {
    queries = []
    await runCron(world.runtime, wakeUp.calls, world.runtime.now())
    const isAwake = queries.length > 0
    await world.drain()
    return isAwake
  }
  /** Runs the cron each minute, as long as it queries the database. Returns the number of these runs. */
  const fallAsleep = async () => {
    let runs = 0
    while (await cron()) {
      runs += 1
      expect(runs).toBeLessThan(10)
      world.pass(minute)
    }
    return runs
  }
  /** Runs the cron each minute until it queries the database. Returns the minutes since the first run. */
  const minutesAsleep = async () => {
    for (let passed = 0; ; passed += 1) {
      if (await cron()) return passed
      expect(passed).toBeLessThan(3000)
      world.pass(minute)
    }
  }
  return { world, wakeUp, cron, fallAsleep, minutesAsleep }
}

const at = (world: World, milliseconds: number) =>
  new Date(world.runtime.now().getTime() + milliseconds).toISOString()

/** Makes a delivery, which is pending and due after so many milliseconds. */
async function postponeDelivery(world: World, milliseconds: number): Promise<void> {
  await world.subscribe({ topic: 'product/*' })
  await world.shop.create('/api/products', { title: 'Coat' })
  await world.settled()
  await world.drain()
  expect(world.receipts).toHaveLength(1)
  await world.owner(
    `update webhook_deliveries set status = 'PENDING', completed_at = null, next_attempt_at = $2 where tenant_id = $1`,
    at(world, milliseconds),
  )
}

describe('while nothing is due', () => {
  test('the cron sends no statement for 30 minutes', async () => {
    const { fallAsleep, minutesAsleep } = await open()
    expect(await fallAsleep()).toBe(1)
    expect(await minutesAsleep()).toBe(29)
    expect(await fallAsleep()).toBe(0)
  })

  test('metrics are those of the last run, with their time, and cost no statement', async () => {
    const { world, wakeUp, fallAsleep } = await open()
    await world.owner(
      `insert into webhook_hosts (tenant_id, host, failures) values ($1, 'hooks.shop.dev', 5)`,
    )
    const measured = Math.floor(world.runtime.now().getTime() / 1000)
    await fallAsleep()
    await world.owner('delete from webhook_hosts where tenant_id = $1')
    const bindings = {
      ...world.shop.bindings,
      METRICS_TOKEN: metricsToken,
      WAKE_UP: wakeUp.namespace,
    }
    const page = async () => {
      queries = []
      const headers = { authorization: `Bearer ${metricsToken}` }
      const request = new Request('http://10.0.0.7/metrics', { headers })
      return (await createApp().fetch(request, bindings, executionContext)).text()
    }
    const asleep = await page()
    expect(asleep).toContain('catalogue_unreachable_hosts 1\n')
    expect(asleep).toContain(`catalogue_measured_timestamp_seconds ${measured}`)
    expect(queries).toEqual([])
    await wakeUp.calls.announce()
    expect(await page()).toContain('catalogue_unreachable_hosts 0\n')
    expect(queries).toEqual(['read'])
  })
})

describe('a write', () => {
  test('is announced before it commits, and the cron runs until it has committed', async () => {
    const order: string[] = []
    const { world, wakeUp, fallAsleep } = await open((name, place) => place === 'before' && order.push(name))
    await fallAsleep()
    const bindings = { ...world.shop.bindings, WAKE_UP: wakeUp.namespace }
    const shop = async (method: string, body?: unknown) => {
      const headers = {
        authorization: `Bearer ${await world.shop.token()}`,
        'content-type': 'application/ld+json',
      }
      const content = body === undefined ? {} : { body: JSON.stringify(body) }
      const request = new Request(`http://${world.shop.host}/api/products`, { method, headers, ...content })
      return (await createApp().fetch(request, bindings, executionContext)).status
    }
    expect(await shop('GET')).toBe(200)
    order.length = 0
    queries = order
    expect(await shop('GET')).toBe(200)
    expect(order).toEqual(['read'])
    order.length = 0
    expect(await shop('POST', { title: 'Coat' })).toBe(201)
    expect(order).toEqual(['announce', 'read', 'write'])
    order.length = 0
    // The isolate has announced batches of the next 30 seconds as well.
    expect(await shop('POST', { title: 'Hat' })).toBe(201)
    expect(order).toEqual(['read', 'write'])
    // The batch has ended 90 seconds after its announcement at the latest.
    expect(await fallAsleep()).toBe(3)
  })
})

describe('work that is due later', () => {
  test('an offer that begins tomorrow gets its event in that second', async () => {
    const { world, fallAsleep, minutesAsleep } = await open()
    await world.subscribe({ topic: 'sale_offer/started' })
    const { variants } = await world.shop.create('/api/products', { title: 'A', variants: [{ sku: 'S' }] })
    const offer = {
      variant: variants[0]['@id'],
      channel: 'web',
      countries: ['FR'],
      currency: 'EUR',
      amount: '1.00',
    }
    const validFrom = at(world, 86_400_000)
    await world.shop.create('/api/sale_offers', { ...offer, status: 'ACTIVE', validFrom })
    const left = () => Date.parse(validFrom) - world.runtime.now().getTime()
    const sleeps: number[] = []
    do {
      await fallAsleep()
      sleeps.push(await minutesAsleep())
    } while (left() > 90 * second)
    // Only the runs of each 30 minutes have woken the database before.
    expect(Math.min(...sleeps.slice(0, -1))).toBe(29)
    expect(left()).toBeGreaterThan(30 * second)
    expect(world.receipts).toHaveLength(0)
    await world.elapse(left() + second)
    await world.drain()
    expect(world.receipts).toHaveLength(1)
  })

  test('a retry is attempted by the first cron after its time', async () => {
    const { world, fallAsleep, minutesAsleep } = await open()
    await postponeDelivery(world, 20 * minute + second)
    await fallAsleep()
    const started = world.runtime.now().getTime()
    const due = 20 * minute + second
    await minutesAsleep()
    expect(world.receipts).toHaveLength(2)
    const waited = world.receipts[1]!.at.getTime() - started
    expect(waited).toBeLessThanOrEqual(due + minute)
  })

  test('work that is overdue wakes the database each minute until it is done', async () => {
    const { world, wakeUp, fallAsleep, cron } = await open()
    await fallAsleep()
    await postponeDelivery(world, -second)
    world.pass(30 * minute)
    for (let passed = 0; passed < 3; passed += 1) {
      await runCron(world.runtime, wakeUp.calls, world.runtime.now())
      // The queue loses the messages.
      world.messages.splice(0)
      world.pass(3 * minute)
    }
    expect(await cron()).toBe(true)
    expect(world.receipts).toHaveLength(2)
  })

  test('work that no write announced is found within 30 minutes', async () => {
    const { world, fallAsleep, minutesAsleep } = await open()
    await fallAsleep()
    await postponeDelivery(world, 0)
    expect(await minutesAsleep()).toBe(29)
    expect(world.receipts).toHaveLength(2)
  })

  test('housekeeping is done by the first run of an hour, at whatever minute', async () => {
    const { world, fallAsleep, minutesAsleep } = await open()
    await world.owner(`insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, created_at)
      values ($1, 'c', 'k', '', '', '{}', now() - interval '25 hours')`)
    const keys = async () => (await world.owner('select from idempotency_keys where tenant_id = $1')).length
    for (let runs = 0; runs < 3; runs += 1) {
      await fallAsleep()
      await minutesAsleep()
    }
    expect(await keys()).toBe(0)
  })
})

describe('an object that is unavailable', () => {
  test('costs no write, and the cron runs each minute', async () => {
    const heard = hear()
    const { world, wakeUp, cron } = await open(() => {
      throw new TypeError('no object')
    })
    await wakeUp.calls.announce()
    for (let passed = 0; passed < 3; passed += 1) {
      world.pass(minute)
      expect(await cron()).toBe(true)
    }
    expect(new Set(heard.of('wake_up_failed').map(({ operation }) => operation))).toEqual(
      new Set(['announce', 'begin', 'finish']),
    )
  })

  test('is waited for during a second, and not again within five', async () => {
    hear()
    const { wakeUp } = await open(() => new Promise(() => {}))
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      expect(milliseconds).toBe(1000)
      return AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    })
    await wakeUp.calls.announce()
    await wakeUp.calls.announce()
    expect(wakeUp.names).toEqual(['announce'])
  })
})
