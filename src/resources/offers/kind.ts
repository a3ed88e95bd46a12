import { type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Ways } from '../../core/list-query.ts'
import type { Locale } from '../../core/locale.ts'
import type { BodyOf } from '../../core/operation.ts'
import type { CataloguedProblem, ProblemExtras, Violation } from '../../core/problem.ts'
import type { Shape } from '../../core/schema.ts'
import type { Statement } from '../../db/query.ts'
import type { Offer, OfferValues } from './document.ts'
import type { PricedValues } from './properties.ts'
import type { VariantReference } from './schema.ts'

/** What a body makes of a new offer: values with amounts in the decimals of their currency. */
export type CreatedOffer<Values> = PricedValues<Values> & { readonly variant: VariantReference }

/** What a patch makes of an offer; the variant that it names must be the offer's. */
export type MergedOffer<Values> = PricedValues<Values> & {
  readonly before: OfferValues
  readonly variant: VariantReference | null | undefined
}

type ExternalIdTaken = (values: { externalId: string }, extras?: ProblemExtras) => Error

/** What offers of a kind are called, and what can be wrong with them. */
export type OfferKind = {
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
  /** Its own filters, beside those that lists of all offers have. */
  readonly filters: Filters
}

/** In what offers of different kinds differ: everything else is the same for all of them. */
export type OfferDefinition<
  CreateShape extends Shape,
  PatchShape extends Shape,
  Values extends OfferValues,
> = OfferKind & {
  readonly shape: CreateShape
  readonly patch: PatchShape
  /** The patch that archives an offer. */
  readonly archivePatch: BodyOf<PatchShape>
  /** Makes a new offer of a body; `at` makes paths of property names. */
  readonly create: (
    body: BodyOf<CreateShape>,
    locale: Locale,
    at: (name: string) => string,
  ) => CreatedOffer<Values>
  readonly merge: (
    stored: { readonly document: string },
    body: BodyOf<PatchShape> | undefined,
    locale: Locale,
  ) => MergedOffer<Values>
  readonly insert: (offers: readonly Offer<Values>[]) => Statement[]
  readonly update: (offer: Offer<Values>) => Statement[]
}

/** What of a question a filter depends on: its moment, a canonical instant, and whether offers that are archived may be meant. */
export type FilterOptions = { readonly now: string; readonly includesArchived: boolean }

/** List parameters by name: what each must be, and the rows that it keeps. Of one kind one at most keeps them in several ways. */
export type Filters = Readonly<
  Record<
    string,
    { readonly schema: z.ZodType; condition(this: void, value: unknown, options: FilterOptions): SQL | Ways }
  >
>

/** The names that the database gives to what belongs to a kind of offer. */

/** The variants' column that counts their offers of a kind. */
export function countColumn({ subject }: OfferKind): SQL {
  return sql`${sql.identifier(`${subject}_count`)}`
}

/** The constraint on how many offers a variant has. */
export function limitConstraint({ subject }: OfferKind): string {
  return `variants_${subject}_limit`
}

/** The index that holds the external ids of offers apart. */
export function externalIdIndex({ table }: OfferKind): string {
  return `${table}_external_id`
}
