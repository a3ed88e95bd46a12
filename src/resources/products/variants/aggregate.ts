import { sql } from 'drizzle-orm'
import type { BodyOf } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { type ProductParts, productProblems, variantColumns, withoutVariants } from '../index.ts'
import type { VariantParts } from './document.ts'
import { variantProblems } from './problems.ts'
import { maximumVariants, type variant as shape } from './schema.ts'

export type Body = BodyOf<typeof shape>

/** How a write reads the product: with all translations, and none of its other variants. */
export const writeReading = { room: withoutVariants, translations: true }

/** Reads one variant of a product. */
export const variantStatement = (productId: string, id: string): Statement<VariantParts> =>
  statement(sql`select ${variantColumns} from variants
    where tenant_id = current_tenant() and product_id = ${productId}::uuid and id = ${id}::uuid`)

/** What a product says against more variants. */
export function limits(product: ProductParts, more: number): Violation[] {
  const total = product.variantsTotal + more
  if (total > maximumVariants) return [variantProblems.limit.at('', { maximum: maximumVariants })]
  if (product.options.length === 0 && total > 1) return [productProblems.options_required.at('optionValues')]
  return []
}
