import type { Received } from './receiver.ts'

/** A sentence about an offer that began or ended; null for other topics. It omits fields that the delivery lacks. */
export function sentenceOf({ headers, body }: Pick<Received, 'headers' | 'body'>): string | null {
  const sentence = sentences[headers['service-topic'] ?? '']
  const at = headers['service-effective-at']
  const offer = sentence && at ? offerIn(body) : null
  if (!sentence || !at || !offer) return null
  const { id, amount, currency, compareAtAmount, variant, channel, countries, minQuantity, validUntil } =
    offer
  const price = [
    amount && currency ? `${amount} ${currency}` : null,
    compareAtAmount ? `instead of ${compareAtAmount}` : null,
    variant ? `for ${variant}` : null,
    minQuantity && minQuantity > 1 ? `from ${minQuantity} pieces on` : null,
    channel ? `in the channel ${channel}` : null,
    countries && countries.length > 0 ? `in ${countries.join(', ')}` : null,
  ].filter((each) => each !== null)
  const what = price.length > 0 ? price.join(' ') : 'its price'
  return `Sale offer ${id} ${sentence({ at, what, until: validUntil ?? null })}`
}

type Boundary = { readonly at: string; readonly what: string; readonly until: string | null }

const sentences: Readonly<Record<string, (boundary: Boundary) => string>> = {
  'sale_offer/started': ({ at, what, until }) =>
    `began at ${at}: ${what} applies${until === null ? '' : ` until ${until}`}.`,
  'sale_offer/ended': ({ at, what }) => `ended at ${at}: ${what} no longer applies.`,
}

type Offer = {
  readonly id: string
  readonly amount?: string
  readonly currency?: string
  readonly compareAtAmount?: string | null
  readonly variant?: string
  readonly channel?: string | null
  readonly countries?: readonly string[]
  readonly minQuantity?: number
  readonly validUntil?: string | null
}

function offerIn(body: string): Offer | null {
  try {
    const offer: Offer | null = JSON.parse(body)
    return typeof offer?.id === 'string' ? offer : null
  } catch {
    return null
  }
}
