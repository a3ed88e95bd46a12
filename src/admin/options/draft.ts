/** The draft of the options dialog: one edit with all options, because their names, values and order depend on each other. */
import type { Edit } from '../core/drafts.ts'
import { variantName } from '../fields/Title.tsx'
import { type Option, rebasedOptions } from './plan.ts'
import type { Stored } from './stored.ts'

/** The variants to archive, by the key of the removed option or value. */
export type Archived = ReadonlyMap<string, readonly string[]>

type Change = {
  readonly options: readonly Option[]
  readonly archived: readonly (readonly [string, readonly string[]])[]
}

/** Packs the options of the dialog into an edit. */
export function editOf(before: readonly Option[], options: readonly Option[], archived: Archived): Edit {
  return { path: 'options', before, after: { options, archived: [...archived] } satisfies Change }
}

/** Applies the edit of a draft to the options that are stored now, and describes it as people read it. */
export function changeIn({ before, after }: Edit, stored: Stored) {
  const { options, archived } = after as Change
  const earlier = before as readonly Option[]
  const change = {
    wanted: rebasedOptions(options, earlier, stored.options),
    archived: activeOf(new Map(archived), stored),
  }
  return { ...change, edits: textEdits(earlier, change.wanted, change.archived, stored) }
}

/** Leaves out variants that are archived already. */
export function activeOf(archived: Archived, { variants }: Stored): Archived {
  const active = new Set(variants.map((variant) => variant['@id']))
  return new Map([...archived].map(([key, iris]) => [key, iris.filter((iri) => active.has(iri))]))
}

/** One text for each option, for their order, and for the variants to archive. */
function textEdits(
  before: readonly Option[],
  wanted: readonly Option[],
  archived: Archived,
  { variants }: Stored,
): Edit[] {
  const iris = [...archived.values()].flat()
  const names = variants.filter((variant) => iris.includes(variant['@id'])).map(variantName)
  const keys = new Set([...before, ...wanted].map(({ key }) => key))
  return [
    ...[...keys].map((path) => ({ path, before: textOf(before, path), after: textOf(wanted, path) })),
    { path: 'order', before: orderOf(before, wanted), after: orderOf(wanted, before) },
    { path: 'archived', before: null, after: names.join(', ') },
  ]
}

/** An option with its values as people read it; null if there is no such option. */
export function textOf(options: readonly Option[], key: string): string | null {
  const option = options.find((each) => each.key === key)
  return option ? `${option.title} (${option.values.map(({ title }) => title).join(', ')})` : null
}

/** The order of the options that two lists share. */
export function orderOf(options: readonly Option[], others: readonly Option[]): string[] {
  const shared = new Set(others.map(({ key }) => key))
  return options.flatMap(({ key }) => (shared.has(key) ? [key] : []))
}
