/** Storefront hosts: browsers read published products there with a publishable key. */
import type { Actor, Tenant } from '../core/context.ts'
import { instantOf } from '../core/instant.ts'
import { type Answer, isPublic, type Operation } from '../core/operation.ts'
import { authProblems } from '../core/problems/auth.ts'
import { sha256 } from './headers.ts'

type Storefront = NonNullable<Tenant['storefront']>

/** A publishable key in the header `Authorization`: `pk_` and 192 random bits in base64url. */
const publishableKey = /^bearer +(pk_[A-Za-z0-9_-]{32})$/i

/** Paths that a storefront host does not have: pages of staff, and documents about access tokens. */
export const staffPaths = /^\/(?:admin|mcp|\.well-known)(?:\/|$)/

/** The scopes of a publishable key. Reading markets needs no scope there, because theirs also reads sale offers. */
const scopes = new Set(['products:read', 'categories:read', 'collections:read', 'metaobjects:read'])

/** The actor of a publishable key. @throws Problem 401 `auth.publishable_key_required`, the same for every other credential */
export async function keyActor(headers: Headers, { keys }: Storefront): Promise<Actor> {
  const [, key] = publishableKey.exec(headers.get('authorization') ?? '') ?? []
  // A key has 192 random bits, so its hash needs no salt.
  const digest = key === undefined ? '' : await sha256(new TextEncoder().encode(key))
  if (!keys.includes(digest)) throw authProblems.publishable_key_required({}, { headers: challenge })
  const client = `publishable-key-${digest.slice(0, 8)}`
  return { subject: client, client, scopes, permissions: new Set(), person: false, isPublic: true }
}

/** Rejects a publishable key at a host that is no storefront. @throws Problem 401 `auth.publishable_key_misplaced` */
export function rejectKey(headers: Headers): void {
  if (/^bearer +pk_/i.test(headers.get('authorization') ?? ''))
    throw authProblems.publishable_key_misplaced({}, { headers: challenge })
}

const challenge = { 'WWW-Authenticate': 'Bearer realm="storefront"' }

/** Whether a method only reads. */
export function isReading(method: string): boolean {
  return /^(?:GET|HEAD|OPTIONS)$/.test(method)
}

/** @throws Problem 403 `auth.not_public` for an operation that publishable keys may not use */
export function requirePublic(operation: Pick<Operation, 'method' | 'path'>): void {
  const { method, path } = operation
  if (!isPublic(operation)) throw authProblems.not_public({}, { help: `The operation is ${method} ${path}.` })
}

/** `Cache-Control` of a response at a storefront host: shared caches may store it until a price in it can change. */
export function sharedFreshness({ maxAge }: Storefront, until: string | null | undefined, now: Date): string {
  const remaining = until ? Math.floor((Date.parse(until) - Date.parse(instantOf(now))) / 1000) : maxAge
  return `public, max-age=${Math.max(0, Math.min(maxAge, remaining))}`
}

/** An answer without the sequence, which counts unpublished changes, and without the moment of the next change of a price. */
export function publicAnswer(answer: Answer): Answer {
  if (answer.kind === 'empty') return answer
  const { sequence: _, pricing, ...rest } = answer
  return pricing ? { ...rest, pricing: { ...pricing, until: null } } : rest
}

/** Sets the headers of every response at a storefront host. Any origin gets the same response, so caches do not separate origins. */
export function setStorefrontHeaders(headers: Headers): void {
  headers.set('Vary', 'Accept, Authorization, Service-Locale, Service-Api-Version, Prefer')
}
