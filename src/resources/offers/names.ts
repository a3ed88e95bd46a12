/** The names that the database gives to what belongs to a kind of offer. */
import { type SQL, sql } from 'drizzle-orm'
import type { OfferKind } from './offering.ts'

/** The variants' column that counts their offers of a kind. */
export function countColumn({ subject }: OfferKind): SQL {
  return sql`${sql.identifier(`${subject}_count`)}`
}

/** The constraint on how many offers a variant has. */
export function limitOf({ subject }: OfferKind): string {
  return `variants_${subject}_limit`
}

/** The index that holds the external ids of offers apart. */
export function externalIdOf({ table }: OfferKind): string {
  return `${table}_external_id`
}
