/** Reading what was typed: every mistake is told at once. */

import { readFileSync } from 'node:fs'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import * as z from 'zod'
import { localePattern } from '../../core/locale.ts'
import { isRetired, versions } from '../../versions/index.ts'
import { isDevelopment } from '../owner-url.ts'
import type { Action } from './help.ts'

/** What is wrong with a command, each fault in a sentence. The command changes nothing, and ends with 2. */
export class UsageError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

// An option that follows is no value of the one before it.
const text = z
  .string('takes a value')
  .trim()
  .regex(/^(?!--)./, 'takes a value')
const several = <Each extends z.ZodType>(each: Each) => z.array(each).optional()
const host = text.regex(
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
  'is a host in lower case, without scheme, port and dot at its end: acme.example.com',
)
const locale = text.regex(localePattern, 'is a language with its country: fr-FR')
const url = text.refine(
  (each) => /^https?:$/.test(URL.parse(each)?.protocol ?? ''),
  'is an address: https://login.example.com/',
)
const amount = text.regex(/^(1000|[0-9]{1,3})$/, 'is a number from 0 to 1000').transform(Number)
const days = text
  .regex(/^[0-9]{1,6}$/, 'is a number of days from 30 to 36500')
  .transform(Number)
  .refine((each) => each >= 30 && each <= 36_500, 'is a number of days from 30 to 36500')
const timeZone = text.refine(isTimeZone, 'is the IANA name of a time zone: Europe/Paris')
/** How many other hosts a tenant may load pictures from: each is named in a header of every page. */
export const mostImageHosts = 20
const imageHosts = z.array(host).max(mostImageHosts, `is given at most ${mostImageHosts} times`)
const names = versions.filter((each) => !isRetired(each, new Date())).map((each) => each.name)

const publicKey = z.looseObject({
  kty: z.string('has no "kty"'),
  d: z.never('is of a private key: give its public half').optional(),
})
const keySet = z.object(
  { keys: z.array(publicKey).min(1, 'has no key') },
  'is no JSON of the form {"keys": […]}',
)

/** A file of keys, as it is read. */
const jwks = text.transform((path, context) => {
  const read = keySet.safeParse(jsonOf(path))
  if (read.success) return read.data
  const [fault] = read.error.issues
  const place = fault && fault.path.length > 0 ? `${fault.path.join('.')} ` : ''
  context.issues.push({ code: 'custom', input: path, message: `${path}: ${place}${fault?.message}` })
  return z.NEVER
})

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

const common = { 'database-url': text.optional(), json: z.boolean().optional() }
const settings = {
  name: text.optional(),
  issuer: url.optional(),
  audience: text.optional(),
  'jwks-uri': url.optional(),
  jwks: jwks.optional(),
  algorithm: several(z.enum(['ES256', 'RS256', 'EdDSA'], 'is ES256, RS256 or EdDSA')),
  profile: z.enum(['rfc9068', 'generic'], 'is rfc9068 or generic').optional(),
  'default-version': z.enum(names, `is one of ${names.join(', ')}`).optional(),
  subscriptions: amount.optional(),
  'subscriptions-per-host': amount.optional(),
  'prior-price-days': days.optional(),
  'time-zone': timeZone.optional(),
}

/** Whether a text names a zone as browsers know it; an offset such as +01:00 is none, since its clocks never change. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

/** The options of each part. */
export const schemas = {
  create: z.object({
    ...common,
    ...settings,
    'image-host': imageHosts.optional(),
    host: z.array(host, 'is required').min(1),
    locale: z.array(locale, 'is required').min(1).max(10, 'is given at most ten times'),
  }),
  list: z.object(common),
  show: z.object(common),
  update: z.object({
    ...common,
    ...settings,
    'add-host': several(host),
    'remove-host': several(host),
    'primary-host': host.optional(),
    'add-image-host': imageHosts.optional(),
    'remove-image-host': several(host),
    'add-locale': several(locale),
    'remove-locale': several(locale),
    wait: z.boolean().optional(),
    yes: z.boolean().optional(),
  }),
  suspend: z.object(common),
  resume: z.object(common),
  remove: z.object({
    ...common,
    exported: text.optional(),
    'without-export': z.boolean().optional(),
    yes: z.boolean().optional(),
  }),
} satisfies Record<Action, z.ZodObject>

const repeated = new Set([
  'host',
  'locale',
  'algorithm',
  'image-host',
  'add-host',
  'remove-host',
  'add-image-host',
  'remove-image-host',
  'add-locale',
  'remove-locale',
])
const flags = new Set(['json', 'wait', 'yes', 'without-export', 'help'])

/** Reads what follows the name of a part; null where its help is asked for. @throws UsageError */
export function readArguments<Schema extends z.ZodObject>(
  action: Action,
  schema: Schema,
  args: readonly string[],
): { readonly tenant: string; readonly values: z.output<Schema> } | null {
  const known = ['help', ...Object.keys(schema.shape)]
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    known.map((name) => [
      name,
      { type: flags.has(name) ? 'boolean' : 'string', ...(repeated.has(name) && { multiple: true }) },
    ]),
  )
  const { values, positionals } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
  })
  if (values.help) return null
  const unknown = Object.keys(values).filter((name) => !known.includes(name))
  const read = schema.safeParse(values)
  const faults = [
    ...unknown.map((name) => `--${name} is no option of ${action}.`),
    ...positionalFaults(action, positionals),
    ...(read.success ? [] : read.error.issues.map(({ path, message }) => `--${String(path[0])} ${message}.`)),
    ...combinations(action, values),
  ]
  if (faults.length > 0 || !read.success) throw new UsageError([...new Set(faults)])
  return { tenant: positionals[0] ?? '', values: read.data }
}

function positionalFaults(action: Action, positionals: readonly string[]): string[] {
  const takesTenant = action !== 'create' && action !== 'list'
  const [first, ...others] = takesTenant ? positionals : ['', ...positionals]
  return [
    ...(first === undefined ? [`Name the tenant: npm run tenant -- ${action} acme.`] : []),
    ...others.map((each) => `"${each}" is one too many.`),
  ]
}

type Given = Readonly<Record<string, unknown>>

function issuerFaults(given: Given): string[] {
  const hasKeys = 'jwks' in given || 'jwks-uri' in given
  const hasDatabase = 'database-url' in given
  // On the database that `npm start` runs, a tenant without an issuer takes the tokens that `npm run token` makes.
  if (!hasKeys && !('issuer' in given) && !hasDatabase && isDevelopment(undefined)) return []
  return [
    ...('issuer' in given ? [] : ['--issuer is required.']),
    ...(hasKeys ? [] : ['--jwks-uri, or --jwks, is required.']),
  ]
}

/** What options mean together. */
function combinations(action: Action, given: Given): string[] {
  const both = (one: string, other: string) => one in given && other in given
  const twice = (name: string) => {
    const list = given[name]
    return Array.isArray(list) && new Set(list).size < list.length
  }
  const changes = Object.keys(given).filter((name) => !['database-url', 'json', 'wait', 'yes'].includes(name))
  return [
    ...(both('jwks', 'jwks-uri') ? ['Give --jwks or --jwks-uri, not both.'] : []),
    ...(action === 'create' ? issuerFaults(given) : []),
    ...(action === 'update' && changes.length === 0 ? ['Name what is to change.'] : []),
    ...(action === 'remove' && 'exported' in given === 'without-export' in given
      ? ['Give --exported FILE, or --without-export. The tenant must be suspended.']
      : []),
    ...[...repeated].filter(twice).map((name) => `--${name} names one twice.`),
  ]
}
