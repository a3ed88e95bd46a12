/** Rules as a condition on the table `products`, which holds for those that `matches()` means (rules.ts); a test compares the two. */
import { type SQL, sql } from 'drizzle-orm'
import { idIn } from '../../../core/iri.ts'
import type { Condition, Rules } from './conditions.ts'
import { compared } from './rules.ts'

/** The condition of the products that rules mean; that they are not archived is left to the caller. */
export function matching({ match, conditions }: Rules): SQL {
  return sql`(${sql.join(conditions.map(held), match === 'ALL' ? sql` and ` : sql` or `)})`
}

function held({ field, operator, value }: Condition): SQL {
  switch (field) {
    case 'title':
      return isMet(operator, folded(sql`products.title`), compared(field, value))
    case 'vendor':
      return isMet(operator, folded(sql`products.vendor`), compared(field, value))
    case 'productType':
      return isMet(operator, folded(sql`products.product_type`), compared(field, value))
    case 'status':
      return isMet(operator, sql`products.status`, value)
    case 'createdAt':
      return operator === 'BEFORE'
        ? sql`products.created_at < ${value}::timestamptz`
        : sql`products.created_at > ${value}::timestamptz`
    case 'tag':
      return isAmong(operator, sql`product_tags`, sql`${folded(sql`t.tag`)} = ${compared(field, value)}`)
    case 'channel':
      return isAmong(operator, sql`product_channels`, sql`t.channel = ${value}`)
    case 'category':
      return isAmong(
        operator,
        sql`product_categories`,
        sql`t.category_id = ${idIn(value, '/api/categories')}::uuid`,
      )
  }
}

/** What has no value has none that is equal, none that contains: only what is denied holds. */
function isMet(operator: Condition['operator'], own: SQL, wanted: string): SQL {
  switch (operator) {
    case 'EQUALS':
      return sql`coalesce(${own} = ${wanted}, false)`
    case 'NOT_EQUALS':
      return sql`coalesce(${own} <> ${wanted}, true)`
    case 'CONTAINS':
      return sql`coalesce(strpos(${own}, ${wanted}) > 0, false)`
    case 'NOT_CONTAINS':
      return sql`coalesce(strpos(${own}, ${wanted}) = 0, true)`
    case 'STARTS_WITH':
      return sql`coalesce(starts_with(${own}, ${wanted}), false)`
    case 'ENDS_WITH':
      return sql`coalesce(right(${own}, length(${wanted})) = ${wanted}, false)`
    default:
      return sql`false`
  }
}

/** Looked up for each product by an index: a join might read all tags of a tenant. */
function isAmong(operator: Condition['operator'], table: SQL, condition: SQL): SQL {
  const found = sql`(select true from ${table} t
    where t.tenant_id = current_tenant() and t.product_id = products.id and ${condition} limit 1)`
  return operator === 'EQUALS' ? sql`${found} is not null` : sql`${found} is null`
}

/** As `compared()` folds a text: ICU's rules are those of JavaScript, the database's own need not be. */
function folded(text: SQL): SQL {
  return sql`(lower(normalize(${text}, NFC) collate "und-x-icu") collate "C")`
}
