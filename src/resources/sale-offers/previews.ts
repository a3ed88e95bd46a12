/** Previews of prices: the prices that sale offers would give if they were saved. */
import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { nested } from '../../core/body.ts'
import { measure, referenceUnit } from '../../core/context.ts'
import { instantOf } from '../../core/instant.ts'
import {
  type Answer,
  type BodyOf,
  type Context,
  type Input,
  operation,
  resourceOf,
} from '../../core/operation.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { embeds, readOnly, type Shape, writable } from '../../core/schema.ts'
import { throwViolations } from '../../core/violations.ts'
import { write } from '../../core/write.ts'
import { columnsOf, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { createdOffer } from '../offers/kind.ts'
import { saleOfferProblems } from '../offers/problems.ts'
import { takenExternalIds, targetStatement } from '../offers/read.ts'
import { saleOffers } from '../offers/table.ts'
import { changedOffer, faultsOfNewOffers, linksQuery, throwFaults } from '../offers/write.ts'
import { announcementProblems, problemsOf } from '../prices/announcements.ts'
import { saleOfferIri } from '../prices/price.ts'
import { pricingProblems } from '../prices/problems.ts'
import {
  type Price,
  type PricedRow,
  pricesOf,
  type StoredOffer,
  type StoredTerms,
  storedOffer,
  storedOfferOf,
  storedTerms,
} from '../prices/read.ts'
import { currencyName, priceHistory, priorPriceExpansion, requiredPriceRequestOf } from '../prices/request.ts'
import { productIri } from '../products/schema.ts'
import { namesInUse } from '../shared/names.ts'
import {
  countryInAnyCase,
  currencyInAnyCase,
  identifier,
  instantInput,
  instantText,
  iriText,
  relation,
} from '../shared/properties.ts'
import { variantIri } from '../variants/schema.ts'
import { linkedProperties, saleOfferKind } from './kind.ts'
import { saleOfferShape } from './schema.ts'

/** The maximum numbers of new offers and of changes, and of the contexts and moments that they are previewed for. */
const maximumOffers = 500
const maximumContexts = 32
/** The maximum number of prices in a preview. With prior prices, each has up to 4 kB. */
const maximumPrices = 1000
/** The maximum number of recorded terms that a preview reads, each of about 300 bytes. */
const maximumTerms = 20_000

const path = '/api/price_previews'

const newOffer = saleOfferShape(linkedProperties)
const changeOfOffer = {
  ...newOffer,
  properties: {
    saleOffer: writable(relation('/api/sale_offers'), 'The saved offer. Each change needs it.', {
      isLink: true,
      targetType: 'SaleOffer',
    }),
    ...newOffer.properties,
  },
} satisfies Shape

const now = z.literal('now')

const pricePreview = {
  type: 'PricePreview',
  description: 'The prices that sale offers would give if they were saved.',
  collection: path,
  readWith: 'sale_offers:read',
  properties: {
    saleOffers: writable(
      z.array(nested(newOffer)).max(maximumOffers),
      'New offers, each as `POST /api/sale_offers` takes it.',
      { objectType: 'SaleOffer', stored: false, writeOnly: true, defaultValue: [] },
    ),
    changes: writable(
      z.array(nested(changeOfOffer, 'patch')).max(maximumOffers),
      'Changes of saved offers, each as `PATCH /api/sale_offers/{id}` takes it, and the offer as `saleOffer`.',
      { objectType: 'SaleOffer', stored: false, writeOnly: true, defaultValue: [] },
    ),
    contexts: writable(
      z
        .array(
          z.object({
            channel: identifier,
            country: countryInAnyCase,
            currency: currencyInAnyCase.optional(),
          }),
        )
        .min(1)
        .max(maximumContexts),
      'The channels and countries of the prices. With `currency`, only offers in it compete.',
      { required: true, stored: false, writeOnly: true, example: [{ channel: 'web', country: 'FR' }] },
    ),
    moments: writable(
      z
        .array(z.union([now, instantInput]))
        .min(1)
        .max(maximumContexts),
      'The moments of the prices, UTC; `now` is the moment of the request.',
      { stored: false, writeOnly: true, defaultValue: ['now'], example: ['now'] },
    ),
    prices: readOnly(
      z.array(
        z.object({
          variant: iriText,
          product: iriText,
          channel: z.string(),
          country: z.string(),
          at: instantText,
          before: embeds('ResolvedPrice').nullable(),
          after: embeds('ResolvedPrice').nullable(),
          problems: z.array(z.enum(announcementProblems)),
        }),
      ),
      'For each variant, context and moment, the price `before` and `after` the offers are saved, with `priorPrice` or `noPriorPrice`; null if no offer applies. `problems` are those of the announcement of the price after, as in `/api/price_announcements`. The IRI of a new offer is `#/saleOffers/0`, its place in the request. `evidence` is empty.',
    ),
    withoutEffect: readOnly(
      z.array(iriText),
      'The offers of the request that set none of the prices after: other offers win, or they do not apply in these contexts at these moments.',
    ),
  },
} satisfies Shape

const offerColumns = columnsOf(z.string(), 'id', 'productId', 'variantId', 'document', 'status')
const priceInputs = {
  ...columnsOf(z.string(), 'variant', 'product'),
  launchedAt: z.string().nullable(),
  measure: measure.nullable(),
  categories: z.array(z.string()),
  offers: z.array(storedOffer).nullable(),
  terms: z.array(storedTerms).nullable(),
}

type PricedVariant = PricedRow & { readonly product: string }
type PreviewBody = BodyOf<typeof pricePreview>

/** A change of a saved offer; `at` maps a property name to its path in the request. */
type PreviewedChange = {
  readonly id: string
  readonly change: BodyOf<typeof newOffer>
  readonly at: (name: string) => string
}

/** The state of an offer as if it were saved. */
type OfferState = { readonly id: string; readonly variantId: string; readonly offer: StoredOffer }

async function previewPrices(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof pricePreview }>,
): Promise<Answer> {
  const { locale } = context
  const requests = (body.saleOffers ?? []).map((offer, index) => {
    const at = (name: string) => `saleOffers[${index}].${name}`
    return { id: uuidv7(), at, ...createdOffer(saleOfferKind, offer, locale, at) }
  })
  const changes = (body.changes ?? []).map(({ saleOffer, ...change }, index): PreviewedChange => {
    return { id: saleOffer ?? '', change, at: (name) => `changes[${index}].${name}` }
  })
  requireOffers(requests.length, changes)
  const written = [
    ...(body.saleOffers ?? []).map((offer, index) => ({ body: offer, at: requests[index]?.at ?? String })),
    ...changes.map(({ change, at }) => ({ body: change, at })),
  ]
  const changedIds = uuidArray(changes.map(({ id }) => id))
  const newVariants = uuidArray([...new Set(requests.map(({ variant }) => variant.id))])
  const variants = sql`select unnest(${newVariants})
    union select variant_id from sale_offers where tenant_id = current_tenant() and id = any(${changedIds})`
  const newValues = [...requests.map(({ values }) => values), ...changes.map(({ change }) => change)]
  const externalIds = newValues.flatMap(({ externalId }) => externalId ?? [])
  const places = new Map(requests.map(({ id }, index) => [saleOfferIri({ id }), `#/saleOffers/${index}`]))
  const shown = (name: string, value: unknown) =>
    name === 'evidence' ? [] : typeof value === 'string' ? (places.get(value) ?? value) : value
  const { result, replayed } = await write<string>(context, 'previewPrices', async (read) => {
    const { offers, targets, taken, links, inputs, units, history } = await read({
      offers: statement(offerColumns)`
        select id, product_id as "productId", variant_id as "variantId", document, status
          from sale_offers where tenant_id = current_tenant() and id = any(${changedIds})`,
      targets: targetStatement(saleOfferKind, variants),
      taken: takenExternalIds(saleOffers, externalIds),
      links: linksQuery(
        saleOfferKind,
        written.map(({ body }) => body),
      ),
      inputs: statement(priceInputs)`
        select variant, product, launched_at as "launchedAt", measure, categories, offers::json, terms::json
          from read_price_inputs(array(${variants}), ${maximumTerms}::int)`,
      units: statement({ units: z.record(z.string(), z.array(referenceUnit)).nullable() })`
        select read_reference_units(array(select c.category_id from product_categories c
          where c.tenant_id = current_tenant() and c.product_id in (
            select product_id from variants where tenant_id = current_tenant() and id in (${variants})))) as units`,
      history: statement({ history: z.string() })`select ${priceHistory} as history`,
    })
    const names = namesInUse(taken)
    const faults = faultsOfNewOffers(saleOfferKind, requests, targets, names)
    for (const { body, at } of written) faults.violations.push(...links.violations(body, at))
    const changed = changes.flatMap(({ id, change, at }): OfferState[] => {
      const offer = offers.find((each) => each.id === id)
      const target = targets.find((each) => each.id === offer?.variantId)
      if (!offer || !target) {
        const iri = saleOfferIri({ id })
        faults.violations.push(validationProblems.unknown_reference.at(at('saleOffer'), { iri }))
        return []
      }
      const outcome = changedOffer(saleOfferKind, { offer, target }, change, locale, at)
      faults.violations.push(...outcome.violations)
      if (outcome.isUnchanged || outcome.violations.length > 0) return []
      const { before, values } = outcome
      faults.conflicts.push(...outcome.conflicts)
      if (values.status !== 'ARCHIVED' && before.externalId !== values.externalId)
        faults.conflicts.push(
          ...names.reserveAll(values, { externalId: saleOfferProblems.external_id_taken }, at),
        )
      return [{ id, variantId: offer.variantId, offer: storedOfferOf(id, values) }]
    })
    throwFaults(faults)
    requireSize(body, new Set(targets.map(({ id }) => id)).size, inputs.length)
    const created = requests.map(({ id, variant, values }): OfferState => {
      return { id, variantId: variant.id, offer: storedOfferOf(id, values) }
    })
    const rows = inputs.map(({ variant, categories, measure, ...row }) => ({
      ...row,
      id: variant,
      createdAt: instantOf(context.now),
      content: { measure, referenceUnits: categories.flatMap((id) => units[0]?.units?.[id] ?? []) },
    }))
    const states = [...created, ...changed]
    const prices = pricesAround(context, body, rows, states, history[0]?.history)
    // JSON, because stored results do not keep the order of members.
    return {
      unchanged: JSON.stringify({ prices, withoutEffect: withoutEffect(states, prices) }, shown),
    }
  })
  const document = { '@id': path, '@type': pricePreview.type, ...JSON.parse(result) }
  return { kind: 'item', document, version: null, replayed }
}

/** The prices of the variants in each context at each moment, before and after the offers are saved. */
function pricesAround(
  context: Context,
  { contexts, moments }: PreviewBody,
  before: readonly PricedVariant[],
  states: readonly OfferState[],
  history: string | undefined,
) {
  const saved = instantOf(context.now)
  const after = before.map((row) => afterSaving(row, states, saved))
  const prices = (contexts ?? []).flatMap(({ channel, country, currency }) =>
    (moments ?? ['now']).flatMap((moment) => {
      const at = moment === 'now' ? saved : moment
      const request = requiredPriceRequestOf(
        {
          'resolveContext[channel]': channel,
          'resolveContext[country]': country,
          'resolveContext[at]': at,
          [currencyName]: currency,
          expand: [priorPriceExpansion.choice],
        },
        context,
      )
      const pricesBefore = pricesOf(before, request, history).prices
      const pricesAfter = pricesOf(after, request, history).prices
      return before.map(({ id, product }) => {
        const price = pricesAfter.get(id) ?? null
        return {
          variant: variantIri(product, id),
          product: productIri(product),
          ...{ channel, country, at },
          before: pricesBefore.get(id) ?? null,
          after: price,
          problems: price ? problemsOf(price) : [],
        }
      })
    }),
  )
  const hasAmount = (price: Price | null) => price !== null && 'saleOffer' in price
  if (!prices.some((each) => hasAmount(each.before) || hasAmount(each.after)))
    throwViolations([pricingProblems.preview_empty.at('')])
  return prices
}

/** The active offers that set none of the prices, nor a quantity break of one. */
function withoutEffect(
  states: readonly OfferState[],
  prices: readonly { readonly after: Price | null }[],
): string[] {
  const effective = new Set(
    prices.flatMap(({ after }) =>
      after && 'saleOffer' in after
        ? [after.saleOffer, ...after.quantityBreaks.map(({ saleOffer }) => saleOffer)]
        : [],
    ),
  )
  const active = states.filter(({ offer: { status = 'ACTIVE' } }) => status === 'ACTIVE')
  return active.map(saleOfferIri).filter((iri) => !effective.has(iri))
}

/** @throws Problem 422 if the preview has too many prices, or if the inputs of its variants were too many to read */
function requireSize({ contexts, moments }: PreviewBody, variants: number, read: number): void {
  const count = variants * (contexts?.length ?? 0) * (moments?.length ?? 1)
  if (count <= maximumPrices && read >= variants) return
  const help =
    count > maximumPrices
      ? `It has ${count} prices, one for each variant, context and moment. The maximum is ${maximumPrices}.`
      : `The variants have more than ${maximumTerms} recorded terms of offers.`
  throwViolations([pricingProblems.preview_too_large.at('', {}, help)])
}

/**
 * Requires at least one offer, and changes of different offers.
 * @throws Problem 422
 */
function requireOffers(newCount: number, changes: readonly PreviewedChange[]): void {
  if (newCount + changes.length === 0)
    throwViolations([validationProblems.required.at('saleOffers', {}, 'Send saleOffers, changes, or both.')])
  const ids = changes.map(({ id }) => id)
  throwViolations(
    changes.flatMap(({ id, at }, index) => {
      if (id === '') return [validationProblems.required.at(at('saleOffer'))]
      return ids.indexOf(id) === index ? [] : [validationProblems.duplicate_item.at(at('saleOffer'))]
    }),
  )
}

/** The inputs of a variant's prices after offers were saved at a moment. */
function afterSaving(row: PricedRow, states: readonly OfferState[], moment: string): PricedRow {
  const own = states.filter(({ variantId }) => variantId === row.id)
  const ids = new Set(own.map(({ id }) => id))
  const offers = own.map(({ offer }) => offer)
  const closed = (row.terms ?? []).map(
    (terms): StoredTerms =>
      ids.has(terms.id) && terms.knownUntil === undefined ? { ...terms, knownUntil: moment } : terms,
  )
  const opened = offers
    .filter((offer) => (offer.status ?? 'ACTIVE') === 'ACTIVE' && (offer.minQuantity ?? 1) <= 1)
    .map((offer): StoredTerms => ({ ...offer, knownFrom: moment }))
  return {
    ...row,
    offers: [...(row.offers ?? []).filter(({ id }) => !ids.has(id)), ...offers],
    terms: [...opened, ...closed],
  }
}

export const resource = resourceOf(
  operation({
    name: 'previewPrices',
    summary: 'Show the prices that sale offers would give, without saving them',
    description: `Validates up to ${maximumOffers} new offers, and changes of up to ${maximumOffers} saved ones, by the rules of a save, and returns a save's problems. Nothing is written. Returns at most ${maximumPrices} prices.`,
    method: 'POST',
    path,
    status: 200,
    scope: 'sale_offers:read',
    shape: pricePreview,
    answers: 'item',
    body: { mode: 'create' },
    notFound: saleOfferProblems.not_found,
    run: previewPrices,
  }),
)
