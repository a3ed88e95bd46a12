/** Values between Postgres' text and JSON, both ways, as Neon's proxy has them. */
import type { Field } from './bridge-exchange.ts'

/** How a caller wants its rows. */
export type Output = {
  /** Every value as Postgres prints it; else numbers, truth values, arrays and JSON are JSON. */
  readonly isRaw: boolean
  /** Rows are arrays; else objects. */
  readonly isArray: boolean
}

/** A row as JSON text. */
export function rowText(
  values: readonly (string | null)[],
  fields: readonly Field[],
  { isRaw, isArray }: Output,
): string {
  if (isRaw && isArray) return JSON.stringify(values)
  const texts = values.map((value, place) =>
    isRaw || value === null ? JSON.stringify(value) : valueText(value, fields[place]!.dataTypeID),
  )
  if (isArray) return `[${texts.join(',')}]`
  return `{${texts.map((text, place) => `${JSON.stringify(fields[place]!.name)}:${text}`).join(',')}}`
}

/** A parameter as text for Postgres: the driver sends text and null, other JSON becomes its text. */
export function parameterText(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`
  return JSON.stringify(value)
}

function elementText(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`
  if (typeof value === 'string') return `"${value.replace(/[\\"]/g, '\\$&')}"`
  return typeof value === 'object' ? elementText(JSON.stringify(value)) : String(value)
}

/** Types of Postgres by their fixed numbers: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const bool = 16
const integers = new Set([21, 23])
const floats = new Set([700, 701])
const json = new Set([114, 3802])
/** By an array's type, that of its elements. Elements that JSON has no type for are texts, whatever they are. */
const elements = new Map([
  [1000, bool],
  [1005, 21],
  [1007, 23],
  [1021, 700],
  [1022, 701],
  [199, 114],
  [3807, 3802],
  ...[
    1001, 1002, 1003, 1009, 1014, 1015, 1016, 1028, 1041, 1115, 1182, 1183, 1185, 1187, 1231, 1270, 2951, 651,
  ].map((array): [number, number] => [array, 25]),
])

function valueText(value: string, type: number): string {
  if (type === bool) return String(value === 't')
  if (integers.has(type) || json.has(type)) return value
  if (floats.has(type)) {
    // NaN and the infinities have no number in JSON.
    const number = Number(value)
    return JSON.stringify(Number.isFinite(number) ? number : value)
  }
  const element = elements.get(type)
  return element === undefined ? JSON.stringify(value) : arrayText(value, element)
}

/** The elements in the text of an array, between braces, commas and quotes. */
const token = /[{},]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gy

/** An array in JSON; the bounds in front of one that does not begin at 1 are left out. */
function arrayText(value: string, element: number): string {
  token.lastIndex = value.indexOf('{')
  let text = ''
  for (const [all, quoted] of value.matchAll(token)) {
    if (all === '{') text += '['
    else if (all === '}') text += ']'
    else if (all === ',') text += ','
    else if (quoted !== undefined) text += valueText(quoted.replace(/\\(.)/gs, '$1'), element)
    else text += all === 'NULL' ? 'null' : valueText(all, element)
  }
  return text
}
