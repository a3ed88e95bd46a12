import * as z from 'zod'
import type { Check } from '../check.ts'
import { demandBody, demandStatus } from '../demand.ts'

const alive = z.looseObject({ status: z.literal('ok') })
const ready = z.looseObject({ status: z.literal('ready') })

/** `/health` and `/ready`, as a load balancer asks them. */
export const standing: Check = {
  name: 'health and ready',
  scopes: [],
  async run({ wire }) {
    demandBody(await wire.ask('GET', '/health', { anonymous: true }), 200, alive)
    const answer = demandStatus(await wire.ask('GET', '/ready', { anonymous: true }), 200)
    const state = demandBody(answer, 200, ready)
    return Object.entries(state)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(', ')
  },
}
