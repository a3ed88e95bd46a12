/**
 * Keeps a shop's prices current without polling: reads all once, and each again when an offer of it changes, begins or ends. Deliveries
 * report that at once; the feed of events, which has no gaps, lists missed changes. Timelines list future changes.
 */
import {
  createCatalogueClient,
  followEvents,
  idOf,
  lastSequence,
  pricesAt,
  type VariantPrice,
  verifyWebhook,
} from '../index.ts'

/** The changes after which the price of an offer's variant is another one; a subscription to `sale_offer/*` has them all. */
const topics = new Set<string>([
  'sale_offer/created',
  'sale_offer/updated',
  'sale_offer/deleted',
  // An automatic change: an offer begins or ends.
  'sale_offer/started',
  'sale_offer/ended',
])

export async function keepPrices(options: {
  readonly baseUrl: string
  readonly token: string
  readonly shopper: { readonly channel: string; readonly country: string }
  readonly products: readonly string[]
}) {
  const { shopper, products } = options
  const catalogue = createCatalogueClient({ ...options, version: '2026-10' })
  const shown = new Map<string, VariantPrice['resolvedPrice']>()
  const show = async (of: { products: readonly string[] } | { variants: readonly string[] }) => {
    const prices = pricesAt(catalogue, { ...shopper, ...of, priorPrice: true })
    for await (const { variant, resolvedPrice } of prices) shown.set(variant, resolvedPrice)
  }

  // A change during the read is reported again afterwards.
  let sequence = await lastSequence(catalogue)
  await show({ products })

  return {
    /** The prices that the shop shows, by the IRIs of variants. */
    shown,

    /** Takes a delivery of a subscription to `sale_offer/*`; what fails is delivered again. */
    async receive(request: Request, secrets: readonly string[]): Promise<Response> {
      const body = await request.text()
      const delivery = await verified(body, request.headers, secrets)
      if (delivery === null) return new Response(null, { status: 401 })
      const variant = topics.has(delivery.topic) ? variantIn(delivery.payload) : null
      if (variant !== null && shown.has(variant)) await show({ variants: [variant] })
      return new Response(null, { status: 204 })
    },

    /**
     * Reads the changes since the last call: after an outage of the shop, and at intervals in case that deliveries failed. After a restore
     * of the catalogue to an earlier time, it reads all prices again.
     */
    async catchUp(): Promise<void> {
      const variants = new Set<string>()
      let last = sequence
      const readAgain = async (head: number) => {
        variants.clear()
        shown.clear()
        await show({ products })
        last = head
      }
      for await (const event of followEvents(catalogue, sequence, { topic: 'sale_offer/*', readAgain })) {
        if (topics.has(event.topic)) variants.add(variantIn(event.document) ?? '')
        last = event.sequence
      }
      await show({ variants: [...variants].filter((each) => shown.has(each)) })
      sequence = last
    },

    /** The next price changes of a product until a time, as planned now, for pages that are rendered ahead. */
    async changesUntil(product: string, until: Date): Promise<{ variant: string; from: string }[]> {
      const { data, error } = await catalogue.GET('/api/products/{id}/price_timeline', {
        params: {
          path: { id: idOf(product) },
          query: {
            'resolveContext[channel]': shopper.channel,
            'resolveContext[country]': shopper.country,
            from: new Date().toISOString(),
            until: until.toISOString(),
          },
        },
      })
      if (error) throw new Error(error.message)
      return data.member.flatMap(({ variant = '', segments = [] }) =>
        segments.flatMap(({ from = '', cause }) => (cause === 'WINDOW' ? [{ variant, from }] : [])),
      )
    },
  }
}

async function verified(body: string, headers: Headers, secrets: readonly string[]) {
  try {
    return await verifyWebhook<'2026-10'>(body, headers, secrets)
  } catch {
    return null
  }
}

/** The variant that a sale offer is of. */
function variantIn(document: unknown): string | null {
  const isOffer = typeof document === 'object' && document !== null && 'variant' in document
  return isOffer && typeof document.variant === 'string' ? document.variant : null
}
