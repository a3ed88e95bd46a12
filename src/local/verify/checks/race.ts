import { type Check, marked, writesProducts } from '../check.ts'
import { demandBody, demandProblem, demandTag, product } from '../demand.ts'
import { Failed } from '../outcome.ts'

const writers = 8

/** Several writers that have read the same version, at once. */
export const race: Check = {
  name: 'race of eight writers',
  scopes: writesProducts,
  async run({ wire, mark }) {
    const made = await wire.ask('POST', '/api/products', { body: marked(mark, 'raced') })
    const { '@id': path } = demandBody(made, 201, product)
    const headers = { 'if-match': demandTag(made) }
    const answers = await Promise.all(
      Array.from({ length: writers }, (_, index) =>
        wire.ask('PATCH', path, { headers, body: { vendor: `writer ${index + 1}` } }),
      ),
    )
    const won = answers.filter(({ status }) => status === 200)
    for (const lost of answers.filter(({ status }) => status !== 200)) {
      if (lost.status === 409) demandProblem(lost, 409, 'concurrency.busy')
      else demandProblem(lost, 412, 'concurrency.version_mismatch')
    }
    const [winner, ...others] = won
    if (!winner || others.length > 0) throw new Failed(`${won.length} of ${writers} writers won`)
    const { vendor } = demandBody(winner, 200, product)
    const now = demandBody(await wire.ask('GET', path), 200, product)
    if (now.vendor !== vendor || now.version !== 2)
      throw new Failed(`${vendor} won, and version ${now.version} is of ${now.vendor}`)
    const busy = answers.filter(({ status }) => status === 409).length
    return `one 200, ${writers - 1 - busy} × 412, ${busy} × 409; version 2 is the winner's`
  },
}
