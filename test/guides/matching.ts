/** Compares results with the texts of guide pages, in which `…` represents anything. */

type Json = ReturnType<typeof JSON.parse>

const pattern = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    's',
  )

/** Each difference from a document of which only some members are printed. */
export function differences(actual: Json, expected: Json, path = ''): string[] {
  if (typeof expected === 'string' && expected.includes('…')) {
    const isAny = expected === '…' && actual !== undefined
    return isAny || (typeof actual === 'string' && pattern(expected).test(actual))
      ? []
      : [difference(actual, expected, path)]
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const isOpen = expected.at(-1) === '…'
    const items = isOpen ? expected.slice(0, -1) : expected
    const fits = isOpen ? actual.length >= items.length : actual.length === items.length
    if (!fits) return [difference(`${actual.length} items`, `${items.length} items`, path)]
    return items.flatMap((item, index) => differences(actual[index], item, `${path}/${index}`))
  }
  const isObject = (value: Json) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject(expected) && isObject(actual))
    return Object.keys(expected).flatMap((key) => differences(actual[key], expected[key], `${path}/${key}`))
  return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [difference(actual, expected, path)]
}

function difference(actual: Json, expected: Json, path: string): string {
  const shown = (value: Json) => (JSON.stringify(value) ?? 'nothing').slice(0, 500)
  return `${path || 'the document'}: expected ${shown(expected)}, was ${shown(actual)}`
}

/** The first line that does not occur in an output, in the order of the lines; null if all do. */
export function missingLine(output: string, expected: string): string | null {
  const lines = output.split('\n').map((line) => line.trim())
  let place = 0
  for (const line of expected.trim().split('\n')) {
    const found = lines.findIndex((each, index) => index >= place && pattern(line.trim()).test(each))
    if (found < 0) return line
    place = found + 1
  }
  return null
}
