import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { instantOf } from '../../core/instant.ts'
import { idIn, isId, variantIn } from '../../core/iri.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  followsUpdates,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../core/page.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { totalOf, totalStatement } from '../../core/totals.ts'
import { violation } from '../../core/violations.ts'
import { statement } from '../../db/client.ts'
import { expandParameter } from '../categories/index.ts'
import { externalId, identifier } from '../fields.ts'
import { type OfferRowParts, saleOfferDocument } from './document.ts'
import { saleOfferProblems } from './problems.ts'
import { countryInAnyCase, currencyCode, offerStates, offerStatuses } from './schema.ts'
import {
  categoriesByProduct,
  offerColumns,
  productCategoryStatements,
  readOffer,
  type SequenceRow,
  sequenceStatement,
} from './store.ts'

/** An id, or an IRI from which `idOf` reads it. */
const reference = (idOf: (iri: string) => string | null) =>
  z.string().transform((text, check) => {
    const id = isId(text) ? text : idOf(text)
    if (id === null) check.addIssue({ code: 'custom', ...violation(validationProblems.invalid_iri.at('')) })
    return id ?? ''
  })

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

export const saleOfferListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  expand: expandParameter,
  variant: reference((text) => variantIn(text)?.id ?? null).optional(),
  product: reference((text) => idIn(text, '/api/products')).optional(),
  channel: identifier.optional(),
  country: countryInAnyCase.optional(),
  currency: currencyCode.optional(),
  status: z.enum(offerStatuses).optional(),
  state: z.enum(offerStates).optional(),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

/** The conditions of a list's filters, in which `channel` and `country` are those that an offer names. */
function conditions(query: Input['query'], now: string): SQL[] {
  const given = (name: string, condition: (value: unknown) => SQL) =>
    query[name] === undefined ? [] : [condition(query[name])]
  return [
    ...given('variant', (id) => sql`variant_id = ${id}::uuid`),
    ...given('product', (id) => sql`product_id = ${id}::uuid`),
    ...given('channel', (channel) => sql`channel = ${channel}`),
    ...given('country', (country) => sql`${country} = any(countries)`),
    ...given('currency', (currency) => sql`currency = ${currency}`),
    ...given('status', (status) => sql`status = ${status}`),
    ...given('state', (state) => stateCondition(state as (typeof offerStates)[number], now)),
    ...given('externalId', (external) => sql`external_id = ${external}`),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** The same as `stateAt` tells of one offer. */
function stateCondition(state: (typeof offerStates)[number], now: string): SQL {
  const begun = sql`(valid_from is null or valid_from <= ${now}::timestamptz)`
  const ended = sql`coalesce(valid_until <= ${now}::timestamptz, false)`
  if (state === 'INACTIVE') return sql`status <> 'ACTIVE'`
  if (state === 'SCHEDULED') return sql`status = 'ACTIVE' and not ${begun}`
  return sql`status = 'ACTIVE' and ${begun} and ${state === 'EXPIRED' ? ended : sql`not ${ended}`}`
}

/** Lists offers: newest first, or by `updatedAt` upwards for those who follow changes. */
export async function listSaleOffers(context: Context, { query }: Input): Promise<Answer> {
  const { locale } = context
  const now = instantOf(context.now)
  const options = { locale, expand: query.expand as number }
  const page = planPage(query, context.url, orders, [['createdAt', 'desc']])
  const filters = conditions(query, now)
  // Followers must see removals; others see what is archived only when they ask for it.
  const visible = query.status === undefined && !followsUpdates(query) ? [sql`status <> 'ARCHIVED'`] : []
  const all = sql`from sale_offers where ${sql.join([sql`tenant_id = current_tenant()`, ...visible, ...filters], sql` and `)}`
  const shown = sql`${all} and ${page.after} ${page.window}`
  const [clock, totals, found, ...rest] = (await context.db.read(
    sequenceStatement,
    totalStatement(filters.length > 0, 'sale_offers', all),
    statement(sql`select ${offerColumns}, ${page.keys} as keys ${shown}`),
    ...productCategoryStatements(sql`select product_id ${shown}`, options),
  )) as [SequenceRow[], { total: number }[], (OfferRowParts & { keys: string[] })[], ...unknown[][]]
  const total = totalOf(filters.length > 0, totals)
  const { rows, view } = page.links(found, total)
  const categoriesOf = categoriesByProduct(rest, options)
  return {
    kind: 'collection',
    members: rows.map((row) =>
      saleOfferDocument({ ...row, categories: categoriesOf(row.productId) }, locale, now),
    ),
    total: total ?? undefined,
    ...(view ? { view } : {}),
    sequence: clock[0]?.sequence ?? 0,
  }
}

/** Reads one offer; archived ones too. */
export async function getSaleOffer(context: Context, { params, query }: Input): Promise<Answer> {
  const { locale } = context
  const id = params.id!
  const found = await readOffer(context.db.read, id, { locale, expand: query.expand as number })
  if (!found) throw saleOfferProblems.not_found({ id })
  const { offer, sequence } = found
  const document = saleOfferDocument(offer, locale, instantOf(context.now))
  return { kind: 'item', document, version: offer.version, sequence }
}
