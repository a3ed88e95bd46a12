import { randomUUID } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { inject } from 'vitest'
import type { Tenant } from '../../src/core/context.ts'
import type { Bindings } from '../../src/env.ts'
import { allScopes } from '../../src/resources/index.ts'
import { createApp } from './app.ts'
import { connected, databaseUrls } from './database.ts'
import { executionContext, rest } from './later.ts'
import { newBucket } from './pictures.ts'
import { headerOf, newSigner, type Signer, signed } from './token-issuer.ts'

export type Reply = {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON; undefined without a body. */
  readonly body: ReturnType<typeof JSON.parse>
  readonly text: string
}

export type Asked = {
  /** A string, bytes or a file go as they are, anything else as JSON. */
  readonly body?: unknown
  /** Null leaves out one that is sent by default. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Null sends none; the standard one is an application's with every scope. */
  readonly token?: string | null
  readonly version?: string
  readonly locale?: string
  /** The status to be answered: any other throws an Error that shows the answer. Any 5xx that is not named throws. */
  readonly status?: number
}

type TokenAsked = {
  /** Scopes separated by spaces. */
  readonly scope?: string
  readonly permissions?: readonly string[]
  /** Whom it acts for; the client itself in an application's token. */
  readonly sub?: string
  readonly client?: string
  readonly claims?: Readonly<Record<string, unknown>>
}

type Method = (path: string, asked?: Asked) => Promise<Reply>

/** A tenant of its own on a host of its own, and the service in front of it, in this process. */
export type Shop = {
  readonly host: string
  readonly tenant: Tenant
  readonly get: Method
  readonly post: Method
  readonly put: Method
  readonly patch: Method
  readonly delete: Method
  /** Creates a resource by `POST`, which has to return 201. Returns the body of the response. */
  readonly create: (path: string, body: unknown, asked?: Asked) => Promise<Reply['body']>
  /** Reads by `GET`, which has to return 200. Returns the body of the response. */
  readonly read: (path: string, asked?: Asked) => Promise<Reply['body']>
  /** Changes a resource by `PATCH`, which has to return 200. Returns the body of the response. */
  readonly update: (path: string, body: unknown, asked?: Asked) => Promise<Reply['body']>
  readonly request: (method: string, path: string, asked?: Asked) => Promise<Reply>
  /** Calls with nothing added and gives the bare Response. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly token: (asked?: TokenAsked) => Promise<string>
  /** Waits until the background work of responses has ended. */
  readonly rest: () => Promise<void>
  /** Serves later requests from an isolate that has cached nothing. */
  readonly restart: () => void
  /** The variables of the service. */
  readonly bindings: Bindings
}

export type ShopOptions = Partial<Tenant> & {
  /** The service in front of it; by default today's, in this process. */
  readonly app?: {
    fetch(request: Request, env: Bindings, context: ExecutionContext): Response | Promise<Response>
  }
  /** Bindings in addition to the standard ones. */
  readonly bindings?: Bindings
}

/** Opens a shop: inserts a tenant for one test; nothing has to be closed. */
export async function openShop({ app, bindings: own, ...differently }: ShopOptions = {}): Promise<Shop> {
  const signer = await sharedSigner()
  const host = differently.host ?? `t-${randomUUID().slice(0, 13)}.test`
  const tenant: Tenant = {
    id: uuidv7(),
    host,
    hosts: [host],
    name: 'Shop',
    isSuspended: false,
    locales: ['en-US', 'fr-FR'],
    arriving: [],
    leaving: [],
    defaultApiVersion: '2026-10',
    issuer: `https://login.${host}/`,
    audience: `https://${host}/api`,
    jwks: { keys: [signer.jwk] },
    jwksUri: null,
    algorithms: ['ES256'],
    tokenProfile: 'rfc9068',
    tokensValidAfter: null,
    revokedTokens: [],
    limits: { webhookSubscriptions: 100, webhookSubscriptionsPerHost: 20 },
    priorPriceDays: 30,
    pricePolicies: {},
    referenceUnits: [],
    timeZone: 'UTC',
    imageHosts: [],
    epochs: [],
    ...differently,
  }
  await insert(tenant)
  const service = app ?? (standardApp ??= createApp())
  const token = (asked: TokenAsked = {}) => mint(signer, tenant, asked)
  const standardToken = await token()

  let env = own ? { ...bindings(), ...own } : bindings()
  const fetch = async (request: Request) => service.fetch(request, env, executionContext)
  const request = async (method: string, path: string, asked: Asked = {}): Promise<Reply> => {
    const headers = headersOf(method, asked, asked.token === undefined ? standardToken : asked.token)
    const scheme = env.ENVIRONMENT === 'production' ? 'https' : 'http'
    const response = await fetch(
      new Request(`${scheme}://${host}${path}`, { method, headers, ...bodyOf(asked) }),
    )
    const text = await response.text()
    const json = /[+/]json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const reply = {
      status: response.status,
      headers: response.headers,
      body: json ? JSON.parse(text) : undefined,
      text,
    }
    const wrong = asked.status === undefined ? reply.status >= 500 : reply.status !== asked.status
    if (wrong) throw new Error(explained(method, path, asked.status, reply))
    return reply
  }
  const method =
    (name: string): Method =>
    (path, asked) =>
      request(name, path, asked)
  return {
    host,
    tenant,
    request,
    fetch,
    token,
    rest,
    restart() {
      env = { ...env }
    },
    bindings: env,
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
    create: async (path, body, asked) => (await request('POST', path, { ...asked, body, status: 201 })).body,
    update: async (path, body, asked) => (await request('PATCH', path, { ...asked, body, status: 200 })).body,
    read: async (path, asked) => (await request('GET', path, { ...asked, status: 200 })).body,
  }
}

let standardApp: ReturnType<typeof createApp> | undefined
let signerMade: Promise<Signer> | undefined
let bindingsMade: Bindings | undefined

function sharedSigner(): Promise<Signer> {
  signerMade ??= newSigner('ES256', 'shop-key')
  return signerMade
}

/** The same object for every request, as in an isolate. */
function bindings(): Bindings {
  bindingsMade ??= {
    DATABASE_URL: databaseUrls().appUrl,
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    CALLBACKS: 'loopback',
    PICTURES: newBucket(),
    // A busy machine is not a failure.
    SLOW_REQUEST: '60000',
  }
  return bindingsMade
}

async function insert(tenant: Tenant): Promise<void> {
  await connected(databaseUrls().ownerUrl, async (client) => {
    await client.query(
      `insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks, jwks_uri, algorithms,
                            token_profile, tokens_valid_after, prior_price_days, time_zone, image_hosts, admin_client)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        tenant.id,
        tenant.host,
        tenant.name,
        tenant.locales,
        tenant.defaultApiVersion,
        tenant.issuer,
        tenant.audience,
        tenant.jwks && JSON.stringify(tenant.jwks),
        tenant.jwksUri,
        tenant.algorithms,
        tenant.tokenProfile,
        tenant.tokensValidAfter,
        tenant.priorPriceDays,
        tenant.timeZone,
        tenant.imageHosts,
        tenant.adminClient,
      ],
    )
    await client.query('insert into tenant_clock (tenant_id) values ($1)', [tenant.id])
    await client.query(
      'insert into tenant_hosts (tenant_id, host) select $1, unnest($2::text[]) on conflict do nothing',
      [tenant.id, tenant.hosts],
    )
  })
}

function mint(signer: Signer, tenant: Tenant, asked: TokenAsked): Promise<string> {
  const { scope = allScopes.join(' '), permissions, client = 'shop-client', sub = client, claims } = asked
  const now = Math.floor(Date.now() / 1000)
  return signed(
    headerOf(signer),
    {
      iss: tenant.issuer,
      aud: tenant.audience,
      sub,
      client_id: client,
      iat: now - 10,
      exp: now + 3600,
      jti: randomUUID(),
      ...(scope !== '' && { scope }),
      ...(permissions && { permissions }),
      ...claims,
    },
    signer,
  )
}

function headersOf(method: string, asked: Asked, token: string | null): Headers {
  const patchType = Array.isArray(asked.body)
    ? 'application/vnd.catalogue.batch+json'
    : 'application/merge-patch+json'
  const type = method === 'PATCH' ? patchType : 'application/ld+json'
  const headers = new Headers({
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(asked.body !== undefined && { 'content-type': type }),
    ...(asked.body instanceof Blob && {
      'content-type': asked.body.type,
      'content-length': String(asked.body.size),
    }),
    ...(asked.version && { 'service-api-version': asked.version }),
    ...(asked.locale && { 'service-locale': asked.locale }),
  })
  for (const [name, value] of Object.entries(asked.headers ?? {})) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return headers
}

function bodyOf({ body }: Asked): { body?: string | Blob | Uint8Array<ArrayBuffer> } {
  if (body === undefined) return {}
  if (typeof body === 'string' || body instanceof Blob) return { body }
  return { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }
}

function explained(
  method: string,
  path: string,
  expected: number | undefined,
  { status, text }: Reply,
): string {
  const wanted = expected === undefined ? '' : ` instead of ${expected}`
  return `${method} ${path} answered ${status}${wanted}: ${text.slice(0, 4000)}`
}
