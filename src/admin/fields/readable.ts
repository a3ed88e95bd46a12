import { useTranslate } from 'react-admin'
import { entriesOf } from '../content/list-text.ts'
import { typeIn, typeName } from '../content/types.ts'
import { type Fields, isFields, type Json } from '../core/changed.ts'
import { titleOf } from '../core/data-provider.ts'
import { decimalText } from '../core/decimal-text.ts'
import { interfaceLocale, messages } from '../core/language.ts'
import { type NamedField, nameOf } from '../core/names.ts'
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
    return value.map((each) => readable(each, path)).join(isLine(path) ? ',\n' : ', ') || words.nothing
  if (!isFields(value)) return String(value)
  const { amount, currency } = value
  if (typeof amount === 'string' && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency))
    return money(amount, currency)
  if (path === 'rules')
    return words.labelled(
      readable(value.match, 'rules.match'),
      `\n${readable(value.conditions, 'rules.conditions')}`,
    )
  if (path === 'rules.conditions')
    return ['field', 'operator', 'value'].map((name) => readable(value[name], `${path}.${name}`)).join(' ')
  if (path === 'fieldDefinitions') return definitionText(value)
  return Object.entries(value)
    .filter(([name, each]) => !name.startsWith('@') && each !== null)
    .map(([name, each]) => {
      const below = `${path}.${name}`
      return words.labelled(labels()[below] ?? name, readable(each, below))
    })
    .join(', ')
}

const labels = (): Readonly<Record<string, string>> =>
  messages('labels').resources.metaobject_definitions.fields

/** Whether each entry of a list is a line of its own. */
const isLine = (path: string) => path === 'rules.conditions' || path === 'fieldDefinitions'

/** A field of a content type in one line: `Name (Single-line text, Translatable, At most: 40)`. */
function definitionText({ key, name, type, required, translatable, validations }: Fields): string {
  const { labelled } = messages('fields')
  const content = messages('content')
  const rules = (Array.isArray(validations) ? validations : []).filter(isFields)
  const details = [
    typeName(String(type), content),
    required && labels()['fieldDefinitions.required'],
    translatable && labels()['fieldDefinitions.translatable'],
    ...rules.map((rule) =>
      labelled(content.ruleName[String(rule.name)] ?? String(rule.name), readable(rule.value)),
    ),
  ]
  return `${name || key} (${details.filter(Boolean).join(', ')})`
}

/** The value of a field, which is a text, by the type of its definition. */
function fieldText(value: Json | undefined, type: string): string {
  const { base, isList } = typeIn(type)
  if (typeof value !== 'string' || value === '') return readable(value)
  if (isList) return readable(entriesOf(value, base).map((each) => fieldText(each, `/${base}`)))
  if (base === 'boolean') return readable(value === 'true')
  if (base.startsWith('number_')) return decimalText(value, interfaceLocale())
  if (base === 'date' && /^\d{4}-\d\d-\d\d$/.test(value))
    return new Date(value).toLocaleDateString(interfaceLocale(), { dateStyle: 'medium', timeZone: 'UTC' })
  return base.endsWith('_text_field') ? value : readable(value)
}

/** The words for a code of the API within the rules of a collection. */
function wordOf(code: string, path: string): string | undefined {
  if (!path.includes('.')) return undefined
  const codes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'rules.match': messages('labels').status,
    'rules.conditions.field': messages('rules').field,
    'rules.conditions.operator': messages('rules').operator,
    'rules.conditions.value': messages('rules').status,
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

/** Like {@link readable}, for a property with a path: values of enums, amounts and defined fields are in the interface's language. */
export function useReadable(
  fields: readonly NamedField[] = [],
): (value: Json | undefined, path: string) => string {
  const translate = useTranslate()
  return (value, path) => {
    const field = fields.find(({ key }) => key === (path === 'displayNameField' ? value : fieldKeyOf(path)))
    if (field) return path === 'displayNameField' ? field.name || field.key : fieldText(value, field.type)
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
