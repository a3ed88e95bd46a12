import { type Check, marked, writesProducts } from '../check.ts'
import { demandBody, demandProblem, demandStatus, demandTag, product } from '../demand.ts'
import { Failed } from '../outcome.ts'

/** A product that is read compressed and changed under its tag, which who compresses has weakened. */
export const entityTags: Check = {
  name: 'compression and If-Match',
  scopes: writesProducts,
  async run({ wire, mark }) {
    const made = await wire.ask('POST', '/api/products', { body: marked(mark, 'compressed') })
    const { '@id': path } = demandBody(made, 201, product)
    const plain = demandStatus(await wire.ask('GET', path), 200)
    const headers = { 'accept-encoding': 'gzip, br' }
    const packed = demandStatus(await wire.ask('GET', path, { headers }), 200)
    if (packed.text !== plain.text) throw new Failed(`${path} has another body when it is compressed`)
    const tag = demandTag(packed)
    demandStatus(await wire.ask('GET', path, { headers: { 'if-none-match': tag } }), 304)

    const weak = { 'if-match': tag.replace(/^(?:W\/)?/, 'W/') }
    const change = (vendor: string) => wire.ask('PATCH', path, { headers: weak, body: { vendor } })
    demandBody(await change('first'), 200, product)
    demandProblem(await change('second'), 412, 'concurrency.version_mismatch')
    const encoding = packed.headers['content-encoding'] ?? 'not compressed'
    return `${encoding}, ETag ${tag}; If-Match ${weak['if-match']}: 200, once more 412`
  },
}
