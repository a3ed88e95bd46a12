import { isIP } from 'node:net'
import type { Check } from '../check.ts'
import { demandProblem, told } from '../demand.ts'
import { NotTried } from '../outcome.ts'
import type { Answer, Wire } from '../wire.ts'

/** A host that is nobody's, asked for at the same address. */
export const unknownHost: Check = {
  name: 'unknown host',
  scopes: [],
  async run({ wire, mark }) {
    const host = strangeHost(wire.origin.hostname, mark)
    const answer = await answerAs(wire, host)
    // A network in front of the service may refuse the name by itself: that proves nothing of the service.
    if (answer.headers['x-request-id'] === undefined && answer.status >= 300)
      throw new NotTried(`${host}: something before the service answered ${answer.status}`)
    demandProblem(answer, 404, 'http.tenant_not_found')
    return `${told(answer)} for ${host}`
  },
}

/** Without the token, which is for one host alone. */
async function answerAs(wire: Wire, host: string): Promise<Answer> {
  try {
    return await wire.ask('GET', '/api/products', { host, anonymous: true })
  } catch (error) {
    if (error instanceof NotTried || wire.origin.protocol === 'http:') throw error
    throw new NotTried(`${host}: ${error instanceof Error ? error.message : error}`)
  }
}

/** A neighbour in the same zone, for which the certificate holds and a wildcard route leads to the same service. */
function strangeHost(host: string, mark: string): string {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0 || host === 'localhost') return `${mark}.invalid`
  const [, ...zone] = host.split('.')
  return zone.length > 1 || host.endsWith('.localhost') ? [mark, ...zone].join('.') : `${mark}.${host}`
}
