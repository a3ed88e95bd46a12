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

/** The rule of a country for prior prices. */
export type Policy = {
  readonly country: string
  readonly source: { readonly act: string; readonly section: string; readonly url: string | null } | null
  readonly verified: boolean
}

type PriorPrice = {
  readonly amount: string
  readonly currency: string
  readonly reductionPercent: number | null
  readonly period: { readonly from: string; readonly until: string }
  readonly policy: Policy
}

export type Explained = {
  readonly amount?: string
  readonly currency?: string
  readonly compareAtAmount?: string | null
  readonly taxIncluded?: boolean
  readonly unitPrice?: {
    readonly amount: string
    readonly per: { readonly value: number; readonly unit: string }
  } | null
  readonly saleOffer?: string
  readonly nextChangeAt: string | null
  readonly candidates: readonly Candidate[]
  readonly warnings?: readonly Warning[]
  readonly priorPrice?: PriorPrice | null
  /** Later versions may add reasons. */
  readonly noPriorPrice?: { readonly reason: string; readonly policy: Policy | null }
}

/** The price of a variant for a shopper at a time, the result of each of its offers, and its prior price. */
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
    expand: 'priorPrice',
  })
  const { json } = await call(`${variant}?${query}`)
  return json.resolvedPrice as Explained
}
