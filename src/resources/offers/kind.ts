import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as z from 'zod'
import type { Kind } from '../../core/kind.ts'
import type { Alternatives } from '../../core/list-query.ts'
import type { Locale } from '../../core/locale.ts'
import type { BodyOf, Query } from '../../core/operation.ts'
import type { LockedRow } from '../../core/plan.ts'
import type { CataloguedProblem, ProblemExtras, Violation } from '../../core/problem.ts'
import { readOnly, writable } from '../../core/schema.ts'
import { created, merged, stateOf } from '../../core/state.ts'
import type { DatabaseQuery } from '../../db/query.ts'
import { productIri } from '../products/schema.ts'
import { iriText, ownedRelation } from '../shared/properties.ts'
import { variantCollection, variantIri } from '../variants/schema.ts'
import type { IndexPrices } from './document.ts'
import type { OfferShape, OfferValues, PricedValues } from './properties.ts'

/** The maximum number of a variant's offers of one kind, without archived ones. */
export const maximumOffers = 1000

const variantRelation = ownedRelation(variantCollection)
/** The variant in a body: its id and its product's id. */
export type VariantReference = z.output<typeof variantRelation>

/**
 * The variant and the product of an offer. A patch may send the offer's own variant back; another variant is a
 * violation.
 */
export const targetProperties = {
  variant: writable(variantRelation, 'The variant that is offered; it stays the same.', {
    required: true,
    isLink: true,
    merge: (_: unknown, { id, ownerId }: VariantReference) => variantIri(ownerId, id),
  }),
  product: readOnly(iriText, 'The product that owns the variant.', {
    isLink: true,
    targetType: 'Product',
    stored: true,
  }),
}

/** A shape of offers in bodies, which name the variant. */
export type VariantOfferShape = OfferShape & { readonly properties: typeof targetProperties }

type ExternalIdTaken = (values: { externalId: string }, extras?: ProblemExtras) => Error

type ProblemName = 'not_found' | 'archived' | 'limit' | 'external_id_taken' | 'variant_immutable'

type OfferBody = Readonly<Record<string, unknown>>

/** The links of bodies: the rows to lock, and the violations of a body whose link leads nowhere. */
export type OfferLinks = {
  readonly guard: readonly LockedRow[]
  readonly violations: (body: OfferBody, at: (name: string) => string) => Violation[]
}

/** Everything in which one kind of offer differs from another. Its resource is generated from it. */
export type OfferKind = {
  /** The name of its table, which is also the kind of its events and the name of its total. */
  readonly name: 'sale_offers' | 'purchase_offers'
  /** The subject of its topics. It also names the count on variants: `sale_offer_count`. */
  readonly subject: 'sale_offer' | 'purchase_offer'
  readonly noun: string
  readonly boundaries?: Kind['boundaries']
  readonly shape: VariantOfferShape
  /** Validates values together, and formats their amounts; `at` maps a property name to its path in the request. */
  readonly validateTerms: (values: OfferValues, at: (name: string) => string) => PricedValues<OfferValues>
  readonly problems: Record<ProblemName, CataloguedProblem> & {
    readonly not_found: (values: { id: string }) => Error
    readonly archived: () => Error
    readonly limit: { at(path: string, values: { maximum: number }): Violation }
    readonly external_id_taken: ExternalIdTaken & {
      at(path: string, values: { externalId: string }): Violation
    }
    readonly variant_immutable: { at(path: string): Violation }
  }
  readonly table: PgTable
  /**
   * Reads rows for warnings about a write of one offer, and returns a function from its final values and its id to the warnings: a
   * JSON array, or undefined. `terms` are the written properties; those that a patch omits are undefined.
   */
  readonly warnings?: (
    id: string | SQL,
    terms: Readonly<Record<string, unknown>>,
    now: string,
  ) => DatabaseQuery<(values: OfferValues, id: string) => string | undefined>
  /** Reads what the price index of variants, a subquery of ids, depends on. Returns the steps that store their prices. */
  readonly prices?: (variantIds: SQL, now: Date) => DatabaseQuery<IndexPrices>
  /** Reads the rows that the links of bodies lead to, other than the variant. */
  readonly links?: (bodies: readonly OfferBody[]) => DatabaseQuery<OfferLinks>
  /** The list parameters of this kind, in addition to those of all offer lists. */
  readonly filters: Query
  /** Those of `filters` that compare the column of their name. */
  readonly equal: readonly string[]
  /** Those of `filters` that compare the id of another resource. */
  readonly references?: readonly string[]
  /** The filter for offers that name a country and are not archived. */
  readonly inCountry?: (country: string) => Alternatives
}

/** The values that a request body creates an offer with. Amounts have the decimals of their currency. */
export type CreatedOffer = PricedValues<OfferValues> & { readonly variant: VariantReference }

/** Builds the values of a new offer from a body; `at` maps a property name to its path in the request. */
export function createdOffer(
  { shape, validateTerms }: OfferKind,
  body: BodyOf<VariantOfferShape>,
  locale: Locale,
  at: (name: string) => string,
): CreatedOffer {
  const { variant } = body
  if (!variant) throw new Error('Validation accepted a new offer without a variant')
  const { values } = created(shape, body, locale)
  const ownedValues = { ...values, product: productIri(variant.ownerId) }
  return { variant, ...validateTerms(ownedValues, at) }
}

/** Merges a patch into the values of an offer; `at` maps a property name to its path in the request. */
export function mergedOffer(
  { shape, validateTerms }: OfferKind,
  stored: { readonly document: string },
  body: BodyOf<VariantOfferShape>,
  locale: Locale,
  at: (name: string) => string,
) {
  const before = stateOf(shape, stored)
  const { state, violations } = merged(shape, before, body, locale)
  const after = validateTerms(state.values, at)
  return {
    before: before.values,
    values: after.values,
    violations: [...violations, ...after.violations],
  }
}

/** The column of `variants` that counts offers of this kind. */
export function countColumn({ subject }: OfferKind): SQL {
  return sql`${sql.identifier(`${subject}_count`)}`
}

/** The name of the constraint on a variant's number of offers. */
export function limitConstraint({ subject }: OfferKind): string {
  return `variants_${subject}_limit`
}

/** The name of the unique index on external ids. */
export function externalIdIndex({ name }: OfferKind): string {
  return `${name}_external_id`
}
