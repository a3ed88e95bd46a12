const patterns: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  money: /^\d+(\.\d+)?$/,
  iri: /^\/api\/[a-z_]+(-codes)?\/\S+$/,
}

/** Whether a value is of the kind that a table names: `null or string`, `array of iri`, `DRAFT|ACTIVE`, `integer`. */
function isKind(kind: string, value: unknown): boolean {
  if (kind.startsWith('array of ')) {
    return Array.isArray(value) && value.every((each) => isKind(kind.slice('array of '.length), each))
  }
  const [first = '', ...rest] = kind.split(' or ')
  if (rest.length > 0) return isKind(first, value) || isKind(rest.join(' or '), value)
  if (first === 'null') return value === null
  if (first === 'array') return Array.isArray(value)
  if (first === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (first === 'integer') return Number.isSafeInteger(value)
  if (first === 'boolean') return typeof value === 'boolean'
  if (typeof value !== 'string') return false
  if (first === 'string') return true
  const pattern = patterns[first]
  return pattern ? pattern.test(value) : first.split('|').includes(value)
}

/** The faults of a document by a table of kinds, one line for each property; empty without any. */
export function faultsOf(
  kinds: Readonly<Record<string, string>>,
  document: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(kinds).flatMap(([name, kind]) => {
    const optional = name.endsWith('?')
    const key = optional ? name.slice(0, -1) : name
    if (!Object.hasOwn(document, key)) return optional ? [] : [`${key} is missing`]
    return isKind(kind, document[key]) ? [] : [`${key} is ${JSON.stringify(document[key])}, not ${kind}`]
  })
}
