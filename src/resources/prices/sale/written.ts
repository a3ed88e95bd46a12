/** The sale offers that variants are written with: how many there are, and what external ids they claim. */
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { made, type Reading } from '../../../db/reading.ts'
import { takenReading } from '../offers/index.ts'
import { saleOfferProblems } from './problems.ts'
import { type InlineSaleOffer, maximumWritten } from './schema.ts'

/** The list that a variant is written with, at its path in the request. */
export type WrittenList = { readonly path: string; readonly written: readonly InlineSaleOffer[] }

/** The first list with which a request has more of them than one creates. */
export function tooManyOffers(lists: readonly WrittenList[]): Violation[] {
  let total = 0
  const beyond = lists.find(({ written }) => {
    total += written.length
    return total > maximumWritten
  })
  return beyond ? [validationProblems.too_many_items.at(beyond.path, { maximum: maximumWritten })] : []
}

/** Reads which of the external ids that are claimed others have; nothing where none is. */
export function claimsReading(lists: readonly WrittenList[]): Reading<Set<string>> {
  const ids = lists.flatMap(({ written }) => written.flatMap((each) => claimOf(each) ?? []))
  return made(takenReading('sale_offers', ids), (rows) => new Set(rows.map((each) => each.externalId)))
}

/** The conflicts of written offers with the external ids that are `taken`, to which theirs are added. */
export function claimed(lists: readonly WrittenList[], taken: Set<string>): Violation[] {
  return lists.flatMap(({ path, written }) =>
    written.flatMap((each, index) => {
      const externalId = claimOf(each)
      if (externalId === null) return []
      const isTaken = taken.has(externalId)
      taken.add(externalId)
      const at = `${path}[${index}].externalId`
      return isTaken ? [saleOfferProblems.external_id_taken.at(at, { externalId })] : []
    }),
  )
}

/** An archived offer claims none. */
function claimOf({ status, externalId }: InlineSaleOffer): string | null {
  return status === 'ARCHIVED' ? null : (externalId ?? null)
}
