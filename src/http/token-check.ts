import { errors } from 'jose'
import { KnownError } from '../core/cause.ts'

/** What a token is checked for. The caller is told of all of them the same; the log names the one that it did not pass. */
export type TokenCheck =
  | 'form'
  | 'header'
  | 'payload'
  | 'algorithm'
  | 'key_unknown'
  | 'key_unfit'
  | 'signature'
  | 'type'
  | 'claim_missing'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not_yet_valid'
  | 'lifetime'
  | 'times'
  | 'subject'
  | 'token_id'
  | 'revoked'
  | 'client'
  | 'scope'
  | 'permissions'

/** A token that did not pass a check. */
export class TokenRefused extends KnownError {
  constructor(check: TokenCheck) {
    super('TokenRefused', check)
  }
}

/** The check of which the verification of a token tells, by what it threw. */
export function checkOf(error: unknown): TokenCheck {
  if (error instanceof errors.JWTExpired) return error.claim === 'exp' ? 'expired' : 'lifetime'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return 'claim_missing'
    return claimChecks[error.claim] ?? 'times'
  }
  return error instanceof errors.JWTInvalid ? 'payload' : 'signature'
}

const claimChecks: Readonly<Record<string, TokenCheck>> = {
  typ: 'type',
  iss: 'issuer',
  aud: 'audience',
  nbf: 'not_yet_valid',
  iat: 'not_yet_valid',
}
