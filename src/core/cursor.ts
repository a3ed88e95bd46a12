import * as z from 'zod'
import { parseInstant } from './instant.ts'
import { isId } from './iri.ts'
import { validationProblems } from './problems/index.ts'
import { refuse } from './violations.ts'

/** The Postgres types of what lists are ordered by. */
export type KeyType = 'timestamptz' | 'text' | 'int' | 'uuid'

/** Where a link goes on: beyond a row's keys, or from the very end. */
export type Cursor = { readonly to: 'next' | 'previous'; readonly keys: readonly string[] | null }

const forms: Readonly<Record<KeyType, (key: string) => boolean>> = {
  timestamptz: (key) => key.length === 27 && parseInstant(key) === key,
  int: (key) => /^-?\d{1,10}$/.test(key) && Math.abs(Number(key)) <= 2_147_483_647,
  uuid: isId,
  text: (key) => !key.includes('\0') && key.isWellFormed(),
}

/** Whether a cursor's keys are values of these types. */
export function fits(keys: readonly string[], types: readonly KeyType[]): boolean {
  return keys.length === types.length && types.every((type, index) => forms[type](keys[index] ?? ''))
}

const cursorShape = z.tuple([z.enum(['next', 'previous']), z.array(z.string().max(600)).max(6).nullable()])

/** @throws Problem 422 for what is no cursor of ours */
export function parseCursor(text: string): Cursor {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    const [to, keys] = cursorShape.parse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)),
    )
    return { to, keys }
  } catch {
    refuse([validationProblems.pattern.at('cursor', { format: 'cursor' })])
    throw new Error('unreachable')
  }
}

/** A cursor as a link carries it. */
export function formatCursor({ to, keys }: Cursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([to, keys]))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
