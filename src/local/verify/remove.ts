import * as z from 'zod'
import { concurrently } from '../concurrently.ts'
import type { CheckSurroundings } from './check.ts'
import { demandBody, products, told } from './demand.ts'
import { Failed } from './outcome.ts'
import type { Wire } from './wire.ts'

const subscriptions = z.looseObject({
  member: z.array(z.looseObject({ '@id': z.string(), callbackUrl: z.string().nullish() })),
})

const subscriptionPath = '/api/webhook_subscriptions'

/**
 * Deletes the subscriptions and archives the products that were made: those whose answers came, and then those that carry the
 * mark, since an answer may be lost. @throws Failed where something stays, which it names
 */
export async function removeMade(
  { wire, mark, receiver }: CheckSurroundings,
  made: ReadonlySet<string>,
): Promise<string> {
  const faults: string[] = []
  const isSubscription = (path: string) => path.startsWith(subscriptionPath)
  /** How many of them are removed. What goes wrong keeps nothing else from being removed. */
  async function remove(find: () => readonly string[] | Promise<readonly string[]>): Promise<number> {
    try {
      const answers = await concurrently(4, await find(), (path) => wire.ask('DELETE', path))
      const refused = answers.filter(({ status }) => status !== 204 && status !== 404)
      faults.push(...refused.map(told))
      return answers.length - refused.length
    } catch (error) {
      faults.push(error instanceof Error ? error.message || error.name : String(error))
      return 0
    }
  }
  // Subscriptions first, so that nobody is told of what follows.
  const subscribed =
    (await remove(() => [...made].filter(isSubscription))) +
    (receiver ? await remove(() => lostSubscriptions(wire, mark)) : 0)
  const archived =
    (await remove(() => [...made].filter((path) => !isSubscription(path)))) +
    (await remove(() => standingProducts(wire, mark)))
  if (faults.length > 0) throw new Failed(`perhaps something is left, marked ${mark}: ${faults.join(', ')}`)
  return `subscriptions deleted: ${subscribed}, products archived: ${archived}`
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
