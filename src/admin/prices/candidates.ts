/** The offers from which a price was chosen, as `explain=price` returns them. */
import { call } from '../core/http.ts'
import type { Shopper } from '../core/settings.ts'

export type Candidate = {
  readonly saleOffer: string
  readonly outcome: 'won' | 'lost' | 'filtered'
  readonly decidedBy: string | null
}

/** Warnings for users who set prices. Later versions may add codes. */
export type Warning = { readonly code: string; readonly [detail: string]: unknown }

export type Explained = {
  readonly amount?: string
  readonly currency?: string
  readonly compareAtAmount?: string | null
  readonly taxIncluded?: boolean
  readonly saleOffer?: string
  readonly nextChangeAt: string | null
  readonly candidates: readonly Candidate[]
  readonly warnings?: readonly Warning[]
}

/** The price of a variant for a shopper at a time, and the result of each of its offers. */
export async function explainedPrice(
  variant: string,
  { channel, country }: Shopper,
  at: Date,
): Promise<Explained> {
  const query = new URLSearchParams({
    'resolveContext[channel]': channel,
    'resolveContext[country]': country,
    'resolveContext[at]': at.toISOString(),
    explain: 'price',
  })
  const { json } = await call(`${variant}?${query}`)
  return json.resolvedPrice as Explained
}
