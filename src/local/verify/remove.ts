import * as z from 'zod'
import { concurrently } from '../concurrently.ts'
import type { Surroundings } from './check.ts'
import { demandBody, products, told } from './demand.ts'
import { Failed } from './outcome.ts'
import type { Wire } from './wire.ts'

const subscriptions = z.looseObject({
  member: z.array(z.looseObject({ '@id': z.string(), callbackUrl: z.string().nullish() })),
})

const subscriptionPath = '/api/webhook_subscriptions'

/**
 * Deletes the subscriptions and archives the products that were made: those whose answers came, and those that carry the mark,
 * since an answer may be lost. @throws Failed where something stays, which it names
 */
export async function removeMade(
  { wire, mark, receiver }: Surroundings,
  made: ReadonlySet<string>,
): Promise<string> {
  // Subscriptions first, so that nobody is told of what follows.
  const isSubscription = (path: string) => path.startsWith(subscriptionPath)
  const hooks = new Set([...made].filter(isSubscription))
  for (const path of receiver ? await lostSubscriptions(wire, mark) : []) hooks.add(path)
  const goods = new Set([...made].filter((path) => !isSubscription(path)))
  for (const path of await standingProducts(wire, mark)) goods.add(path)
  const answers = await concurrently(4, [...hooks, ...goods], (path) => wire.ask('DELETE', path))
  const refused = answers.filter(({ status }) => status !== 204 && status !== 404)
  const left = await standingProducts(wire, mark)
  if (refused.length > 0 || left.length > 0)
    throw new Failed(`left behind: ${[...refused.map(told), ...left].join(', ')}`)
  return `${goods.size} products archived, ${hooks.size} subscriptions deleted`
}

/** Those whose callback has the mark. A run without a receiver makes none, and its token may not read them. */
async function lostSubscriptions(wire: Wire, mark: string): Promise<string[]> {
  const answer = await wire.ask('GET', `${subscriptionPath}?itemsPerPage=100`)
  const { member } = demandBody(answer, 200, subscriptions)
  return member.filter(({ callbackUrl }) => callbackUrl?.endsWith(mark)).map((each) => each['@id'])
}

async function standingProducts(wire: Wire, mark: string): Promise<string[]> {
  const answer = await wire.ask('GET', `/api/products?tag=${mark}&itemsPerPage=100`)
  const { member } = demandBody(answer, 200, products)
  return member.filter(({ status }) => status !== 'ARCHIVED').map((each) => each['@id'])
}
