import * as z from 'zod'
import { type Received, startReceiver } from '../../webhooks/receiver.ts'
import { type Check, marked, writesProducts } from '../check.ts'
import { demandBody, product } from '../demand.ts'
import { Failed, NotTried } from '../outcome.ts'

const subscription = z.looseObject({ '@id': z.string(), secret: z.string() })

/** Milliseconds: the second attempt is due after 5 s, and where a queue lost it the cron finds it within a minute or two. */
const patience = 150_000

/** A webhook to a receiver that fails the first time: it comes again, the same, and signed. */
export const webhook: Check = {
  name: 'webhook that fails once',
  // The topic takes what reads products, too.
  scopes: [...writesProducts, 'webhook_subscriptions:read', 'webhook_subscriptions:write'],
  async run({ wire, mark, receiver: place, signal }) {
    if (!place) throw new NotTried('the service cannot call this machine: --receiver URL --listen PORT')
    const received: Received[] = []
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const receiver = await startReceiver({
      port: place.port,
      failRate: 0.5,
      random: () => (received.some(({ status }) => status === 500) ? 1 : 0),
      show: (each) => {
        received.push(each)
        if (comesAgain(received)) end()
      },
    })
    const timer = setTimeout(end, patience)
    signal.addEventListener('abort', () => end())
    try {
      const base = place.url ?? new URL(receiver.url)
      const callbackUrl = `${base.href.replace(/\/?$/, '/')}${mark}`
      const body = { topic: 'product/created', callbackUrl, includeFields: ['title'] }
      const made = await wire.ask('POST', '/api/webhook_subscriptions', { body })
      receiver.trust(demandBody(made, 201, subscription).secret)
      demandBody(await wire.ask('POST', '/api/products', { body: marked(mark, 'told') }), 201, product)
      const started = performance.now()
      await over
      if (signal.aborted) throw new NotTried('stopped')
      return judged(received, performance.now() - started)
    } finally {
      clearTimeout(timer)
      await receiver.close()
    }
  },
}

const idOf = ({ headers }: Received) => headers['webhook-id']

/** The delivery that was answered 204 after it had been answered 500. */
function comesAgain(received: readonly Received[]): Received | undefined {
  const failed = received.find(({ status }) => status === 500)
  return failed && received.find((each) => each.status === 204 && idOf(each) === idOf(failed))
}

/** @throws Failed where it did not come again, or as another one */
function judged(received: readonly Received[], lasted: number): string {
  const failed = received.find(({ status }) => status === 500)
  const again = comesAgain(received)
  if (!failed || !again) {
    const fault = received.find((each) => each.fault !== undefined)?.fault
    const came = received.length === 0 ? 'nothing arrived' : failed ? 'it came once' : `signature: ${fault}`
    throw new Failed(`${came} in ${Math.round(patience / 1000)} s`)
  }
  if (again.body !== failed.body) throw new Failed('it came again with another body')
  const attempts = [failed, again].map(({ headers }) => headers['service-delivery-attempt'])
  return `answered 500, came again after ${(lasted / 1000).toFixed(1)} s as attempts ${attempts.join(' and ')}, the same and signed`
}
