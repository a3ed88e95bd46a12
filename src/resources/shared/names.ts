import type { Violation } from '../../core/problem.ts'

/** A name that another resource of the same kind uses. */
export type Taken = { readonly kind: 'handle' | 'externalId'; readonly value: string }

type NameProblems = {
  readonly handle_taken: { at(path: string, values: { handle: string }): Violation }
  readonly external_id_taken: { at(path: string, values: { externalId: string }): Violation }
}

type Named = { readonly handle?: string | null; readonly externalId?: string | null }

/** Violations for a handle and an external id that other resources use. */
export function nameConflicts(
  { handle, externalId }: Named,
  taken: readonly Taken[],
  problems: NameProblems,
): Violation[] {
  const has = (kind: Taken['kind'], value: string | null | undefined): value is string =>
    taken.some((name) => name.kind === kind && name.value === value)
  return [
    ...(has('handle', handle) ? [problems.handle_taken.at('handle', { handle })] : []),
    ...(has('externalId', externalId) ? [problems.external_id_taken.at('externalId', { externalId })] : []),
  ]
}
