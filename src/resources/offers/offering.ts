import type { SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { Json } from '../../core/json.ts'
import type { CataloguedProblem, ProblemExtras, Violation } from '../../core/problem.ts'
import type { Shape } from '../../core/property.ts'
import type { Statement } from '../../db/client.ts'
import type { OfferParts } from './document.ts'

/** Stored properties by name. */
export type Values = Readonly<Record<string, Json>>

/** An offer that is to be stored, and the settled values that its document was rendered from. */
export type Offer = { readonly parts: OfferParts; readonly values: Values }

/** Values with amounts in the decimals of their currency, and what is wrong between them. */
export type Settled = { readonly values: Values; readonly violations: Violation[] }

type ExternalIdTaken = (values: { externalId: string }, extras?: ProblemExtras) => Error

/** In what offers of different kinds differ: everything else is the same for all of them. */
export type Offering = {
  /** Its table, which is also the kind of its events and the name of its total. */
  readonly table: 'sale_offers' | 'purchase_offers'
  /** The subject of its topics, which also names the variants' count of such offers: `sale_offer_count`. */
  readonly subject: 'sale_offer' | 'purchase_offer'
  readonly shape: Shape
  readonly problems: {
    readonly not_found: CataloguedProblem & ((values: { id: string }) => Error)
    readonly archived: () => Error
    readonly limit: { at(path: string, values: { maximum: number }): Violation }
    readonly external_id_taken: ExternalIdTaken & {
      at(path: string, values: { externalId: string }): Violation
    }
    readonly variant_immutable: { at(path: string): Violation }
  }
  /** Checks merged values against each other; `at` makes paths of property names. */
  readonly settled: (values: Values, at: (name: string) => string) => Settled
  readonly insert: (offers: readonly Offer[]) => Statement[]
  readonly update: (offer: Offer) => Statement[]
  /** Its own filters, beside those that lists of all offers have. */
  readonly filters: Filters
}

/** List parameters by name: what each must be, and the rows that it keeps; `now` is a canonical instant. */
export type Filters = Readonly<
  Record<string, { readonly schema: z.ZodType; readonly condition: (value: unknown, now: string) => SQL }>
>
