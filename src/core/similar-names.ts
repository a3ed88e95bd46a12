import { distance } from 'fastest-levenshtein'

/** No name of ours is half as long, so none is near. */
const longestMistyped = 64

/** ` (→ title)` for the known name nearest to a mistyped one, or nothing when none is near. */
export function hint(name: string, knownNames: readonly string[]): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (last.length > longestMistyped) return ''
  const [best] = knownNames
    .map((name) => ({ name, away: distance(last.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  return best && best.away <= (last.length < 4 ? 1 : Math.max(2, Math.floor(last.length / 3)))
    ? ` (→ ${best.name})`
    : ''
}

/** The known name that is one edit, or a swap of two neighbouring letters, away from a name of at least `minLength` letters. */
export function nearMiss(name: string, knownNames: readonly string[], minLength = 3): string | undefined {
  if (name.length < minLength || name.length > longestMistyped) return undefined
  // A request can contain thousands of names, and the distance is the costly part.
  const isSimilarlyLong = (known: string) => Math.abs(known.length - name.length) <= 1
  return knownNames.find(
    (known) => isSimilarlyLong(known) && (distance(name, known) === 1 || isSwapped(name, known)),
  )
}

function isSwapped(name: string, known: string): boolean {
  const first = [...name].findIndex((letter, index) => letter !== known[index])
  const swapped = `${name.slice(0, first)}${name.charAt(first + 1)}${name.charAt(first)}${name.slice(first + 2)}`
  return first >= 0 && swapped === known
}
