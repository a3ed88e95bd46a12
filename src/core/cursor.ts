import * as z from 'zod'
import { parseInstant } from './instant.ts'
import { isId } from './iri.ts'
import { formats, validationProblems } from './problems/validation.ts'
import { throwViolations } from './violations.ts'

/** The Postgres types of order columns. */
export type KeyType = 'timestamptz' | 'text' | 'int' | 'bigint' | 'uuid'

/** The direction of an order. Its cursors can contain it. */
export type Direction = 'asc' | 'desc'

/** The position of a page: after or before a row's keys, or at the very end if the keys are null. */
export type Cursor = { readonly to: 'next' | 'previous'; readonly keys: readonly string[] | null }

const keyFormats: Readonly<Record<KeyType | Direction, (key: string) => boolean>> = {
  timestamptz: (key) => key.length === 27 && parseInstant(key) === key,
  int: (key) => /^-?\d{1,10}$/.test(key) && Math.abs(Number(key)) <= 2_147_483_647,
  bigint: (key) => /^-?\d{1,19}$/.test(key) && BigInt.asIntN(64, BigInt(key)) === BigInt(key),
  uuid: isId,
  text: (key) => !key.includes('\0') && key.isWellFormed(),
  asc: (key) => key === 'asc',
  desc: (key) => key === 'desc',
}

/**
 * Requires that a cursor's keys are values of these types. Cursors are opaque but not signed: a forged one must not pass
 * values of the wrong type to Postgres. @throws Problem 422
 */
export function requireKeys(
  { keys }: Cursor,
  types: readonly (KeyType | Direction)[],
  parameter = 'cursor',
): void {
  if (keys === null) return
  if (keys.length !== types.length || !types.every((type, index) => keyFormats[type](keys[index] ?? '')))
    throwViolations([validationProblems.pattern.at(parameter, { format: formats.cursor })])
}

const cursorShape = z.tuple([z.enum(['next', 'previous']), z.array(z.string().max(600)).max(6).nullable()])

/** @throws Problem 422 for an invalid cursor */
export function parseCursor(text: string, parameter = 'cursor'): Cursor {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    const [to, keys] = cursorShape.parse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)),
    )
    return { to, keys }
  } catch {
    throwViolations([validationProblems.pattern.at(parameter, { format: formats.cursor })])
  }
}

/** A cursor in its form for links. */
export function formatCursor({ to, keys }: Cursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([to, keys]))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
