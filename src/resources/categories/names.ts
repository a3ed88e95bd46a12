import { sql } from 'drizzle-orm'
import type { Violation } from '../../core/problem.ts'
import { type Statement, statement } from '../../db/client.ts'
import { texts } from '../../db/rows.ts'
import { categoryProblems } from './problems.ts'

/** A name that another category has. */
export type Taken = { readonly kind: 'handle' | 'externalId'; readonly value: string }
type Names = { readonly handle?: string | null; readonly externalId?: string | null }

/** Finds out which names others than the category itself have. */
export function takenStatement(
  handles: readonly string[],
  externalIds: readonly string[],
  except: string | null = null,
): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from categories
     where tenant_id = current_tenant() and handle = any(${texts(handles)}) and id is distinct from ${except}::uuid
    union all
    select 'externalId', external_id from categories
     where tenant_id = current_tenant() and external_id = any(${texts(externalIds)}) and id is distinct from ${except}::uuid`)
}

/** The names that are not free, by their kind. */
export type TakenNames = { readonly handles: Set<string>; readonly externalIds: Set<string> }

/** The names that were found. */
export function takenNames(taken: readonly Taken[]): TakenNames {
  const of = (kind: Taken['kind']) =>
    new Set(taken.flatMap((each) => (each.kind === kind ? [each.value] : [])))
  return { handles: of('handle'), externalIds: of('externalId') }
}

export function textsIn(values: readonly (string | null | undefined)[]): string[] {
  return values.filter((each) => typeof each === 'string')
}

/** Claims a handle and an external id, which must be free, so that they are taken; within a request the later of two namesakes is refused. */
export function claim(
  { handle, externalId }: Names,
  taken: TakenNames,
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
