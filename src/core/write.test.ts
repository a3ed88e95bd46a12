import { expect, inject, test } from 'vitest'
import { openShop } from '../../test/support/shop.ts'
import { openDatabase } from '../db/client.ts'
import { currentVersion } from '../versions/index.ts'
import type { Plan, Writer } from './plan.ts'
import { traceIn } from './trace.ts'
import { requireIfMatch, write } from './write.ts'

/** A writer of a new tenant, with an idempotency key. */
async function openWriter(): Promise<Writer> {
  const { tenant } = await openShop()
  const database = openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') })
  return {
    db: database.open(tenant.id),
    apiVersion: currentVersion,
    requestId: 'r-1',
    trace: traceIn(null, 'r-1'),
    actor: { subject: 'ann', client: 'shop', person: false },
    idempotency: { key: 'k', fingerprint: 'f', parts: {}, neededScopes: new Set(), requireScopes() {} },
    ifMatch: null,
  }
}

test.for([
  ['an action', (result: string): Plan<string> => ({ perform: async () => result })],
  ['a result without changes', (result: string): Plan<string> => ({ unchanged: result })],
] as const)('replays %s that reads nothing', async ([, planOf]) => {
  const writer = await openWriter()
  const run = async (result: string) => {
    const outcome = await write<string>(writer, 'test', async () => planOf(result))
    return [outcome.result, outcome.replayed]
  }
  expect(await run('first')).toEqual(['first', false])
  expect(await run('second')).toEqual(['first', true])
})

test('replays an action that now fails before it reads', async () => {
  const writer = await openWriter()
  await write<string>(writer, 'test', async () => ({ perform: async () => 'first' }))
  const again = await write<string>(writer, 'test', () => Promise.reject(new Error('no longer possible')))
  expect(again).toMatchObject({ result: 'first', replayed: true })
})

test('rejects a plan without the comparison of If-Match that its operation declares', async () => {
  const writer = { ...(await openWriter()), ifMatch: { versions: null, exists: null, isCompared: false } }
  const run = (compare: () => void) =>
    write<string>(writer, 'test', async () => {
      compare()
      return { unchanged: 'result' }
    })
  await expect(run(() => undefined)).rejects.toThrow('test does not call requireIfMatch()')
  expect(await run(() => requireIfMatch(writer, 1))).toMatchObject({ result: 'result', replayed: false })
})
