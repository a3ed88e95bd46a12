import type { Change } from '../../../core/change.ts'

/** What a change says of itself, and what of it is data and no rename: moves, values, and what was meant by nothing. */
export function toldChange({ description, moves = {}, values = {}, defaults = {} }: Change): string {
  return [
    description,
    ...Object.entries(moves).map(([after, before]) => `\`${after}\` was \`${before}\`.`),
    ...Object.entries(values).flatMap(([path, names]) =>
      Object.entries(names).map(([after, before]) => `The \`${path}\` \`${after}\` was \`${before}\`.`),
    ),
    ...Object.entries(defaults).map(
      ([name, value]) => `Without \`${name}\` a create meant \`${JSON.stringify(value)}\` before.`,
    ),
  ].join(' ')
}
