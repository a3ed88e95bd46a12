import { randomUUID } from 'node:crypto'
import { type Check, marked, writesProducts } from '../check.ts'
import { demandBody, demandProblem, product, told } from '../demand.ts'
import { Failed } from '../outcome.ts'

/** The same write twice with one `Idempotency-Key`, and another write with it. */
export const replay: Check = {
  name: 'idempotent replay',
  scopes: writesProducts,
  async run({ wire, mark }) {
    const headers = { 'idempotency-key': randomUUID() }
    const body = marked(mark, 'replayed')
    const first = await wire.ask('POST', '/api/products', { headers, body })
    const made = demandBody(first, 201, product)
    const second = await wire.ask('POST', '/api/products', { headers, body })
    const again = demandBody(second, 201, product)
    if (again['@id'] !== made['@id'])
      throw new Failed(`the same write with the same key made two products: ${made['@id']}, ${again['@id']}`)
    if (second.headers['idempotency-replayed'] !== 'true')
      throw new Failed(`${told(second)} without Idempotency-Replayed: true`)
    if (first.headers['idempotency-replayed'] !== undefined)
      throw new Failed(`${told(first)} with Idempotency-Replayed, though it was the first`)
    const other = { ...body, vendor: 'another' }
    const misused = await wire.ask('POST', '/api/products', { headers, body: other })
    demandProblem(misused, 422, 'idempotency.key_reused')
    return 'the same write: one product, Idempotency-Replayed; another write with its key: 422'
  },
}
