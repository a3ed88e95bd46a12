/** Pages for people: files built by `npm run build`, which the platform keeps, and what those ask about their tenant. */
import { budgets } from '../core/budgets.ts'
import type { Tenant } from '../core/context.ts'
import { httpProblems } from '../core/problems/index.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { pictureTypes } from '../resources/content/pictures/index.ts'
import { currentVersion, dialects, isRetired, versions } from '../versions/index.ts'
import { type Call, established } from './call.ts'
import type { PublicPage } from './pages.ts'

/** `/docs` and `/admin`, each a page and its files. */
export const peoplesPages: readonly PublicPage[] = ['/docs', '/admin'].flatMap((path) => [
  { path, answer: (call, _, asked) => built(`${path}/index.html`, call, asked) },
  { path: `${path}/`, answer: (call, _, asked) => built(`${path}/index.html`, call, asked) },
  {
    path: `${path}/catalogue.json`,
    answer: ({ tenant, now, url }, _, { env }) => aboutCatalogue(established(tenant), now, url, env),
  },
  { path: `${path}/{file}`, answer: (call, { file = '' }, asked) => built(`${path}/${file}`, call, asked) },
])

const plain = /^\/\w+\/[\w-]+(?:\.\w+)+$/

/** Names carry a hash of their content where vite gave them one. */
const lasting = /-[\w-]{8}\.(?:js|css)$/

async function built(path: string, { url }: Call, { request, env }: Asked): Promise<Response> {
  const { ASSETS } = settingsOf(env)
  if (!ASSETS || !plain.test(path)) throw httpProblems.not_found()
  const etag = request.headers.get('if-none-match')
  const headers = etag === null ? undefined : { 'If-None-Match': etag }
  const found = await ASSETS.fetch(new URL(path, url.origin).href, { headers })
  if (found.status !== 200 && found.status !== 304) throw httpProblems.not_found()
  const answer = new Response(found.body, { status: found.status, headers: pageHeaders })
  for (const name of ['Content-Type', 'ETag']) {
    const value = found.headers.get(name)
    if (value !== null) answer.headers.set(name, value)
  }
  const kept = lasting.test(path) ? 'public, max-age=31536000, immutable' : 'public, no-cache'
  answer.headers.set('Cache-Control', kept)
  return answer
}

type Asked = { readonly request: Request; readonly env: Bindings }

/**
 * Pages talk to their own host and to nobody else; pictures may come from wherever a catalogue keeps them. Styles are
 * written into the page by the libraries that draw it.
 */
const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https: http:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
}

/** What a page has to know before anybody has given it a token. */
function aboutCatalogue(
  { name, host, locales, timeZone, defaultApiVersion }: Tenant,
  now: Date,
  url: URL,
  env: Bindings,
): Response {
  const live = versions.filter((each) => !isRetired(each, now))
  return Response.json(
    {
      name,
      host,
      locales,
      timeZone,
      defaultVersion: defaultApiVersion,
      currentVersion,
      // Null where pictures are given by their addresses alone.
      pictures: settingsOf(env).PICTURES ? { types: pictureTypes, most: budgets.picture } : null,
      signsInByLink: isDeveloperMachine(url, env),
      versions: live.map((each) => ({
        name: each.name,
        deprecated: dialects.get(each.name)?.deprecated ?? false,
      })),
    },
    { headers: { 'Cache-Control': 'public, no-cache' } },
  )
}

/**
 * Whether pages may take a token from their address. A browser keeps each address in its history. A link of an attacker would sign
 * a person in with the attacker's token. So only a developer's machine allows it.
 */
function isDeveloperMachine({ hostname }: URL, env: Bindings): boolean {
  const isLoopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
  return isLoopback && settingsOf(env).ENVIRONMENT === 'local'
}
