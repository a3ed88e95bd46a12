import { isFields, type Json } from '../core/changed.ts'
import { titleOf } from '../core/data-provider.ts'
import { interfaceLocale, spoken } from '../core/language.ts'
import { momentText } from '../core/zone.ts'
import { fieldWords } from './words.ts'

/** As the service writes moments. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** A value as a person reads it: a link by its title where that is known, a moment by the clocks of the shop. */
export function readable(value: Json | undefined): string {
  const words = spoken(fieldWords)
  if (value === null || value === undefined || value === '') return words.nothing
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'string')
    return instant.test(value) ? momentText(value, interfaceLocale()) : (titleOf(value) ?? value)
  if (Array.isArray(value)) return value.length === 0 ? words.nothing : value.map(readable).join(', ')
  if (!isFields(value)) return String(value)
  return Object.entries(value)
    .filter(([name, each]) => !name.startsWith('@') && each !== null)
    .map(([name, each]) => `${name}: ${readable(each)}`)
    .join(', ')
}
