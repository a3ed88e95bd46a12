/** The cost of a variant, from the offers of its suppliers. */

import { everyMember } from '../core/pages.ts'
import { hasScope } from '../core/session.ts'

export type Cost = {
  readonly variant: string
  readonly supplier: string
  readonly cost?: string
  readonly currency: string
  readonly minQuantity: number
  readonly preferred: boolean
  readonly status: string
  readonly validFrom: string | null
  readonly validUntil: string | null
}

/** The suppliers' offers of a variant or a product; none for those who may not see them. */
export async function readCosts(
  of: { readonly variant: string } | { readonly product: string },
): Promise<Cost[]> {
  if (!hasScope('purchase_offers:read')) return []
  const query = new URLSearchParams({ ...of, status: 'ACTIVE', itemsPerPage: '100' })
  try {
    return await everyMember<Cost>(`/api/purchase_offers?${query}`)
  } catch (error) {
    // A person may lack the permission where the token has the scope.
    if (error instanceof Error && 'status' in error && error.status === 403) return []
    throw error
  }
}

/** The cost of one piece at a time in a currency: of the preferred offer, else of the smallest quantity, else the lowest. */
export function costAt(costs: readonly Cost[], currency: string, at: Date): Cost | null {
  const moment = at.getTime()
  const [best] = costs
    .filter((each) => each.cost !== undefined && each.currency === currency)
    .filter(({ validFrom, validUntil }) => {
      return (
        (validFrom === null || Date.parse(validFrom) <= moment) &&
        (validUntil === null || moment < Date.parse(validUntil))
      )
    })
    .toSorted(
      (a, b) =>
        Number(b.preferred) - Number(a.preferred) ||
        a.minQuantity - b.minQuantity ||
        Number(a.cost) - Number(b.cost),
    )
  return best ?? null
}
