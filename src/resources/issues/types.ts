/** The types of issues: each has the path of the property that resolves it, and a message. `find_issues()` finds them. */

import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import type { Value } from '../../core/document.ts'
import { daysFrom, instantOf } from '../../core/instant.ts'
import type { Context } from '../../core/operation.ts'
import { localizedMessage, type Messages } from '../../core/problem.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import type { Scope } from '../../core/scopes.ts'
import { columnsOf, type RowOf } from '../../db/query.ts'
import { textArray } from '../../db/sql.ts'
import { marketIri } from '../markets/schema.ts'
import { productIri } from '../products/schema.ts'
import { instantText, iriText } from '../shared/properties.ts'
import { variantIri } from '../variants/schema.ts'

type IssueType = {
  /** The property of the resource `resource` that resolves the issue. */
  readonly path: string
  readonly message: string
  /** Whether it is only a part of the readiness of a product: the catalogue may intend it. */
  readonly isIntended?: true
  /** The scopes that read it, in addition to `products:read`. */
  readonly scopes?: readonly Scope[]
}

const ofPrice = { scopes: ['sale_offers:read'] } as const

/** The types in the order of lists. */
const issueTypes = {
  product_archived: { path: 'status', message: 'The product is archived.', isIntended: true },
  product_draft: { path: 'status', message: 'The product is a draft.', isIntended: true },
  no_variant: { path: 'variants', message: 'The product has no variant.' },
  not_in_channel: {
    ...ofPrice,
    path: 'channels',
    message: 'The product is not in the channel “{channel}”.',
    isIntended: true,
  },
  no_price: {
    ...ofPrice,
    path: 'saleOffers',
    message: 'No price applies in the market “{market}”. Variants: {count}.',
  },
  price_is_draft: {
    ...ofPrice,
    path: 'status',
    message: 'The price in the market “{market}” is a draft. Variants: {count}.',
  },
  price_in_other_currency: {
    ...ofPrice,
    path: 'currency',
    message: 'The price has another currency than the market “{market}”. Variants: {count}.',
  },
  price_starts_later: {
    ...ofPrice,
    path: 'validFrom',
    message: 'The price in the market “{market}” starts on {until}. Variants: {count}.',
  },
  price_gap: {
    ...ofPrice,
    path: 'validUntil',
    message: 'No price applies in the market “{market}” from {from} until {until}. Variants: {count}.',
  },
  price_ends: {
    ...ofPrice,
    path: 'validUntil',
    message:
      'The price in the market “{market}” ends on {from}, and no other one follows. Variants: {count}.',
  },
  no_translation: { path: 'translations', message: 'Texts are not translated: {locale}.' },
  no_picture: { path: 'media', message: 'The product has no picture.' },
  duplicate_barcode: { path: 'barcode', message: 'Another variant has the barcode {barcode}, too.' },
  below_cost: {
    scopes: ['sale_offers:read', 'purchase_offers:read'],
    path: 'amount',
    message: 'In the market “{market}”, the price {amount} is below the cost {cost} ({currency}).',
  },
  never_wins: {
    ...ofPrice,
    path: 'priority',
    message: 'The offer is never the price of a market, because other offers always precede it.',
  },
  tie: {
    ...ofPrice,
    path: 'priority',
    message: 'Two offers have the same priority and the same terms, so only their amounts decide.',
  },
  draft_reference: {
    scopes: ['metaobjects:read', 'metaobjects:write'],
    path: 'status',
    message: 'A field refers to a draft: {name}.',
  },
  no_sku: { path: 'sku', message: 'Variants without a SKU: {count}.' },
} as const satisfies Readonly<Record<string, IssueType>>

type IssueName = keyof typeof issueTypes

const typeOf = (name: IssueName): IssueType => issueTypes[name]

const issueNames = Object.keys(issueTypes) as [IssueName, ...IssueName[]]

const messageOf = (name: IssueName) => ({ slug: `issue.${name}`, message: typeOf(name).message })

/** The English messages of the types, by which they are translated. */
export const issueMessages = issueNames.map(messageOf)

const path = '/api/issues'

/** An issue of a product, in its own document or in the list. */
export const issue = {
  type: 'Issue',
  description: 'A reason for which a product is not sold in a market, or a fact that needs attention.',
  collection: path,
  readWith: 'products:read',
  properties: {
    type: readOnly(z.enum(issueNames), 'The kind of issue.', { example: 'no_price' }),
    isBlocking: readOnly(
      z.boolean(),
      'Whether it is a reason for which the product is not sold in the market, or not at all without a market.',
    ),
    message: readOnly(z.string(), 'The issue as a sentence, in the language of the request.', {
      example: 'No price applies in the market “fr”. Variants: 1.',
    }),
    product: readOnly(iriText, 'The product.', { isLink: true, targetType: 'Product' }),
    market: readOnly(iriText.nullable(), 'The market. Null if the issue is about none.', {
      isLink: true,
      targetType: 'Market',
    }),
    resource: readOnly(iriText, 'The resource whose change resolves the issue.'),
    path: readOnly(z.string(), 'The property of the resource whose change resolves the issue.', {
      example: 'saleOffers',
    }),
    related: readOnly(
      iriText.nullable(),
      'Another resource that takes part: a variant with the same barcode, the cost that exceeds the price, the other one of two offers.',
    ),
    variants: readOnly(z.array(iriText), 'The variants that the issue is about, at most ten.'),
    variantsTotal: readOnly(
      z.int(),
      'The number of these variants. 0 if the issue is about the whole product.',
      {
        example: 1,
      },
    ),
    from: readOnly(
      instantText.nullable(),
      'The moment since which no price applies, if it is a future one.',
      {
        example: null,
      },
    ),
    until: readOnly(instantText.nullable(), 'The moment at which the next price starts.', { example: null }),
    locale: readOnly(z.string().nullable(), 'The language of the missing texts.', { example: null }),
  },
} satisfies Shape

/** Prices that end within so many days are issues, unless another one follows. */
export const endsWithinDays = 30

const scopes: ReadonlyMap<unknown, readonly Scope[]> = new Map(
  issueNames.map((name) => [name, typeOf(name).scopes ?? []]),
)

/** The additional scopes that a type needs. */
export const scopesOfType = (name: unknown): readonly Scope[] => scopes.get(name) ?? []

/** The types of the list. */
export const listedTypes = issueNames.filter((name) => !typeOf(name).isIntended)

/** The types that a caller may read. */
export function visibleTypes(access: Access, names: readonly IssueName[] = issueNames): IssueName[] {
  return names.filter((name) => scopesOfType(name).every((scope) => access.may(scope)))
}

export type IssueRow = RowOf<typeof issueRow>
export const issueRow = {
  ...columnsOf(z.string(), 'productId', 'resource', 'key'),
  type: z.enum(issueNames),
  ...columnsOf(z.string().nullable(), 'marketId', 'marketKey', 'related'),
  variants: z.array(z.string()).nullable(),
  variantsTotal: z.number(),
  isBlocking: z.boolean(),
  details: z.record(z.string(), z.string()),
}

/** Selects the issues of products, with a key that orders those of a product. `market` is its key. */
export function issuesFrom(
  products: SQL,
  types: readonly IssueName[],
  { tenant, now }: Pick<Context, 'tenant' | 'now'>,
  { market = null, anywhere }: { readonly market: string | null | undefined; readonly anywhere: boolean },
): SQL {
  const at = instantOf(now)
  const given = { types, locales: tenant.locales, at, horizon: daysFrom(at, endsWithinDays), anywhere }
  const ofMarket = sql`(select id from markets where tenant_id = current_tenant() and key = ${market})`
  const place = sql`lpad(array_position(${textArray(issueNames)}, i.type)::text, 2, '0')`
  return sql`
    select i.product_id as "productId", i.type, i.market_id as "marketId", m.key as "marketKey", i.resource, i.related,
           i.variants, i.variants_total as "variantsTotal", i.is_blocking as "isBlocking", i.details,
           concat_ws(' ', ${place}, m.key, i.resource, i.details ->> 'locale') collate "C" as key
      from find_issues(${products}, ${JSON.stringify(given)}::jsonb || jsonb_build_object('market', ${ofMarket})) i
      left join markets m on m.tenant_id = current_tenant() and m.id = i.market_id`
}

export function issueDocument(row: IssueRow, messages: Messages): Value {
  const { productId, type, marketId, marketKey, resource, related, variantsTotal, isBlocking, details } = row
  const { from = null, until = null, locale = null } = details
  const { path } = typeOf(type)
  const names = [type, marketKey, locale ?? resource.split('/').at(-1)].filter((name) => name !== null)
  const values = { ...details, market: marketKey ?? '', count: variantsTotal }
  const product = productIri(productId)
  return {
    '@id': `${product}#${names.join('-')}`,
    '@type': issue.type,
    type,
    isBlocking,
    message: localizedMessage(messageOf(type), messages, values),
    product,
    market: marketId && marketIri(marketId),
    resource,
    path,
    related,
    variants: (row.variants ?? []).map((id) => variantIri(productId, id)),
    variantsTotal,
    from,
    until,
    locale,
  }
}
