/**
 * Signing in at the tenant's issuer: the authorization code flow of OpenID Connect with PKCE (RFC 7636), and refresh tokens that
 * the issuer replaces at each use. The tokens are stored as long as the tab is open, and no frame is used.
 */
import * as oauth from 'oauth4webapi'
import { claimsIn, currentRefreshToken, forgetRefreshToken, keepToken } from './session.ts'
import { catalogue } from './settings.ts'

const pendingName = 'catalogue.signing-in'

/** The data that the page stores while the person is at the issuer. */
type Pending = {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  /** Where the page was. */
  readonly hash: string
  /** The window that waits for the token; null if this one does. */
  readonly opener: string | null
}

/** An access token, and the refresh token that renews it. */
export type Tokens = { readonly token: string; readonly refresh: string | null }

const redirectUri = `${location.origin}/admin`
const openerParameter = 'sign_in'
const channelOf = (opener: string) => new BroadcastChannel(`catalogue.sign-in ${opener}`)

function settings() {
  const { signIn } = catalogue()
  if (signIn === null) throw new Error('the tenant has no client for signing in')
  const issuer = new URL(signIn.issuer)
  // A developer's machine has issuers without TLS.
  const isLocal = /(?:^|\.)localhost$/.test(issuer.hostname)
  return {
    ...signIn,
    issuer,
    oauthClient: { client_id: signIn.client } satisfies oauth.Client,
    options: { [oauth.allowInsecureRequests]: isLocal },
  }
}

async function server(): Promise<oauth.AuthorizationServer> {
  const { issuer, options } = settings()
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
}

/** Whether this window was opened to sign in for another one, which names itself in the address. */
export const openerInAddress = (): string | null => new URLSearchParams(location.search).get(openerParameter)

/** Leaves the page for the issuer. */
export async function leaveForIssuer(opener: string | null = null): Promise<never> {
  const { audience, scopes, client } = settings()
  const { authorization_endpoint } = await server()
  const verifier = oauth.generateRandomCodeVerifier()
  const pending: Pending = {
    verifier,
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    hash: location.hash,
    opener,
  }
  sessionStorage.setItem(pendingName, JSON.stringify(pending))
  const address = new URL(authorization_endpoint ?? '')
  const parameters = {
    client_id: client,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: ['openid', 'offline_access', ...scopes].join(' '),
    // Without it, OpenID Connect ignores `offline_access`.
    prompt: 'consent',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: pending.state,
    nonce: pending.nonce,
    // RFC 8707, and the name of the same parameter at Auth0.
    ...ofAudience(),
    audience,
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  location.assign(address)
  return new Promise(() => {})
}

/** Whether the issuer has sent the person back to this page. */
export const isBack = (): boolean =>
  new URLSearchParams(location.search).has('state') && sessionStorage.getItem(pendingName) !== null

/**
 * Takes the tokens for the code in the address, and gives the page its earlier address. A window that was opened for another one gives
 * the tokens to that one, and closes.
 *
 * @throws Error if the issuer refuses
 */
export async function tokensOfCode(): Promise<Tokens> {
  const pending: Pending = JSON.parse(sessionStorage.getItem(pendingName) ?? '')
  const address = new URL(location.href)
  sessionStorage.removeItem(pendingName)
  history.replaceState(null, '', `/admin${pending.hash}`)
  const { oauthClient, options } = settings()
  const as = await server()
  const parameters = oauth.validateAuthResponse(as, oauthClient, address, pending.state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    oauthClient,
    oauth.None(),
    parameters,
    redirectUri,
    pending.verifier,
    { ...options, additionalParameters: ofAudience() },
  )
  const result = await oauth.processAuthorizationCodeResponse(as, oauthClient, response, {
    expectedNonce: pending.nonce,
  })
  const tokens = tokensOf(result)
  if (pending.opener === null) return tokens
  channelOf(pending.opener).postMessage(tokens)
  close()
  return new Promise(() => {})
}

/** Signs in again in another window, so that this page keeps its edits. */
export async function tokensOfOtherWindow(): Promise<Tokens> {
  const opener = oauth.generateRandomState()
  const channel = channelOf(opener)
  const message = new Promise<Tokens>((resolve) => {
    channel.onmessage = ({ data }) => resolve(data)
  })
  open(`/admin?${openerParameter}=${opener}`, '_blank', 'popup,width=520,height=720')
  const tokens = await message
  channel.close()
  return tokens
}

let refreshing: Promise<boolean> | null = null

/** Replaces the access token by the refresh token of this tab; false if the issuer issues none. Requests that wait share one. */
export function refreshToken(): Promise<boolean> {
  refreshing ??= refresh().finally(() => {
    refreshing = null
  })
  return refreshing
}

async function refresh(): Promise<boolean> {
  const stored = currentRefreshToken()
  if (stored === null) return false
  const { oauthClient, options } = settings()
  try {
    const as = await server()
    const response = await oauth.refreshTokenGrantRequest(as, oauthClient, oauth.None(), stored, {
      ...options,
      additionalParameters: ofAudience(),
    })
    const { token, refresh } = tokensOf(await oauth.processRefreshTokenResponse(as, oauthClient, response))
    keepToken(token, refresh ?? stored)
    return true
  } catch (error) {
    // The issuer rejects this token permanently. After a failure of the network, it can be tried again.
    if (error instanceof oauth.ResponseBodyError) forgetRefreshToken()
    return false
  }
}

function ofAudience(): Record<string, string> {
  const { audience } = settings()
  return URL.canParse(audience) ? { resource: audience } : {}
}

function tokensOf({ access_token, refresh_token }: oauth.TokenEndpointResponse): Tokens {
  if (claimsIn(access_token) === null) throw new Error(`The issuer issued no JWT for ${settings().audience}.`)
  return { token: access_token, refresh: refresh_token ?? null }
}
