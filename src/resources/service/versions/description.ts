import type { BreakingChange } from '../../../core/breaking-change.ts'

/** What a breaking change says of itself, and what of it is data and no rename: moves, values, removals, and what was meant by nothing. */
export function descriptionOf({
  description,
  moves = {},
  values = {},
  defaults = {},
  removals = {},
}: BreakingChange): string {
  return [
    description,
    ...Object.entries(moves).map(([after, before]) => `\`${after}\` was \`${before}\`.`),
    ...Object.entries(values).flatMap(([path, names]) =>
      Object.entries(names).map(([after, before]) => `The \`${path}\` \`${after}\` was \`${before}\`.`),
    ),
    ...Object.keys(removals).map((name) => `There is no \`${name}\` any more.`),
    ...Object.entries(defaults).map(
      ([name, value]) => `Without \`${name}\` a create meant \`${JSON.stringify(value)}\` before.`,
    ),
  ].join(' ')
}
