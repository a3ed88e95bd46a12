import type { Locale } from '../../core/locale.ts'
import type { Violation } from '../../core/problem.ts'
import { truncate } from '../../core/sizes.ts'
import { type OptionParts, titlesOf } from '../product-options/document.ts'
import { optionValueIri, productOptionIri } from '../product-options/schema.ts'
import { variantProblems } from '../products/problems.ts'
import type { OptionValueChoice } from './schema.ts'

/** The key of a combination: its value ids in sorted order, because the order of values does not matter. */
export function combinationOf(optionValueIds: readonly string[]): string {
  return [...optionValueIds].sort().join('+')
}

/**
 * Resolves the choices in a body to value ids, in the order of the product's options.
 * Each option needs exactly one value, named by IRI or by title in any locale. Titles in the request's locale
 * have precedence.
 */
export function resolveOptionValues(
  options: readonly OptionParts[],
  choices: readonly OptionValueChoice[],
  locale: Locale,
  path: string,
): ResolvedValues {
  const { valuesByOption, violations } = chooseValues(options, choices, locale, path)
  if (violations.length === 0 && valuesByOption.size !== options.length) {
    const missing = options.filter(({ id }) => !valuesByOption.has(id))
    const titles = missing.map((option) => titlesOf(option, locale)[0] ?? productOptionIri(option.id))
    const help = `No value is sent for: ${truncate(titles.join(', '), 300)}. Send one value per option.`
    violations.push(variantProblems.option_values_incomplete.at(path, {}, help))
  }
  return { ids: options.flatMap((option) => valuesByOption.get(option.id) ?? []), violations }
}

/**
 * Resolves the choices in a patch of an existing variant, which may send back the values of its document.
 * Options may have been added or moved since its creation. An archived variant may also have deleted values.
 */
export function resolveChange(
  options: readonly OptionParts[],
  choices: readonly OptionValueChoice[],
  locale: Locale,
  { path, currentIds }: { readonly path: string; readonly currentIds: readonly string[] },
): ResolvedValues {
  const { valuesByOption, violations } = chooseValues(options, choices, locale, path)
  const existingIds = new Set(options.flatMap(({ values }) => values.map(({ id }) => id)))
  const existingCombination = combinationOf(currentIds.filter((id) => existingIds.has(id)))
  if (violations.length === 0 && combinationOf([...valuesByOption.values()]) === existingCombination) {
    return { ids: [...currentIds], violations }
  }
  return resolveOptionValues(options, choices, locale, path)
}

/** The value ids of a body's choices, and their violations. */
export type ResolvedValues = { readonly ids: string[]; readonly violations: Violation[] }

/** Finds the chosen value of each option, and the violations of invalid choices. */
function chooseValues(
  options: readonly OptionParts[],
  choices: readonly OptionValueChoice[],
  locale: Locale,
  path: string,
): { valuesByOption: Map<string, string>; violations: Violation[] } {
  const valuesByOption = new Map<string, string>()
  const violations: Violation[] = []
  for (const [index, choice] of choices.entries()) {
    const reference = findValue(options, choice, locale)
    if (!reference)
      violations.push(
        variantProblems.option_value_foreign.at(
          `${path}[${index}]`,
          {},
          missingName(options, choice, locale),
        ),
      )
    else if (valuesByOption.has(reference.optionId))
      violations.push(
        variantProblems.option_values_incomplete.at(
          `${path}[${index}]`,
          {},
          'Another value is of the same option. Send one value per option.',
        ),
      )
    else valuesByOption.set(reference.optionId, reference.valueId)
  }
  return { valuesByOption, violations }
}

type ValueReference = { readonly optionId: string; readonly valueId: string }

/** An index of a product's options and values by their names. One request may resolve thousands of choices. */
type Index = {
  /** In the order of the options: two options may share a title in different locales. */
  readonly options: ReadonlyMap<
    string,
    readonly { position: number; values: ReadonlyMap<string, ValueReference> }[]
  >
  readonly byId: ReadonlyMap<string, ValueReference>
}

const indexesByOptions = new WeakMap<readonly OptionParts[], Map<string, Index>>()

function indexOf(options: readonly OptionParts[], locale: Locale): Index {
  const indexesByLocale = indexesByOptions.get(options) ?? new Map<string, Index>()
  indexesByOptions.set(options, indexesByLocale)
  const index = indexesByLocale.get(locale.requested) ?? buildIndex(options, locale)
  indexesByLocale.set(locale.requested, index)
  return index
}

const titleKey = (title: string) => `title ${title}`

function buildIndex(options: readonly OptionParts[], locale: Locale): Index {
  const byName = new Map<string, { position: number; values: ReadonlyMap<string, ValueReference> }[]>()
  const byId = new Map<string, ValueReference>()
  for (const [position, option] of options.entries()) {
    const values = new Map<string, ValueReference>()
    for (const value of option.values) {
      const reference = { optionId: option.id, valueId: value.id }
      byId.set(value.id, reference)
      for (const name of [optionValueIri(value.id), ...titlesOf(value, locale).map(titleKey)]) {
        if (!values.has(name)) values.set(name, reference)
      }
    }
    for (const name of new Set([productOptionIri(option.id), ...titlesOf(option, locale).map(titleKey)])) {
      byName.set(name, [...(byName.get(name) ?? []), { position, values }])
    }
  }
  return { options: byName, byId }
}

function findValue(
  options: readonly OptionParts[],
  choice: OptionValueChoice,
  locale: Locale,
): ValueReference | null {
  if ('id' in choice) return indexOf(options, locale).byId.get(choice.id) ?? null
  for (const { values } of optionsNamed(choice, options, locale)) {
    for (const name of keysOf(choice.value)) {
      const reference = values.get(name)
      if (reference) return reference
    }
  }
  return null
}

type NamedChoice = Exclude<OptionValueChoice, { readonly id: string }>

const keysOf = ([title = '', path = '']: readonly string[]) => [titleKey(title), path]

function optionsNamed({ option }: NamedChoice, options: readonly OptionParts[], locale: Locale) {
  const index = indexOf(options, locale)
  return keysOf(option)
    .flatMap((name) => index.options.get(name) ?? [])
    .toSorted((a, b) => a.position - b.position)
}

/** The maximum number of names in an error. */
const maximumNames = 20

/** The first name of a choice that does not exist, and the existing ones. An IRI may belong to another product. */
function missingName(
  options: readonly OptionParts[],
  choice: OptionValueChoice,
  locale: Locale,
): string | undefined {
  if ('id' in choice) return undefined
  const namesOf = (parts: readonly Parameters<typeof titlesOf>[0][]) => {
    const names = parts.slice(0, maximumNames).flatMap((part) => titlesOf(part, locale)[0] ?? [])
    return `${truncate(names.join(', '), 300) || 'none'}${parts.length > maximumNames ? ', …' : ''}`
  }
  const [optionName = '', valueName = ''] = [choice.option[0], choice.value[0]].map((name = '') =>
    truncate(name, 100),
  )
  const [found] = optionsNamed(choice, options, locale)
  const option = found && options[found.position]
  return option
    ? `Option “${optionName}” of this product has no value “${valueName}”. It has: ${namesOf(option.values)}.`
    : `This product has no option “${optionName}”. It has: ${namesOf(options)}.`
}
