/** Receives deliveries: verifies each, recognizes duplicates by the id, and responds at once. */
import { verifyWebhook } from '../index.ts'

const seen = new Set<string>()

export async function receive(request: Request, secrets: readonly string[]): Promise<Response> {
  const body = await request.text()
  try {
    const { id, topic, payload } = verifyWebhook<'2026-10'>(body, request.headers, secrets)
    if (seen.has(id)) return new Response(null, { status: 204 })
    seen.add(id)
    if (topic === 'product/updated')
      console.log(
        payload.title,
        payload.variants?.map(({ sku }) => sku),
      )
    return new Response(null, { status: 204 })
  } catch {
    return new Response(null, { status: 401 })
  }
}
