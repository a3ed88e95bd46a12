/** Splits JSON into lines, and compares two lists of lines. */

const width = 120

/** Formats JSON: an object or an array that is short stays on one line. Other text is split at its line breaks. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text.split('\n')
  }
  return formatJson(value, '').split('\n')
}

function formatJson(value: unknown, indent: string): string {
  const short = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + short.length <= width) return short
  const inner = `${indent} `
  const parts = Array.isArray(value)
    ? value.map((element) => formatJson(element, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${formatJson(member, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

/** A part of a difference: lines of the first list, and the lines of the second list that replace them. */
export type Hunk = {
  /** The index in the first list. */
  readonly at: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** The difference between two lists of lines (Myers, “An O(ND) Difference Algorithm”). */
export function differenceOf(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1
  let end = 0
  const longest = Math.min(before.length, after.length) - start
  while (end < longest && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return hunksOf(a, b, pathBetween(a, b)).map((hunk) => ({ ...hunk, at: hunk.at + start }))
}

/** The limit of the search. If more lines differ, all lines count as different. */
const mostEdits = 1500

/** The pairs of equal lines, as indexes of both lists, in order. */
function pathBetween(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const offset = a.length + b.length + 1
  const furthest = new Int32Array(2 * offset + 1)
  const steps: Int32Array[] = []
  for (let edits = 0; edits <= Math.min(a.length + b.length, mostEdits); edits += 1) {
    steps.push(furthest.slice(offset - edits - 1, offset + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down =
        diagonal === -edits ||
        (diagonal !== edits && furthest[offset + diagonal - 1]! < furthest[offset + diagonal + 1]!)
      let x = down ? furthest[offset + diagonal + 1]! : furthest[offset + diagonal - 1]! + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1
      furthest[offset + diagonal] = x
      if (x >= a.length && x - diagonal >= b.length) return backtrack(a.length, b.length, steps)
    }
  }
  return []
}

function backtrack(
  lengthA: number,
  lengthB: number,
  steps: readonly Int32Array[],
): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = []
  let [x, y] = [lengthA, lengthB]
  for (let edits = steps.length - 1; edits >= 0; edits -= 1) {
    const furthest = (diagonal: number) => steps[edits]?.[diagonal + edits + 1] ?? 0
    const diagonal = x - y
    const down =
      diagonal === -edits || (diagonal !== edits && furthest(diagonal - 1) < furthest(diagonal + 1))
    const previous = down ? diagonal + 1 : diagonal - 1
    const previousX = edits === 0 ? 0 : furthest(previous)
    const previousY = edits === 0 ? 0 : previousX - previous
    while (x > previousX && y > previousY && (edits === 0 || x > (down ? previousX : previousX + 1))) {
      x -= 1
      y -= 1
      pairs.push([x, y])
    }
    if (edits > 0) [x, y] = [previousX, previousY]
  }
  return pairs.reverse()
}

function hunksOf(
  a: readonly string[],
  b: readonly string[],
  pairs: readonly (readonly [number, number])[],
): Hunk[] {
  const hunks: Hunk[] = []
  let [x, y] = [0, 0]
  for (const [nextX, nextY] of [...pairs, [a.length, b.length] as const]) {
    if (nextX > x || nextY > y) hunks.push({ at: x, removed: a.slice(x, nextX), added: b.slice(y, nextY) })
    ;[x, y] = [nextX + 1, nextY + 1]
  }
  return hunks
}
