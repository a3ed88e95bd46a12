import type { Context } from 'hono'
import { epochOf, type Tenant } from '../core/context.ts'
import { byteLimits } from '../core/limits.ts'
import { httpProblems } from '../core/problems/http.ts'
import { type Bindings, settingsOf } from '../env.ts'
import { allScopes } from '../resources/index.ts'
import { pictureTypes } from '../resources/pictures/schema.ts'
import { apiVersions, currentVersion, isRetired, versions } from '../versions/index.ts'
import type { PublicPage } from './pages.ts'
import type { AppEnv } from './request.ts'
import { hashOf, isNotModified } from './response.ts'

/** The web pages: files of `npm run build` on the platform, and the tenant's data that they read without a token. */

/** The landing page, the guides, and `/docs` and `/admin`, each a page and its files. */
export const staticPages: readonly PublicPage[] = [
  { path: '/', answer: (c) => (acceptsHtml(c) ? serveFile(c, '/docs/welcome.html') : c.redirect('/api')) },
  { path: '/llms.txt', answer: (c) => serveFile(c, '/guides/llms.txt') },
  { path: '/docs/guides', answer: (c) => serveFile(c, '/guides/index.html') },
  {
    path: '/docs/guides/{file}',
    answer(c) {
      const name = c.req.param('file') ?? ''
      return serveFile(c, `/guides/${name}${name.includes('.') ? '' : '.html'}`)
    },
  },
  ...['/docs', '/admin'].flatMap((path): PublicPage[] => [
    { path, answer: (c) => serveFile(c, `${path}/index.html`) },
    { path: `${path}/`, answer: (c) => serveFile(c, `${path}/index.html`) },
    { path: `${path}/catalogue.json`, answer: (c) => aboutCatalogue(c.var, c.env) },
    { path: `${path}/{file}`, answer: (c) => serveFile(c, `${path}/${c.req.param('file')}`) },
  ]),
]

/** Whether the caller is a browser that opens a page. */
function acceptsHtml(c: Context<AppEnv>): boolean {
  return c.req.header('accept')?.includes('text/html') ?? false
}

const filePath = /^\/\w+\/[\w-]+(?:\.\w+)+$/

/** Names carry a hash of their content where vite gave them one. */
const hashedName = /-[\w-]{8}\.(?:js|css)$/

async function serveFile(c: Context<AppEnv>, path: string): Promise<Response> {
  const { ASSETS } = settingsOf(c.env)
  const request = c.req.raw
  if (!ASSETS || !filePath.test(path)) throw httpProblems.not_found()
  const isPage = path.endsWith('.html')
  const knownTag = isPage ? null : request.headers.get('if-none-match')
  const file = new URL(path, c.var.url.origin).href
  const asset = await ASSETS.fetch(file, {
    headers: knownTag === null ? undefined : { 'If-None-Match': knownTag },
  })
  if (asset.status !== 200 && asset.status !== 304) throw httpProblems.not_found()
  const headers = new Headers(headersFor(path, c.var))
  for (const name of ['Content-Type', 'ETag']) {
    const value = asset.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  headers.set(
    'Cache-Control',
    hashedName.test(path) ? 'public, max-age=31536000, immutable' : 'public, no-cache',
  )
  if (!isPage) return new Response(asset.body, { status: asset.status, headers })
  // A browser keeps the policy of the page that it has when it is answered 304: another policy is another page.
  const html = await asset.text()
  const etag = `"${await hashOf(new TextEncoder().encode(html + headers.get('Content-Security-Policy')))}"`
  headers.set('ETag', etag)
  if (isNotModified(request.headers, etag)) return new Response(null, { status: 304, headers })
  return new Response(html, { headers })
}

/**
 * Pages load from their own host only, because the address of any other picture could contain a stolen token. Only /admin shows
 * pictures of the catalogue. The libraries that draw the pages write styles into them.
 */
function headersFor(path: string, { tenant, url }: AppEnv['Variables']): Record<string, string> {
  const isAdmin = path.startsWith('/admin/')
  const sources = isAdmin ? imageSources(tenant, url) : []
  const issuer = isAdmin && tenant.adminClient !== undefined ? [new URL(tenant.issuer).origin] : []
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      ["img-src 'self' data:", ...sources].join(' '),
      "font-src 'self' data:",
      ["connect-src 'self'", ...issuer].join(' '),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  }
}

/** The origins from which /admin loads pictures: the tenant's hosts, as this request reached one of them, and its image hosts. */
function imageSources({ hosts, imageHosts }: Pick<Tenant, 'hosts' | 'imageHosts'>, url: URL): string[] {
  const port = url.port === '' ? '' : `:${url.port}`
  return [
    ...hosts.map((host) => `${url.protocol}//${host}${port}`),
    ...imageHosts.map((host) => `https://${host}`),
  ]
}

/** The data of a tenant that a page needs before it has a token. */
function aboutCatalogue({ tenant, now, url }: AppEnv['Variables'], env: Bindings): Response {
  const { name, host, locales, timeZone, defaultApiVersion, issuer, audience, adminClient } = tenant
  const liveVersions = versions.filter((version) => !isRetired(version, now))
  return Response.json(
    {
      name,
      host,
      locales,
      timeZone,
      imageSources: imageSources(tenant, url),
      defaultVersion: defaultApiVersion,
      currentVersion,
      ...(epochOf(tenant) !== 0 && { epoch: epochOf(tenant) }),
      // Null where pictures are given by their addresses alone.
      pictures: settingsOf(env).PICTURES ? { types: pictureTypes, most: byteLimits.picture } : null,
      signsInByLink: isDeveloperMachine(url, env),
      // Null where people paste a token.
      signIn: adminClient === undefined ? null : { issuer, audience, client: adminClient, scopes: allScopes },
      versions: liveVersions.map((version) => ({
        name: version.name,
        deprecated: apiVersions.get(version.name)?.deprecated ?? false,
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
