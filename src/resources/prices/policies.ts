/**
 * The national rules of prior prices as data: one file for each country in `policies/`, with the act that it was read from.
 * They implement Directive 98/6/EC, article 6a.
 */
import * as z from 'zod'
import { policyRules, type Tenant, tenantSettings } from '../../core/context.ts'
import type { Members } from '../../core/document.ts'
import { instantOf } from '../../core/instant.ts'
import { isCountry } from '../../core/locale.ts'
import { type Context, operation, type Resource } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { httpProblems } from '../../core/problems/http.ts'
import { concurrencyProblems } from '../../core/problems/server.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { statement } from '../../db/query.ts'
import { countryInAnyCase, instantText } from '../shared/properties.ts'
import { serviceResource } from '../shared/service-resource.ts'
import austria from './policies/AT.json' with { type: 'json' }
import belgium from './policies/BE.json' with { type: 'json' }
import germany from './policies/DE.json' with { type: 'json' }
import otherCountries from './policies/EEA.json' with { type: 'json' }
import spain from './policies/ES.json' with { type: 'json' }
import france from './policies/FR.json' with { type: 'json' }
import italy from './policies/IT.json' with { type: 'json' }
import netherlands from './policies/NL.json' with { type: 'json' }
import poland from './policies/PL.json' with { type: 'json' }
import sweden from './policies/SE.json' with { type: 'json' }
import { pricingProblems } from './problems.ts'

type PolicyTenant = Pick<Tenant, 'pricePolicies' | 'priorPriceDays'>

/** The act of a policy. */
export const policySource = z.object({
  act: z.string(),
  section: z.string(),
  /** The page that was read; null if none was. */
  url: z.string().nullable(),
  /** The date of reading; null if the text of the act was not read. */
  readOn: z.iso.date().nullable(),
})

const preset = z.object({
  countries: z.array(z.string()),
  /** The day from which it is in force, UTC. */
  validFrom: z.iso.date(),
  ...policyRules.required().shape,
  /** A series that the act permits, and that a tenant may choose. */
  optionalSeries: policyRules.required().shape.series.nullable(),
  source: policySource,
  /** Whether the rules were read in the text of the act itself. */
  verified: z.boolean(),
  note: z.string(),
})
/** The rules of some countries from a day on, with their act. */
export type Preset = z.infer<typeof preset>

/** The rules of a country at a moment. `chosenSince` is the moment of the tenant's choice; null without one. */
export type PricePolicy = Omit<Preset, 'countries' | 'source'> & {
  readonly country: string
  readonly source: Preset['source'] | null
  readonly chosenSince: string | null
}

/** All of them, oldest first in each country. */
export const presets: readonly Preset[] = z
  .array(preset)
  .parse([
    ...[...austria, ...belgium, ...germany, ...spain, ...france, ...italy],
    ...[...netherlands, ...poland, ...sweden, ...otherCountries],
  ])

const presetsByCountry: ReadonlyMap<string, readonly Preset[]> = Map.groupBy(
  presets.flatMap((each) => each.countries.map((country) => ({ ...each, countries: [country] }))),
  ({ countries: [country = ''] }) => country,
)

/** A country without a preset has the rules of the directive, with a tenant's choice. */
const withoutPreset = {
  validFrom: '0001-01-01',
  days: 30,
  series: 'none',
  seriesDays: null,
  optionalSeries: null,
  newerGoods: 'not_announced',
  perishables: 'same',
  source: null,
  verified: false,
  note: 'The tenant chose this policy. The country has no act here.',
} as const

/**
 * Finds the policy of a country (ISO 3166-1 alpha-2) at a moment, with the tenant's choice at that moment. Null if no act is in force,
 * and none is chosen. The tenant's `priorPriceDays` lengthens all periods.
 */
export function policyAt(
  country: string,
  at: string,
  { pricePolicies, priorPriceDays }: PolicyTenant,
): PricePolicy | null {
  const act = actAt(country, at)
  const choice = pricePolicies[country]?.findLast(({ chosenAt }) => chosenAt <= at)
  if (choice ? choice.rules === null : act === undefined) return null
  const { countries: _, ...rules } = act ?? { ...withoutPreset, countries: [] }
  const chosen = { ...rules, ...choice?.rules }
  const days = Math.max(chosen.days, priorPriceDays)
  const verified = act?.verified === true && isPermitted(choice?.rules ?? {}, act)
  return { ...chosen, days, verified, country, chosenSince: choice?.chosenAt ?? null }
}

/** The days of the policies that are in force at a moment, by country. */
export function priorDaysAt(at: string, tenant: PolicyTenant): Readonly<Record<string, number>> {
  const countries = new Set([...presetsByCountry.keys(), ...Object.keys(tenant.pricePolicies)])
  return Object.fromEntries(
    [...countries].flatMap((country) => {
      const policy = policyAt(country, at, tenant)
      return policy ? [[country, policy.days] as const] : []
    }),
  )
}

function actAt(country: string, at: string) {
  return presetsByCountry.get(country)?.findLast(({ validFrom }) => validFrom <= at.slice(0, 10))
}

/** Whether an act permits rules: its own, its optional series, and a longer period. */
function isPermitted(rules: z.infer<typeof policyRules>, act: Omit<Preset, 'countries'>): boolean {
  const { days, series, seriesDays, newerGoods, perishables } = { ...act, ...rules }
  return (
    days >= act.days &&
    (series === act.optionalSeries || (series === act.series && seriesDays === act.seriesDays)) &&
    newerGoods === act.newerGoods &&
    perishables === act.perishables
  )
}

const pricePolicy = {
  type: 'PricePolicy',
  description:
    'The rule for the prior prices of reductions in a country (Directive 98/6/EC, article 6a). It contains the act, and the choice of the tenant.',
  collection: '/api/price_policies',
  readWith: 'sale_offers:read',
  properties: {
    country: readOnly(z.string(), 'ISO 3166-1 alpha-2 code of the country.', { example: 'DE' }),
    validFrom: readOnly(z.iso.date(), 'The day from which the act has this rule, UTC.', {
      example: '2022-05-28',
    }),
    days: readOnly(z.int(), 'The number of days before a reduction in which the lowest price counts.', {
      example: 30,
    }),
    series: readOnly(
      preset.shape.series,
      'The reductions that share the prior price of the first one. `none`: each reduction has its own. `increasing_uninterrupted`: reductions that follow each other without a gap, each to the same price or a lower one. `successive_within`: reductions that follow each other without a gap, within `seriesDays`.',
      { example: 'none' },
    ),
    seriesDays: readOnly(
      z.int().nullable(),
      'The maximum number of days from the first reduction of a series to the last one. Null means no maximum.',
    ),
    optionalSeries: readOnly(
      preset.shape.optionalSeries,
      'Another series that the act permits. A tenant may choose it.',
      { example: 'increasing_uninterrupted' },
    ),
    newerGoods: readOnly(
      preset.shape.newerGoods,
      'The rule for goods that are newer than the period. `since_launch`: the period begins with their first price. `state_period`: the same, and the shop states the period. `not_announced`: they have no prior price.',
      { example: 'since_launch' },
    ),
    perishables: readOnly(
      preset.shape.perishables,
      'The rule for goods that are reduced because they spoil or expire. `same`: the rule of all goods. `exempt`: they have no prior price. `first_reduction`: the price just before their first reduction counts.',
      { example: 'exempt' },
    ),
    source: readOnly(
      policySource.nullable(),
      'The act, its section, the page that was read, and the day of reading. Null if only the tenant has chosen the policy.',
      { example: null },
    ),
    verified: readOnly(
      z.boolean(),
      'Whether the rule was read in the text of the act itself, which permits the choice of the tenant. Check an unverified rule before you publish prices by it.',
    ),
    note: readOnly(z.string(), 'The reading of the act, and its limits.'),
    actRules: readOnly(
      policyRules.required().nullable(),
      'The rules of the act alone, without the choice of the tenant. Null if the country has no act.',
      { example: null },
    ),
    chosenSince: readOnly(
      instantText.nullable(),
      "The moment of the tenant's choice; null if the rule is that of the act alone.",
      { example: null },
    ),
    version: readOnly(z.int(), "The number of the tenant's choices in the country.", { example: 0 }),
  },
} satisfies Shape

const { days, series, seriesDays, newerGoods, perishables } = policyRules.required().shape
const { properties } = pricePolicy

/** The body of a choice, which may be a whole policy. */
const policyChoice = {
  ...pricePolicy,
  properties: {
    ...properties,
    days: writable(days, properties.days.description, { example: 30 }),
    series: writable(series, properties.series.description, { example: 'increasing_uninterrupted' }),
    seriesDays: writable(seriesDays.unwrap(), properties.seriesDays.description, { example: 90 }),
    newerGoods: writable(newerGoods, properties.newerGoods.description, { example: 'since_launch' }),
    perishables: writable(perishables, properties.perishables.description, { example: 'exempt' }),
  },
} satisfies Shape

/** The tenant as it is stored, because the settings of the request may be a minute old. */
async function storedTenant({ db, tenant }: Context): Promise<PolicyTenant> {
  const { rows } = await db.read({
    rows: statement({ tenant: tenantSettings.nullable() })`select own_settings() as tenant`,
  })
  return rows[0]?.tenant ?? tenant
}

function policyDocument(country: string, at: string, tenant: PolicyTenant): Members | null {
  const policy = policyAt(country, at, tenant)
  const identity = { '@id': `${pricePolicy.collection}/${country}`, '@type': pricePolicy.type }
  const actRules = policyRules
    .strip()
    .nullable()
    .parse(actAt(country, at) ?? null)
  return policy && { ...identity, ...policy, actRules, version: choicesOf(country, tenant) }
}

function choicesOf(country: string, { pricePolicies }: PolicyTenant): number {
  return pricePolicies[country]?.length ?? 0
}

/** The rules of a country at a moment; null if it has no policy. */
function rulesAt(country: string, at: string, tenant: PolicyTenant) {
  const policy = policyAt(country, at, tenant)
  return policy && policyRules.keyof().options.map((name) => policy[name])
}

/** The maximum number of choices in a country. */
const maximumChoices = 100

/**
 * Chooses the rules of a country from now on; null for no policy. Earlier prices are judged by earlier choices. Returns the policy.
 * @throws Problem 409 `pricing.policy_limit`, 409 `concurrency.busy` if the country is chosen at the same time, 412
 */
async function choose(
  context: Context,
  name: string,
  country: string,
  rules: z.infer<typeof policyRules> | null,
) {
  const at = instantOf(context.now)
  const { result, replayed } = await write<string>(context, name, async () => {
    const stored = await storedTenant(context)
    const earlier = choicesOf(country, stored)
    requireIfMatch(context, earlier)
    const choices = [...(stored.pricePolicies[country] ?? []), { chosenAt: at, rules }]
    const after = { ...stored, pricePolicies: { ...stored.pricePolicies, [country]: choices } }
    if (sameJson(rulesAt(country, at, stored), rulesAt(country, at, after)))
      return { unchanged: JSON.stringify(policyDocument(country, at, stored)) }
    if (earlier >= maximumChoices) throw pricingProblems.policy_limit({ maximum: maximumChoices })
    return {
      async perform() {
        const { rows } = await context.db.write({
          rows: statement({ chosen: tenantSettings.unwrap().shape.pricePolicies.nullable() })`
            select choose_price_policy(${country}, ${rules && JSON.stringify(rules)}::jsonb, ${at}, ${earlier}::int) as chosen`,
        })
        const chosen = rows[0]?.chosen
        if (!chosen) throw concurrencyProblems.busy()
        return JSON.stringify(policyDocument(country, at, { ...context.tenant, pricePolicies: chosen }))
      },
    }
  })
  const document = JSON.parse(result)
  return { document, version: document?.version ?? null, replayed }
}

const service = serviceResource({
  shape: pricePolicy,
  scope: 'sale_offers:read',
  list: {
    name: 'listPricePolicies',
    summary: 'List the policies of prior prices',
    description:
      'One for each country of the EEA, and for each other country that the tenant chose one for. The policies are data, not legal advice.',
  },
  query: {
    country: countryInAnyCase
      .optional()
      .meta({ description: 'Only the policy of this country.', examples: ['DE'] }),
  },
  item: { name: 'getPricePolicy', summary: 'Read the policy of a country' },
  unknownKey:
    'The country has no policy here. PUT chooses one. Countries are ISO 3166-1 alpha-2 codes in upper case.',
  key: 'country',
  async documents(context) {
    const tenant = await storedTenant(context)
    return [...new Set([...presetsByCountry.keys(), ...Object.keys(tenant.pricePolicies)])]
      .toSorted()
      .map((country) => policyDocument(country, instantOf(context.now), tenant))
      .filter((policy) => policy !== null)
  },
})

const choosing = {
  path: `${pricePolicy.collection}/{country}`,
  params: { country: z.string().refine(isCountry) },
  scope: 'sale_offers:write',
  shape: pricePolicy,
  notFound: Object.assign(() => httpProblems.not_found(), httpProblems.not_found),
} as const

/** The policies of all countries that have one now. */
export const resource: Resource = {
  ...service,
  operations: [
    ...service.operations,
    operation({
      ...choosing,
      name: 'choosePricePolicy',
      summary: 'Choose the policy of a country from now on',
      description:
        'The rules of the body replace those of the act; the others stay. Without any, the act alone applies. Rules that are the current ones change nothing. Prices of earlier moments are judged by the choice of then. Priced responses follow within a minute.',
      method: 'PUT',
      answers: 'item',
      body: { mode: 'create', shape: policyChoice },
      async run(context, { params: { country }, bodies: [body = {}] }) {
        // Null is the rule of the act, but for `seriesDays`, where it is a rule.
        const rules = Object.entries(body).filter(([name, value]) => value !== null || name === 'seriesDays')
        const chosen = policyRules.parse(Object.fromEntries(rules))
        return { kind: 'item', ...(await choose(context, 'choosePricePolicy', country, chosen)) }
      },
    }),
    operation({
      ...choosing,
      name: 'removePricePolicy',
      summary: 'Choose that a country has no policy from now on',
      description: 'Its prices then have no prior price. `PUT` chooses a policy again.',
      method: 'DELETE',
      answers: 'empty',
      async run(context, { params: { country } }) {
        const { replayed } = await choose(context, 'removePricePolicy', country, null)
        return { kind: 'empty', replayed }
      },
    }),
  ],
}
