import { bytesOf } from '../../../core/document.ts'
import type { CrashPoint, Runtime, Sender, SendLimits } from './runtime.ts'

/** Sends messages in as few batches as the platform takes, each with the seconds after which it is to arrive. */
export async function send<Message>(
  queue: Sender<Message>,
  messages: readonly Message[],
  { crash, limits }: Pick<Runtime, 'crash' | 'limits'>,
  between: CrashPoint,
  delaySeconds?: number | ((message: Message) => number),
): Promise<void> {
  const delayOf = (message: Message) =>
    typeof delaySeconds === 'function' ? delaySeconds(message) : delaySeconds
  for (const [index, chunk] of chunks(messages, limits).entries()) {
    if (index > 0) crash(between)
    await queue.sendBatch(
      chunk.map((body) => {
        const delay = delayOf(body)
        return { body, ...(delay === undefined ? {} : { delaySeconds: delay }) }
      }),
    )
  }
}

/** Has deliveries attempted by whoever hears of them; false where there is no queue. */
export async function wakeWorkers(
  runtime: Runtime,
  tenant: string,
  deliveries: readonly string[],
  delaySeconds?: number,
): Promise<boolean> {
  if (!runtime.deliveries) return false
  const messages = deliveries.map((delivery) => ({ tenant, delivery }))
  await send(runtime.deliveries, messages, runtime, 'S4 between two sends of deliveries', delaySeconds)
  return true
}

function chunks<Message>(messages: readonly Message[], limits: SendLimits): Message[][] {
  const all: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const size = bytesOf(JSON.stringify(message))
    const last = all.at(-1)
    if (last && last.length < limits.messages && bytes + size <= limits.bytes) {
      last.push(message)
      bytes += size
    } else {
      all.push([message])
      bytes = size
    }
  }
  return all
}
