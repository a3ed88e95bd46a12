import type { CrashPoint, Outside, Sender } from './outside.ts'

/** Limits of one sendBatch, those of the platform being 100 messages and 256 kB. */
const mostMessages = 100
const mostBytes = 240_000

/** Sends messages in as few batches as the platform takes. */
export async function send<Message>(
  queue: Sender<Message>,
  messages: readonly Message[],
  { crash }: Pick<Outside, 'crash'>,
  between: CrashPoint,
  delaySeconds?: number,
): Promise<void> {
  for (const [index, chunk] of chunks(messages).entries()) {
    if (index > 0) crash(between)
    await queue.sendBatch(
      chunk.map((body) => ({ body, ...(delaySeconds === undefined ? {} : { delaySeconds }) })),
    )
  }
}

/** Has deliveries attempted by whoever hears of them; false where there is no queue. */
export async function wakeWorkers(
  outside: Outside,
  tenant: string,
  deliveries: readonly string[],
  delaySeconds?: number,
): Promise<boolean> {
  if (!outside.deliveries) return false
  const messages = deliveries.map((delivery) => ({ tenant, delivery }))
  await send(outside.deliveries, messages, outside, 'S4 between two sends of deliveries', delaySeconds)
  return true
}

function chunks<Message>(messages: readonly Message[]): Message[][] {
  const all: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const size = new TextEncoder().encode(JSON.stringify(message)).length
    const last = all.at(-1)
    if (last && last.length < mostMessages && bytes + size <= mostBytes) {
      last.push(message)
      bytes += size
    } else {
      all.push([message])
      bytes = size
    }
  }
  return all
}
