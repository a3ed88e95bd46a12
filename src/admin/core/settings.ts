/** The settings of the tenant, and the choices of the user. */
import { type Language, messages, setLanguage } from './language.ts'

export type Catalogue = {
  readonly name: string
  /** The tenant's own, which need not be the one in the address: a developer's machine has other names for it. */
  readonly host: string
  readonly locales: readonly [string, ...string[]]
  /** The IANA name of the tenant's time zone. */
  readonly timeZone: string
  /** Other origins than this one from which the page may load pictures. */
  readonly imageSources: readonly string[]
  readonly currentVersion: string
  /** The number that entity tags contain after the service was restored to an earlier time. */
  readonly epoch?: number
  /** The formats and size of uploads; null if pictures have URLs only. */
  readonly pictures: { readonly types: readonly string[]; readonly most: number } | null
  /** Whether a link may hold a token: on a developer's machine. */
  readonly signsInByLink: boolean
  /** How people sign in at the tenant's issuer; null if they paste a token. */
  readonly signIn: {
    readonly issuer: string
    readonly audience: string
    readonly client: string
    readonly scopes: readonly string[]
  } | null
  readonly versions: readonly { readonly name: string; readonly deprecated: boolean }[]
}

/** Whose prices are shown: those of a customer in a channel and a country, now. */
export type Shopper = { readonly channel: string; readonly country: string }

let known: Catalogue | null = null
let collections: ReadonlySet<unknown> = new Set()

export async function loadCatalogue(): Promise<void> {
  known = await readCatalogue()
  document.title = known.name
}

async function readCatalogue(): Promise<Catalogue> {
  const answer = await fetch('/admin/catalogue.json')
  if (!answer.ok) throw new Error(messages('core').noCatalogue(location.host))
  return (await answer.json()) as Catalogue
}

export async function loadCollections(): Promise<void> {
  const entrypoint = await fetch('/api')
  collections = new Set(Object.values((await entrypoint.json()) as Record<string, unknown>))
}

export function catalogue(): Catalogue {
  if (known === null) throw new Error('the catalogue was not loaded')
  return known
}

/** The `If-Match` of a version that a list contains: of an entity tag, only version and epoch are compared. */
export function tagOf(version: number): string {
  const { epoch } = catalogue()
  return epoch === undefined ? `"${version}."` : `"${version}-e${epoch}."`
}

/** Whether the service was restored to an earlier time since the page was opened. Then the versions that it shows are of no use. */
export async function isRestored(): Promise<boolean> {
  return (await readCatalogue()).epoch !== catalogue().epoch
}

/** The service's collections at its entrypoint: `products`. */
export function collectionNames(): string[] {
  return [...collections].flatMap((each) => /^\/api\/(\w+)$/.exec(String(each))?.[1] ?? [])
}

/** Whether the service has a collection of that name at its entrypoint. */
export function offers(resource: string): boolean {
  return collections.has(`/api/${resource}`)
}

export function currentLocale(): string {
  const chosen = localStorage.getItem('catalogue.locale')
  const { locales } = catalogue()
  return chosen !== null && locales.includes(chosen) ? chosen : locales[0]
}

/** The language of the interface, which screen readers learn as well. */
export async function chooseLanguage(language: Language): Promise<void> {
  await setLanguage(language)
  document.documentElement.lang = language
}

export function chooseLocale(locale: string): void {
  localStorage.setItem('catalogue.locale', locale)
}

export function currentShopper(): Shopper {
  const [channel, country] = (localStorage.getItem('catalogue.shopper') ?? '').split(' ')
  const region = catalogue()
    .locales.map((each) => each.slice(-2))
    .find((each) => each !== 'US')
  return { channel: channel || 'web', country: country || region || 'FR' }
}

export function chooseShopper({ channel, country }: Shopper): void {
  localStorage.setItem('catalogue.shopper', `${channel} ${country}`)
}
