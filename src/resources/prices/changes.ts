/** The changes of resolved prices in a market, from the price index (`variant_prices`). A price begins and ends without a write. */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { formatCursor, parseCursor, requireKeys } from '../../core/cursor.ts'
import { parseInstant } from '../../core/instant.ts'
import type { Kind } from '../../core/kind.ts'
import { amountOfUnits, currencyExponent } from '../../core/money.ts'
import {
  type Answer,
  type Context,
  type Input,
  operation,
  type Resource,
  type Tool,
} from '../../core/operation.ts'
import { maximumItemsPerPage, pageParameters, standardItemsPerPage } from '../../core/paging.ts'
import { formats, validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { queryWith } from '../../core/view.ts'
import { violation } from '../../core/violations.ts'
import { instantText } from '../../db/columns.ts'
import { columnsOf, type RowOf, statement } from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { market, marketIri, marketKey } from '../markets/schema.ts'
import { saleOfferProblems } from '../offers/problems.ts'
import { productIri } from '../products/schema.ts'
import { currencyCode, iriText, moneyInput, instantText as timestamp } from '../shared/properties.ts'
import { variantIri } from '../variants/schema.ts'
import { saleOfferIri } from './price.ts'
import { keptFromAt, pricesKeptDays } from './price-index.ts'
import { marketIncomplete, pricingProblems } from './problems.ts'
import { marketsQuery } from './request.ts'

const reason = z.enum(['WINDOW', 'EDIT'])

const priceChange = {
  type: 'PriceChange',
  description: 'A change of the price of a variant in a market, for one piece.',
  collection: '/api/price_changes',
  readWith: 'sale_offers:read',
  properties: {
    variant: readOnly(iriText, 'The variant.', { isLink: true, targetType: 'Variant' }),
    product: readOnly(iriText, 'The product.', { isLink: true, targetType: 'Product' }),
    effectiveAt: readOnly(timestamp, 'The moment since which the price after applies.'),
    before: readOnly(moneyInput.nullable(), 'The price before. Null if no offer applied.'),
    after: readOnly(moneyInput.nullable(), 'The price since then. Null if no offer applies.'),
    currency: readOnly(currencyCode, 'The currency of the market.'),
    saleOffer: readOnly(iriText.nullable(), 'The offer that sets the price after.', {
      isLink: true,
      targetType: 'SaleOffer',
    }),
    reason: readOnly(
      reason,
      '`WINDOW`: an offer begins or ends by its own terms. `EDIT`: a write changed an offer, or archived or restored the goods.',
      { example: 'EDIT' },
    ),
    cursor: readOnly(z.string(), 'The position after this change, for `after`.'),
  },
} satisfies Shape

const announcedChanges = {
  type: 'PriceChanges',
  description: 'Changes of prices in a market at one moment, which `/api/price_changes` lists.',
  collection: market.collection,
  readWith: 'sale_offers:read',
  properties: {
    market: readOnly(iriText, 'The market.', { isLink: true, targetType: 'Market' }),
    effectiveAt: readOnly(timestamp, 'The moment of the changes.'),
    count: readOnly(z.int(), 'The number of changes, at most 1,000.', { example: 1 }),
    cursor: readOnly(z.string(), 'The position before these changes, for `after`.'),
  },
} satisfies Shape

/** An announcement as `announce_price_changes()` stores it: `after` is the variant before the first one at that moment. */
const announcement = z.object({ ...columnsOf(z.string(), 'market', 'at', 'after'), count: z.number() })

/** Announcements of changed prices. Their events have the IRI of the market. */
export const priceChangesKind: Kind = {
  name: 'prices',
  subject: 'price',
  noun: 'Prices',
  shape: announcedChanges,
  document: (stored) => {
    const { market: id, at, after, count } = parseStored(announcement, stored)
    const cursor = cursorOf({ at, variantId: after })
    return {
      '@id': `${marketIri(id)}#prices-${cursor}`,
      '@type': announcedChanges.type,
      market: marketIri(id),
      effectiveAt: at,
      count,
      cursor,
    }
  },
}

/** The document of `price/changed`, which only events contain. */
export const announced: Resource = { shape: announcedChanges, problems: [], operations: [] }

/** A position in the changes: a moment and a variant. */
type Position = readonly [at: string, variant: string]

const firstVariant = '00000000-0000-0000-0000-000000000000'
const lastVariant = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const afterParameter = z.string().transform((text): Position => {
  const at = parseInstant(text)
  if (at !== null) return [at, lastVariant]
  const cursor = parseCursor(text, 'after')
  requireKeys(cursor, ['timestamptz', 'uuid'], 'after')
  const [moment = '', variant = ''] = cursor.keys ?? []
  return [moment, variant]
})

const durationPattern = /^P(?=.)(?:(\d{1,4})D)?(?:T(?:(\d{1,2})H)?(?:(\d{1,2})M)?)?$/
/** The longest period of future changes in days: five years, as for timelines. */
const maximumAheadDays = 1827

/** An ISO 8601 duration of days, hours and minutes, in milliseconds. */
const durationParameter = z.string().transform((text, check) => {
  const [, days = '0', hours = '0', minutes = '0'] = durationPattern.exec(text) ?? []
  const milliseconds = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000
  if (milliseconds === 0 || milliseconds > maximumAheadDays * 86_400_000)
    check.addIssue({
      code: 'custom',
      ...violation(validationProblems.pattern.at('', { format: formats.documented })),
    })
  return milliseconds
})

const listParameters = {
  market: marketKey.meta({ mandatory: true, description: 'The key of the market (`/api/markets`).' }),
  after: afterParameter.optional().meta({
    examples: ['2026-10-01T00:00:00Z'],
    description:
      'Only changes after this position: the `cursor` of a change, or a UTC timestamp. By default from the oldest change on.',
  }),
  ahead: durationParameter.optional().meta({
    pattern: durationPattern.source,
    examples: ['P7D'],
    description: `The changes of the coming days by the offers of today, instead of past ones: an ISO 8601 duration of at most ${maximumAheadDays} days.`,
  }),
  itemsPerPage: pageParameters.itemsPerPage,
}

const changeRow = {
  ...columnsOf(z.string(), 'at', 'variantId', 'productId'),
  ...columnsOf(z.string().nullable(), 'before', 'after', 'offerId'),
  isWindow: z.boolean(),
}
/** Columns of the whole list. Without changes, one row has only these. */
const marketRow = { completeAt: z.string().nullable(), sequence: z.number() }

/**
 * Lists changes in the order of moment and variant. Past changes end at the tenant's clock: every write of an earlier moment has
 * committed. An offer that begins or ends moves the clock, so its change is not late.
 */
async function listPriceChanges(
  context: Context,
  { query }: Input<{ query: typeof listParameters }>,
): Promise<Answer> {
  const { market: key, ahead, after, itemsPerPage = standardItemsPerPage } = query
  const limit = Math.min(itemsPerPage, maximumItemsPerPage)
  const oldest = keptFromAt(context.now)
  const [at, variant] = after ?? [oldest, firstVariant]
  const { rows, marketOf } = await context.db.read({
    marketOf: marketsQuery(context),
    rows: statement({ ...changeRow, ...marketRow }, marketRow)`
      select ${instantText(sql`m.prices_complete_at`)} as "completeAt", clock.sequence::float8 as sequence,
             ${instantText(sql`c.at`)} as at, c.variant_id as "variantId", c.product_id as "productId",
             c.amount_before::text as before, c.amount_after::text as after, c.offer_id as "offerId", c.is_window as "isWindow"
        from tenant_clock clock join markets m on m.tenant_id = clock.tenant_id and m.key = ${key}
        left join read_price_changes(m.id, greatest(${at}::timestamptz, m.prices_complete_at), ${variant}::uuid,
          ${ahead ?? null}::float8, ${limit + 1}) c on true
       where clock.tenant_id = current_tenant() order by c.at, c.variant_id`,
  })
  const { currency } = marketOf(key)
  const { completeAt = null, sequence = 0 } = rows[0] ?? {}
  if (completeAt === null) throw marketIncomplete(key)
  const since = completeAt > oldest ? completeAt : oldest
  if (after && at < since) throw pricingProblems.changes_expired({ since })
  const changes = rows.flatMap((row) => (row.at === null ? [] : [row]))
  const read = changes.slice(0, limit)
  const last = read.at(-1)
  const [first] = changes
  const members = read
    .filter(({ before, after }) => before !== after)
    .map((row) => changeDocument(row, key, currency))
  return {
    kind: 'collection',
    members,
    view: (count) => {
      // A page without changes continues before the first one, with the standard number.
      if (limit === 0 && first) {
        const start = first.at === at ? variant : firstVariant
        const position = cursorOf({ at: first.at, variantId: start })
        return { next: queryWith(context.url, { after: position, itemsPerPage: null }) }
      }
      const end = count < members.length ? members[count - 1]?.cursor : last && cursorOf(last)
      const isLast = count === members.length && changes.length <= limit
      return isLast || end === undefined ? {} : { next: queryWith(context.url, { after: end }) }
    },
    sequence,
  }
}

type ChangeRow = RowOf<typeof changeRow>

const cursorOf = ({ at, variantId }: Pick<ChangeRow, 'at' | 'variantId'>) =>
  formatCursor({ to: 'next', keys: [at, variantId] })

function changeDocument(row: ChangeRow, market: string, currency: string) {
  const { at, variantId, productId, before, after, offerId, isWindow } = row
  const amountOf = (units: string | null) =>
    units === null ? null : amountOfUnits(units, currencyExponent(currency) ?? 0)
  const variant = variantIri(productId, variantId)
  return {
    // Without colons: JSON-LD reads what is before one as a prefix.
    '@id': `${variant}#price-${market}-${at.replaceAll(':', '')}`,
    '@type': priceChange.type,
    variant,
    product: productIri(productId),
    effectiveAt: at,
    before: amountOf(before),
    after: amountOf(after),
    currency,
    saleOffer: offerId === null ? null : saleOfferIri({ id: offerId }),
    reason: isWindow ? ('WINDOW' as const) : ('EDIT' as const),
    cursor: cursorOf(row),
  }
}

const tool: Tool = {
  path: '/mcp/catalogue',
  name: 'list_price_changes',
  title: 'List price changes',
  description:
    'Lists the changes of prices in a market, oldest first: the price of one piece of a variant before and after, the offer, and the reason. ' +
    'A price of null means that the variant is not sold there. With ahead (P7D), lists the changes of the coming days by the offers of today. ' +
    'There may be more: ask again with the cursor of the last item as after, until there are no items.',
  inputs: { market: {}, after: {}, ahead: {}, itemsPerPage: {} },
}

export const resource: Resource = {
  shape: priceChange,
  problems: [],
  operations: [
    operation({
      name: 'listPriceChanges',
      summary: 'List the changes of prices in a market, in order and without gaps',
      description: `Of one piece of each variant, whatever caused the change: a write, or an offer that begins or ends. Follow them with \`after\`. The service stores changes for ${pricesKeptDays} days. They begin when the market has all its prices (\`pricesCompleteAt\`). An earlier position is 410 \`pricing.changes_expired\`: read the prices of the market again. A page can have fewer members than \`itemsPerPage\`, or none; \`view.next\` is absent only at the end.`,
      method: 'GET',
      path: priceChange.collection,
      scope: 'sale_offers:read',
      shape: priceChange,
      answers: 'collection',
      notFound: saleOfferProblems.not_found,
      query: listParameters,
      tool,
      alsoFails: [410, 503],
      run: listPriceChanges,
    }),
  ],
}
