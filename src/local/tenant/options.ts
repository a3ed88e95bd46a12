/** The options of `npm run tenant`, with the rules of their values. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { policyRules, referenceUnit, statedUnits } from '../../core/context.ts'
import { isCountry, localePattern } from '../../core/locale.ts'
import { isRetired, versions } from '../../versions/index.ts'
import {
  flag,
  httpUrl,
  isLoopback,
  option,
  repeated,
  text,
  type ValuesOf,
  wholeNumber,
} from '../cli/command.ts'
import { databaseUrl } from '../cli/database.ts'

/** Maximum number of other hosts from which a tenant may load pictures. Each is named in a header of every page. */
export const maximumImageHosts = 20
/** Maximum number of declared locales, including those that are being removed. */
export const maximumLocales = 10

const host = text.regex(
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
  'is a host in lower case, without scheme, port and final dot: acme.example.com',
)
const locale = text.refine((value) => localePattern.test(value), {
  error: ({ input }) => `is a language with a country, such as fr-FR, and not ${input}`,
})
const limit = wholeNumber(0, 1000)
const versionNames = versions
  .filter((version) => !isRetired(version, new Date()))
  .map((version) => version.name)
const timeZone = text.refine(isTimeZone, 'is the IANA name of a time zone: Europe/Paris')

/** Whether a text is the name of a time zone. An offset such as +01:00 is not, because its clocks never change. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

/** One or more distinct values. */
function several<Schema extends z.ZodType>(schema: Schema, most = 100) {
  return z
    .array(schema, 'is required')
    .min(1)
    .max(most, `is given at most ${most} times`)
    .refine((values) => new Set(values).size === values.length, 'has the same value twice')
}

const publicKey = z.looseObject({
  kty: z.string('has no "kty"'),
  d: z.never('is a private key: give its public half').optional(),
})
const keySet = z.object(
  { keys: z.array(publicKey).min(1, 'has no key') },
  'is not JSON of the form {"keys": […]}',
)

/** A time until now, as the first whole second since then, because tokens are issued at whole seconds. */
const pastSecond = text
  .transform((time) => Math.ceil((time === 'now' ? Date.now() : Date.parse(time)) / 1000))
  .refine(
    (second) => second <= Date.now() / 1000 + 1,
    'is now, or an earlier time such as 2026-11-29T10:00:00Z',
  )

const ruleNames = Object.keys(policyRules.shape)
const policyForm =
  'is a country with its rules, such as DE:series=increasing_uninterrupted,days=40, or DE:act or CH:none'

/** The policy of a country: its chosen rules, null for none; those of the act without any. */
const pricePolicy = text.transform((input, context) => {
  const fault = (message: string) => {
    context.issues.push({ code: 'custom', input, message })
    return z.NEVER
  }
  const [, country = '', rules = ''] = /^([A-Z]{2}):(.+)$/.exec(input) ?? []
  if (!isCountry(country)) return fault(policyForm)
  if (rules === 'none') return { country, rules: null }
  const pairs = rules === 'act' ? [] : rules.split(',').map((pair) => pair.split('='))
  const values = pairs.map(([name, value = '']) => [name, /^\d{1,5}$/.test(value) ? Number(value) : value])
  const result = policyRules.safeParse(Object.fromEntries(values))
  if (result.success) return { country, rules: result.data }
  const [issue] = result.error.issues
  const [name] = issue?.path ?? []
  return fault(
    issue?.code === 'invalid_value'
      ? `has no ${String(name)} of this name: it is ${issue.values.join(', ')}`
      : issue?.code === 'unrecognized_keys'
        ? `has no rule ${issue.keys.join(', ')}: the rules are ${ruleNames.join(', ')}`
        : `has a ${String(name)} out of range: it is a number, days from 30 to 36500`,
  )
})

/** A quantity to which unit prices refer; null for none. */
const quantity = text.transform((input, context) => {
  if (input === 'none') return null
  const [, value, unit] = /^(\d+(?:\.\d+)?) ?([a-z]+[23]?)$/.exec(input) ?? []
  const result = referenceUnit.safeParse({ value: Number(value), unit })
  if (result.success) return result.data
  const message = `is a quantity in ${Object.keys(statedUnits).join(', ')}, such as 100g, or none`
  context.issues.push({ code: 'custom', input, message })
  return z.NEVER
})

/** A file of public keys, as parsed. */
const jwks = text.transform((path, context) => {
  const result = keySet.safeParse(jsonIn(path))
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = issue && issue.path.length > 0 ? `${issue.path.join('.')} ` : ''
  context.issues.push({ code: 'custom', input: path, message: `${path}: ${place}${issue?.message}` })
  return z.NEVER
})

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** The options of all subcommands. */
export const commonOptions = { 'database-url': databaseUrl, json: flag('prints the result as JSON') }

const settings = {
  name: option('TEXT', 'its display name', text.optional()),
  issuer: option('URL', 'the issuer of its tokens: the exact claim "iss"', httpUrl.optional()),
  audience: option('TEXT', 'the audience of its tokens: the claim "aud"', text.optional()),
  'jwks-uri': option('URL', 'where the issuer publishes its keys', httpUrl.optional()),
  jwks: option('FILE', 'the public keys themselves, instead of --jwks-uri: {"keys": […]}', jwks.optional()),
  algorithm: repeated(
    'NAME',
    'ES256, RS256 or EdDSA',
    several(z.enum(['ES256', 'RS256', 'EdDSA'], 'is ES256, RS256 or EdDSA')).optional(),
  ),
  profile: option(
    'NAME',
    'rfc9068, or generic for the default tokens of Auth0, Okta, Entra and Keycloak',
    z.enum(['rfc9068', 'generic'], 'is rfc9068 or generic').optional(),
  ),
  'admin-client': option(
    'ID',
    'the OAuth client with which people sign in to /admin at the issuer; "none" lets them paste a token',
    text.transform((client) => (client === 'none' ? null : client)).optional(),
  ),
  'default-version': option(
    'VERSION',
    'the API version of requests that name none',
    z.enum(versionNames, `is one of ${versionNames.join(', ')}`).optional(),
  ),
  subscriptions: option('NUMBER', 'maximum webhook subscriptions, 0 to 1000', limit.optional()),
  'subscriptions-per-host': option(
    'NUMBER',
    'maximum webhook subscriptions of one callback host, 0 to 1000',
    limit.optional(),
  ),
  'prior-price-days': option(
    'NUMBER',
    'days before a reduction whose lowest price is the prior price, 30 to 36500',
    wholeNumber(30, 36_500, 'a number of days').optional(),
  ),
  'price-policy': repeated(
    'COUNTRY:RULES',
    `the rules of prior prices from now on, where they differ from the country's act: ${ruleNames.join(', ')}; "act" is the act alone, "none" is no policy. GET /api/price_policies explains the values`,
    several(pricePolicy).optional(),
  ),
  'reference-unit': repeated(
    'QUANTITY',
    'the quantity to which unit prices refer, such as 100g or 100ml, unless a category has another; "none" is 1 kg, l, m, m2 or m3',
    several(quantity)
      .refine(
        (values) => new Set(values.map((each) => each && statedUnits[each.unit])).size === values.length,
        'has two quantities of one kind',
      )
      .transform((values) => values.filter((each) => each !== null))
      .optional(),
  ),
  'time-zone': option(
    'ZONE',
    'the IANA name of the time zone in which pages show and take times',
    timeZone.optional(),
  ),
}

export const createOptions = {
  host: repeated('NAME', 'a host of the tenant; the first is its primary host', several(host)),
  locale: repeated(
    'TAG',
    'a language with a country, such as fr-FR; the first is the default and stays the default',
    several(locale, maximumLocales),
  ),
  'image-host': repeated(
    'NAME',
    'another host from which /admin loads pictures over https, at most 20; pictures of other hosts are shown as links',
    several(host, maximumImageHosts).optional(),
  ),
  ...settings,
  ...commonOptions,
}

export const updateOptions = {
  'add-host': repeated('NAME', 'a new host', several(host).optional()),
  'remove-host': repeated('NAME', 'a host to remove', several(host).optional()),
  'primary-host': option('NAME', 'the new primary host; the previous one stays a host', host.optional()),
  'add-image-host': repeated(
    'NAME',
    'a new host from which /admin loads pictures over https, at most 20; pictures of other hosts are shown as links',
    several(host, maximumImageHosts).optional(),
  ),
  'remove-image-host': repeated('NAME', 'an image host to remove', several(host).optional()),
  'add-locale': repeated(
    'TAG',
    'a new locale; Workers use it within a minute, and search in it uses its own words within about four minutes',
    several(locale).optional(),
  ),
  'remove-locale': repeated(
    'TAG',
    'a locale to remove with all its texts, which cannot be undone; texts that the default locale lacks are copied to it',
    several(locale).optional(),
  ),
  'revoke-tokens': option(
    'TIME',
    'rejects all tokens issued before a time, "now" or such as 2026-11-29T10:00:00Z, and fetches the keys again',
    pastSecond.optional(),
  ),
  wait: flag('waits until added and removed locales are complete, for two minutes or more'),
  yes: flag('asks no question'),
  ...settings,
  ...commonOptions,
}

const storefrontHost = option('NAME', 'the storefront host, such as shop.acme.example.com', host)

export const addStorefrontOptions = {
  host: storefrontHost,
  'max-age': option(
    'SECONDS',
    'for how long shared caches may store a response, at most 3600; by default 60',
    wholeNumber(0, 3600, 'a number of seconds').optional(),
  ),
  ...commonOptions,
}

export const revokeStorefrontOptions = {
  host: storefrontHost,
  key: option(
    'KEY',
    'the key to revoke; without it, all keys are revoked and the host is removed',
    text.optional(),
  ),
  ...commonOptions,
}

export type SettingValues = ValuesOf<typeof settings>
export type CreateValues = ValuesOf<typeof createOptions>
export type UpdateValues = ValuesOf<typeof updateOptions>

/** Faults of the issuer and of its keys. */
export function keyFaults(given: Readonly<Record<string, unknown>>): string[] {
  const database = URL.parse(String(given['database-url']))
  const isLocal = !('database-url' in given) || isLoopback(database?.hostname ?? '')
  const open = ['issuer', 'jwks-uri'].filter((name) => !isLocal && /^http:/i.test(String(given[name])))
  return [
    ...('jwks' in given && 'jwks-uri' in given ? ['Give --jwks or --jwks-uri, not both.'] : []),
    ...open.map((name) => `--${name} begins with https:, unless the database is on this computer.`),
  ]
}
