import { useTranslate } from 'react-admin'
import { typeName } from '../content/types.ts'
import { isFields, type Json } from '../core/changed.ts'
import { titleOf } from '../core/data-provider.ts'
import { decimalText } from '../core/decimal-text.ts'
import { interfaceLocale, messages } from '../core/language.ts'
import { nameOf } from '../core/names.ts'
import { momentText } from '../core/zone.ts'
import { money } from './Money.tsx'

/** As the service writes moments. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** Properties that hold an amount. */
const amounts = /(?:^|\.)(?:amount|compareAtAmount|cost)$/

/**
 * A value as text. A link is shown by its title if the title is loaded, a time in the tenant's time zone, money with its
 * currency. Within an object, labels and codes are in the interface's language if the path has them.
 */
export function readable(value: Json | undefined, path = ''): string {
  const words = messages('fields')
  if (value === null || value === undefined || value === '') return words.nothing
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'string') return wordOf(value, path) ?? readableText(value)
  if (Array.isArray(value))
    return value.length === 0 ? words.nothing : value.map((each) => readable(each, path)).join(', ')
  if (!isFields(value)) return String(value)
  const { amount, currency } = value
  if (typeof amount === 'string' && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency))
    return money(amount, currency)
  const labels: Readonly<Record<string, string>> = messages('labels').resources.metaobject_definitions.fields
  return Object.entries(value)
    .filter(([name, each]) => !name.startsWith('@') && each !== null)
    .map(([name, each]) => {
      const below = `${path}.${name}`
      return words.labelled(labels[below] ?? name, readable(each, below))
    })
    .join(', ')
}

/** The words for a code of the API within the rules of a collection or the fields of a content type. */
function wordOf(code: string, path: string): string | undefined {
  if (path === 'fieldDefinitions.type') return typeName(code, messages('content'))
  if (!path.includes('.')) return undefined
  const codes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'rules.match': messages('labels').status,
    'rules.conditions.field': messages('rules').field,
    'rules.conditions.operator': messages('rules').operator,
    'rules.conditions.value': messages('rules').status,
    'fieldDefinitions.validations.name': messages('content').ruleName,
  }
  return codes[path]?.[code]
}

function readableText(text: string): string {
  if (instant.test(text)) return momentText(text, interfaceLocale())
  const held = /^[[{]/.test(text) ? jsonIn(text) : undefined
  return held === undefined ? (nameOf(text) ?? titleOf(text) ?? text) : readable(held)
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Like {@link readable}, for a property with a path: enum values and amounts are in the interface's language. */
export function useReadable(): (value: Json | undefined, path: string) => string {
  const translate = useTranslate()
  return (value, path) => {
    if (typeof value !== 'string') return readable(value, path)
    if (/^[A-Z]+(?:_[A-Z]+)*$/.test(value)) return translate(`status.${value}`, { _: value })
    return amounts.test(path) && value !== '' ? decimalText(value, interfaceLocale()) : readable(value)
  }
}

/** The key of a custom field in a path such as `fields.size` or `fields["care.washing"]`; null for other paths. */
export function fieldKeyOf(path: string): string | null {
  const [, quoted, plain] = /^fields(?:\["(.+?)"\]|\.(\w+))/.exec(path) ?? []
  return quoted ?? plain ?? null
}
