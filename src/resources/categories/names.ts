import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import type { Violation } from '../../core/problem.ts'
import { type Statement, statement } from '../../db/client.ts'
import { texts } from '../../db/rows.ts'
import { categoryProblems } from './problems.ts'

/** A name that another category has. */
export type Taken = { readonly kind: 'handle' | 'externalId'; readonly value: string }
export type Names = { readonly handle: Json | undefined; readonly externalId: Json | undefined }

/** Finds out which names others than the category itself have. */
export function takenStatement(
  handles: readonly string[],
  externalIds: readonly string[],
  except: string | null = null,
): Statement<Taken> {
  return statement(sql`
    select 'handle' as kind, handle as value from categories
     where tenant_id = current_tenant() and handle = any(${texts(handles)}) and id is distinct from ${except}::uuid
    union all
    select 'externalId', external_id from categories
     where tenant_id = current_tenant() and external_id = any(${texts(externalIds)}) and id is distinct from ${except}::uuid`)
}

/** The names of one kind among those found. */
export function takenNames(taken: readonly Taken[], kind: Taken['kind']): Set<string> {
  return new Set(taken.flatMap((each) => (each.kind === kind ? [each.value] : [])))
}

export function textsIn(values: readonly (Json | undefined)[]): string[] {
  return values.filter((each) => typeof each === 'string')
}

/** Claims a handle and an external id, which must be free; within a request the later of two namesakes is refused. */
export function claim(
  { handle, externalId }: Names,
  taken: { handles: Set<string>; externalIds: Set<string> },
  at: (property: string) => string,
): Violation[] {
  const found: Violation[] = []
  if (typeof handle === 'string') {
    if (taken.handles.has(handle)) found.push(categoryProblems.handle_taken.at(at('handle'), { handle }))
    taken.handles.add(handle)
  }
  if (typeof externalId === 'string') {
    if (taken.externalIds.has(externalId)) {
      found.push(categoryProblems.external_id_taken.at(at('externalId'), { externalId }))
    }
    taken.externalIds.add(externalId)
  }
  return found
}
