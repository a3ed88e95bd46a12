/** Rules that a definition adds to its field's type, written as texts: `{ "name": "max", "value": "80" }`. */
import { currencyExponent } from '../../../core/currencies.ts'
import { canonicalAmount, compareDecimals } from '../../../core/decimal.ts'
import { parseInstant } from '../../../core/instant.ts'
import { idIn } from '../../../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, parseJson } from '../../../core/json.ts'
import type { BaseType, FieldType } from './types.ts'

/** One rule of a field as it is written: `{name: "max", value: "10"}`. */
export type Rule = { readonly name: string; readonly value: string }

/** Tells whether one entry, in the form of its type, keeps to a rule. */
type Test = (entry: string) => boolean

/** What a field's rules ask of its value. */
export type Rules = {
  readonly tests: readonly Test[]
  readonly least: number
  readonly most: number
  /** The definition that a referenced metaobject must be a record of; null for any. */
  readonly definitionId: string | null
}

/** Entries that a list may have. */
export const longestList = 128

/** Whether a definition may add a rule to a type: its name is one of the type's, its value means something. */
export function isRule(type: FieldType, rule: Rule): boolean {
  if (!type.rules.includes(rule.name)) return false
  if (rule.name === 'list.min' || rule.name === 'list.max') return countIn(rule.value) !== null
  if (namesDefinition(rule.name)) return definitionIn(rule.value) !== null
  return testOf(type.base, rule) !== null
}

/** Whether the value of a rule is the IRI of a definition. */
export function namesDefinition(rule: string): boolean {
  return rule === 'metaobject_definition'
}

/** The rules of a field, of which each is one by `isRule`. */
export function rulesOf({ base }: FieldType, rules: readonly Rule[]): Rules {
  const given = (name: string) => rules.find((each) => each.name === name)?.value
  const [least, most, definition] = [given('list.min'), given('list.max'), given('metaobject_definition')]
  return {
    tests: rules.flatMap((each) => testOf(base, each) ?? []),
    least: least === undefined ? 0 : (countIn(least) ?? 0),
    most: most === undefined ? longestList : (countIn(most) ?? longestList),
    definitionId: definition === undefined ? null : definitionIn(definition),
  }
}

const integer = /^-?(?:0|[1-9]\d{0,15})$/
const decimal = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/

/** Whether an entry has the form of its base type. References are read elsewhere. */
export const forms: Readonly<Partial<Record<BaseType, Test>>> = {
  single_line_text_field: (entry) => entry !== '' && !/[\n\r\u2028\u2029]/.test(entry),
  multi_line_text_field: (entry) => entry !== '',
  number_integer: (entry) => integer.test(entry) && Number.isSafeInteger(Number(entry)),
  number_decimal: (entry) => decimal.test(entry),
  boolean: (entry) => entry === 'true' || entry === 'false',
  date: (entry) => entry.length === 10 && parseInstant(entry) !== null,
  date_time: (entry) => entry.length > 10 && parseInstant(entry) !== null,
  color: (entry) => /^#[0-9a-f]{6}$/i.test(entry),
  money: isMoney,
  json: (entry) => parsed(entry) !== undefined,
}

/** The value of a JSON text; undefined for what is none. */
export function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function isMoney(text: string): boolean {
  const money = parsed(text)
  if (!isJsonObject(money) || Object.keys(money).length !== 2) return false
  const { amount, currency } = money
  const exponent = typeof currency === 'string' ? currencyExponent(currency) : undefined
  const isText = typeof amount === 'string' || typeof amount === 'number'
  return exponent !== undefined && isText && canonicalAmount(amount, exponent) !== null
}

/** What a rule asks of one entry; null when its value means nothing, or when it asks nothing of entries. */
function testOf(base: BaseType, { name, value }: Rule): Test | null {
  if (name === 'choices') {
    const choices = textsIn(value)
    return choices && ((entry) => choices.includes(entry))
  }
  if (name === 'allowed_domains') {
    const domains = textsIn(value)?.map((each) => each.toLowerCase())
    return domains ? (entry) => domains.includes(new URL(entry).hostname) : null
  }
  if (name === 'max_precision') {
    const most = countIn(value)
    return most === null ? null : (entry) => (entry.split('.')[1] ?? '').length <= most
  }
  const sign = name === 'min' ? 1 : name === 'max' ? -1 : 0
  const compare = sign === 0 ? null : comparison(base, value)
  return compare && ((entry) => compare(entry) * sign >= 0)
}

/** Compares an entry with a bound: negative, zero or positive. Texts are measured in characters. */
function comparison(base: BaseType, bound: string): ((entry: string) => number) | null {
  if (base === 'single_line_text_field' || base === 'multi_line_text_field') {
    const length = countIn(bound)
    return length === null ? null : (entry) => [...entry].length - length
  }
  if (!forms[base]?.(bound)) return null
  if (base !== 'date' && base !== 'date_time') return (entry) => compareDecimals(entry, bound)
  const moment = (text: string) => parseInstant(text) ?? ''
  return (entry) => (moment(entry) < moment(bound) ? -1 : Number(moment(entry) > moment(bound)))
}

function countIn(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null
}

function definitionIn(text: string): string | null {
  return idIn(text, '/api/metaobject_definitions')
}

function textsIn(text: string): readonly string[] | null {
  const list = parsed(text)
  if (!isJsonArray(list) || list.length === 0) return null
  return list.every((each): each is string => typeof each === 'string') ? list : null
}
