/** Values of list types: JSON text of an array, edited as the texts that its entries would be alone. */

/** The entries of a list's text, each written as a single value of its type. Other texts have no entries. */
export function entriesOf(text: string, base: string): string[] {
  if (text.trim() === '') return []
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list)
      ? list.map((each) => (typeof each === 'string' && base !== 'json' ? each : JSON.stringify(each)))
      : []
  } catch {
    return []
  }
}

/** The text of a list; empty without entries. An entry that is not written yet stays as it is typed, and is refused by the service. */
export function listText(entries: readonly string[], base: string): string {
  if (entries.length === 0) return ''
  const isJson = base === 'json' || base === 'money'
  return JSON.stringify(entries.map((each) => (isJson ? parsed(each) : each)))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
