/** Receives deliveries: verifies each, recognizes duplicates by the id, and reports failed work, so that it is sent again. */
import { type Delivery, verifyWebhook } from '../index.ts'

const processed = new Set<string>()

export async function receive(
  request: Request,
  secrets: readonly string[],
  process: (delivery: Delivery<'2026-10'>) => void | Promise<void> = show,
): Promise<Response> {
  let delivery: Delivery<'2026-10'>
  try {
    delivery = await verifyWebhook<'2026-10'>(await request.text(), request.headers, secrets)
  } catch {
    return new Response(null, { status: 401 })
  }
  if (processed.has(delivery.id)) return new Response(null, { status: 204 })
  try {
    await process(delivery)
  } catch (error) {
    console.error(error)
    return new Response(null, { status: 500 })
  }
  processed.add(delivery.id)
  return new Response(null, { status: 204 })
}

function show({ topic, payload }: Delivery<'2026-10'>): void {
  if (topic === 'product/updated')
    console.log(
      payload.title,
      payload.variants?.map(({ sku }) => sku),
    )
}
