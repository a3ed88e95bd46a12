import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Check, writesProducts } from '../check.ts'
import { demandBody, demandStatus, product, products } from '../demand.ts'
import { Failed } from '../outcome.ts'
import type { Answer, Asked, Wire } from '../wire.ts'

/** In its body, and so many milliseconds after its last byte. */
const moments = ['in its body', 0, 5, 20] as const

/** Writes whose connection breaks before they are answered, repeated with the same key. */
export const abortedWrite: Check = {
  name: 'abort in mid-write',
  scopes: writesProducts,
  async run({ wire, mark }) {
    let [cut, replayed] = [0, 0]
    for (const [index, moment] of moments.entries()) {
      const tag = `${mark}-cut-${index}`
      const asked = {
        headers: { 'idempotency-key': randomUUID() },
        body: { title: `${mark} cut`, tags: [mark, tag] },
      }
      if (await wire.cut('POST', '/api/products', asked, moment)) cut += 1
      // Also when the run is stopped: until then nobody knows what the first one made.
      const answer = await repeated(wire.unstoppable, asked)
      if (answer.headers['idempotency-replayed'] === 'true') replayed += 1
      const { '@id': path } = demandBody(answer, 201, product)
      const found = demandBody(await wire.ask('GET', `/api/products?tag=${tag}`), 200, products)
      if (found.totalItems !== 1 || found.member[0]?.['@id'] !== path)
        throw new Failed(
          `cut ${when(moment)} and repeated with its key, a write made ${found.totalItems} products`,
        )
    }
    return `${cut} of ${moments.length} cut before their answer, each repeated: one product each, ${replayed} replayed`
  },
}

const when = (moment: (typeof moments)[number]) =>
  moment === 'in its body' ? moment : `${moment} ms after it was sent`

/** The answer to a repeated write, once the first one is over. */
async function repeated(wire: Wire, asked: Asked): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await wire.ask('POST', '/api/products', asked)
    if ((answer.status !== 409 && answer.status !== 503) || tries === 40) return demandStatus(answer, 201)
    await sleep(250)
  }
}
