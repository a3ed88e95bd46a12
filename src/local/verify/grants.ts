import { decodeJwt } from 'jose'
import type { Actor } from '../../core/context.ts'
import { missingPermissions, type Scope } from '../../core/scopes.ts'
import { UsageError } from '../cli/command.ts'

/**
 * The scopes of these that a token lacks and, where it acts for a person, the identity permissions. Read from its claims, as
 * both token profiles write them; whether it is genuine is the service's to judge. @throws UsageError for what is no JWT
 */
export function lacking(token: string, scopes: readonly Scope[]): string[] {
  const actor = actorOf(token)
  return [...scopes.filter((each) => !actor.scopes.has(each)), ...missingPermissions(actor, scopes)]
}

function actorOf(token: string): Actor {
  const claims = claimsOf(token)
  const subject = String(claims.sub)
  const client = String(claims.client_id ?? claims.azp ?? claims.cid ?? claims.appid)
  return {
    subject,
    client,
    scopes: new Set(namesIn(claims.scope ?? claims.scp)),
    permissions: new Set(namesIn(claims.permissions)),
    person: subject !== client,
  }
}

function claimsOf(token: string) {
  try {
    return decodeJwt(token)
  } catch {
    throw new UsageError('The token is not a JWT. Give an access token of the tenant.')
  }
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(' ') : []
