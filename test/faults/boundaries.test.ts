/** The job that records the start and end of offers, interrupted at each batch in every way: none is lost, none is recorded twice. */
import { afterEach, expect, test, vi } from 'vitest'
import { runtimeOf } from '../../src/background/queue.ts'
import { recordDueBoundaries } from '../../src/resources/webhooks/dispatch/offer-boundaries.ts'
import { faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { type Fault, type Line, line } from './database-line.ts'

const calm = { away: false, fault: 'none', times: 0, before: undefined } as const
afterEach(() => {
  Object.assign(line, calm)
})

const amount = 50

/** A shop whose offers have begun or ended, at three times, without an event: in two parts. */
async function shopWithDue(): Promise<Shop> {
  const shop = await openShop()
  const body = await shop.create('/api/products', { title: 'Mug', variants: [{ sku: 'MUG' }] })
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const [variant] = body.variants
  const offers = Array.from({ length: amount }, (_, nth) => ({
    variant: variant['@id'],
    currency: 'EUR',
    amount: '1.00',
    [nth % 2 === 0 ? 'validFrom' : 'validUntil']: at(1 + (nth % 3)),
  }))
  await shop.create('/api/sale_offers', offers)
  await owner((client) =>
    client.query(`update tenant_clock set last_at = last_at + interval '1 hour' where tenant_id = $1`, [
      shop.tenant.id,
    ]),
  )
  return shop
}

const sweep = ({ bindings, tenant }: Shop) =>
  recordDueBoundaries({ ...runtimeOf(bindings), queue }, tenant.id, () => true, true)

/** Drops the messages for boundaries that are to come. */
const queue = { sendBatch: async () => {} }

async function countEvents({ tenant }: Shop): Promise<number> {
  const { rows } = await owner((client) =>
    client.query(
      'select count(*)::int as count from events where tenant_id = $1 and effective_at is not null',
      [tenant.id],
    ),
  )
  return rows[0].count
}

const faults: readonly Fault[] = [
  'request lost',
  'response lost',
  'late',
  'cancelled',
  { statement: 0, sqlstate: '40P01' },
]

test.each(faults)('%o', async (fault) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  for (let nth = 0; nth < 2; nth += 1) {
    const shop = await shopWithDue()
    let batches = 0
    line.before = (batch: Line) => {
      if (batches === nth) Object.assign(batch, { fault, times: 1 })
      batches += 1
    }
    await expect(sweep(shop)).rejects.toThrow()
    Object.assign(line, calm)
    await line.rolledBack()
    // Another one continues, concurrently with the batches that are still under way.
    await Promise.all([sweep(shop), sweep(shop)])
    expect([await countEvents(shop), await faultsIn(shop)]).toEqual([amount, []])
  }
})
