import { type Check, marked, writesProducts } from '../check.ts'
import { demandBody, product, told } from '../demand.ts'
import { Failed } from '../outcome.ts'

const readers = 300

/** Many reads at once, each on a connection of its own: answered, or told when to come back. */
export const parallelReads: Check = {
  name: '300 parallel reads',
  scopes: writesProducts,
  async run({ wire, mark }) {
    const made = await wire.ask('POST', '/api/products', { body: marked(mark, 'read') })
    const { '@id': path } = demandBody(made, 201, product)
    const lasted: number[] = []
    const answers = await Promise.all(
      Array.from({ length: readers }, async (_, index) => {
        const started = performance.now()
        const answer = await wire.once('GET', index % 2 === 0 ? path : `/api/products?tag=${mark}`)
        lasted.push(performance.now() - started)
        return answer
      }),
    )
    const mayWait = new Set([429, 503])
    const wrong = answers.find(
      ({ status, headers }) =>
        status !== 200 && !(mayWait.has(status) && headers['retry-after'] !== undefined),
    )
    if (wrong) throw new Failed(`${told(wrong)} without Retry-After`)
    const counts = Map.groupBy(answers, ({ status }) => status)
    if (!counts.has(200)) throw new Failed('not one of them was answered')
    const statuses = [...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ')
    const slowest = Math.round(Math.max(...lasted))
    return `${statuses}; the slowest took ${slowest} ms`
  },
}
