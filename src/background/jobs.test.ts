import { describe, expect, test } from 'vitest'
import { missingId } from '../../test/protocol/notes.ts'
import { openWorld } from '../../test/support/webhooks.ts'
import type { Database } from '../db/client.ts'
import { type Job, type Jobs, sendJobs } from './jobs.ts'
import { consume } from './queue.ts'

/** A database whose lists of tenants have these ids. */
function withTenants(database: Database, ids: readonly string[]): Database {
  const page = (text: string) => {
    const limit = 1000
    const after = ids.findIndex((id) => text.includes(id))
    return ids.slice(after + 1, after + 1 + limit).map((id) => ({ id }))
  }
  return {
    open(tenantId) {
      const session = database.open(tenantId)
      if (tenantId !== null) return session
      return { ...session, read: async (queries) => ({ tenants: page(JSON.stringify(queries)) }) as never }
    },
  }
}

const idOf = (n: number) => `018f0000-0000-7000-8000-${n.toString().padStart(12, '0')}`

/** A job that records for which tenants it runs, and returns whether more is due. */
function recording(run: (tenantId: string) => boolean): { readonly jobs: Jobs; readonly ran: string[] } {
  const ran: string[] = []
  const job: Job = {
    every: 'hour',
    event: 'housekeeping_failed',
    operation: 'housekeeping',
    tenants: (_, after) => ({ sql: after }) as never,
    async run(_, tenantId) {
      ran.push(tenantId)
      return run(tenantId)
    },
  }
  const minutely: Job = { ...job, every: 'minute' }
  const jobs = {
    dispatch: minutely,
    boundaries: minutely,
    rebuild: minutely,
    localeChange: minutely,
    bulkOperations: minutely,
    housekeeping: job,
  }
  return { jobs, ran }
}

const received = (body: unknown) => ({ body, attempts: 1, ack() {}, retry() {} })

describe('the cron', () => {
  test('sends one message for each of 2,500 tenants with due work', async () => {
    const world = await openWorld()
    const ids = Array.from({ length: 2500 }, (_, n) => idOf(n))
    const { jobs, ran } = recording(() => false)
    const runtime = { ...world.runtime, database: withTenants(world.runtime.database, ids) }
    await sendJobs(runtime, true, jobs)
    const sent = world.messages.map(({ body }) => body)
    for (const job of ['dispatch', 'boundaries', 'rebuild', 'localeChange', 'bulkOperations', 'housekeeping'])
      expect(sent.filter((body) => 'job' in body && body.job === job)).toEqual(
        ids.map((tenant) => ({ tenant, job })),
      )
    expect(ran).toEqual([])
  })

  test('sends hourly jobs at a full hour alone', async () => {
    const world = await openWorld()
    const { jobs } = recording(() => false)
    const runtime = { ...world.runtime, database: withTenants(world.runtime.database, [idOf(1)]) }
    await sendJobs(runtime, false, jobs)
    expect(world.messages).toHaveLength(5)
    expect(world.messages.map(({ body }) => body)).not.toContainEqual({
      tenant: idOf(1),
      job: 'housekeeping',
    })
  })

  test('sends the messages of the other jobs if one fails, and fails then', async () => {
    const world = await openWorld()
    const { jobs } = recording(() => false)
    const failing: Job = {
      ...jobs.dispatch,
      tenants() {
        throw new TypeError('no statement')
      },
    }
    const runtime = {
      ...world.runtime,
      database: withTenants(world.runtime.database, [idOf(1)]),
    }
    await expect(sendJobs(runtime, false, { ...jobs, dispatch: failing })).rejects.toThrow('no statement')
    expect(world.messages.map(({ body }) => body)).toEqual(
      ['boundaries', 'rebuild', 'localeChange', 'bulkOperations'].map((job) => ({ tenant: idOf(1), job })),
    )
  })
})

describe('a message of a job', () => {
  test('is followed by another one while more is due', async () => {
    const world = await openWorld()
    let left = 3
    const { jobs, ran } = recording(() => {
      left -= 1
      return left > 0
    })
    const tenant = world.shop.tenant.id
    await consume({ queue: '', messages: [received({ tenant, job: 'rebuild' })] }, world.runtime, jobs)
    expect(ran).toEqual([tenant])
    while (world.messages.length > 0) {
      const [message] = world.messages.splice(0, 1)
      await consume({ queue: '', messages: [received(message!.body)] }, world.runtime, jobs)
    }
    expect(ran).toEqual([tenant, tenant, tenant])
  })

  test('received several times in a batch is done once, and a removed tenant has no work', async () => {
    const world = await openWorld()
    const { jobs, ran } = recording(() => false)
    const message = received({ tenant: missingId, job: 'housekeeping' })
    await consume({ queue: '', messages: [message, message, message] }, world.runtime, jobs)
    expect(ran).toEqual([missingId])
    for (const job of ['dispatch', 'boundaries', 'rebuild', 'localeChange', 'bulkOperations', 'housekeeping'])
      await consume({ queue: '', messages: [received({ tenant: missingId, job })] }, world.runtime)
    expect(world.messages).toEqual([])
  })

  test('shares its time with the other jobs of its batch, and those without time left get messages', async () => {
    const world = await openWorld()
    const { jobs, ran } = recording(() => {
      world.pass(21_000)
      return false
    })
    const tenant = world.shop.tenant.id
    const messages = ['rebuild', 'localeChange', 'housekeeping'].map((job) => received({ tenant, job }))
    await consume({ queue: '', messages }, world.runtime, jobs)
    expect(ran).toEqual([tenant])
    expect(world.messages.map(({ body }) => body)).toEqual([
      { tenant, job: 'localeChange' },
      { tenant, job: 'housekeeping' },
    ])
  })

  test('is acknowledged before its work, of which an isolate continues five at once', async () => {
    const world = await openWorld()
    const { promise, resolve } = Promise.withResolvers<void>()
    const { jobs } = recording(() => false)
    const rebuild: Job = { ...jobs.rebuild, run: () => promise.then(() => false) }
    const background: Promise<void>[] = []
    const runtime = {
      ...world.runtime,
      background: (work: Promise<void>) => background.push(work),
    }
    const messages = Array.from({ length: 6 }, (_, n) => received({ tenant: idOf(n), job: 'rebuild' }))
    let isOver = false
    const consumed = consume({ queue: '', messages }, runtime, { ...jobs, rebuild }).then(() => {
      isOver = true
    })
    await new Promise((done) => setTimeout(done, 100))
    expect([background.length, isOver]).toEqual([5, false])
    resolve()
    await Promise.all([...background, consumed])
    await consume({ queue: '', messages: messages.slice(0, 1) }, runtime, { ...jobs, rebuild })
    expect(background.length).toBe(6)
  })
})

describe('a message of a boundary', () => {
  test('of a removed tenant is not repeated', async () => {
    const world = await openWorld()
    const messages = [received({ tenant: missingId, recordAt: '2026-11-01T00:00:00Z' })]
    await consume({ queue: '', messages }, world.runtime)
    expect(world.messages).toEqual([])
  })
})
