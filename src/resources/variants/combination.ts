import type { Locale } from '../../core/locale.ts'
import type { Violation } from '../../core/problem.ts'
import { type OptionParts, titlesOf } from '../product-options/document.ts'
import { optionValueIri, productOptionIri } from '../product-options/schema.ts'
import { variantProblems } from './problems.ts'
import type { OptionValueChoice } from './schema.ts'

/** The key of a combination: its value ids sorted, so that order does not make another combination. */
export function combinationOf(optionValueIds: readonly string[]): string {
  return [...optionValueIds].sort().join('+')
}

/**
 * The value ids that a variant's written choices mean, in the order of the product's options: exactly one value for each
 * option, by IRI or by title (in any locale, the request's first).
 */
export function resolveOptionValues(
  options: readonly OptionParts[],
  choices: readonly OptionValueChoice[],
  locale: Locale,
  path: string,
): ResolvedValues {
  const { valuesByOption, violations } = chooseValues(options, choices, locale, path)
  if (violations.length === 0 && valuesByOption.size !== options.length) {
    violations.push(variantProblems.option_values_incomplete.at(path))
  }
  return { ids: options.flatMap((option) => valuesByOption.get(option.id) ?? []), violations }
}

/**
 * The same for a variant that there is. What is shown of its values may be sent back: since it was made, options may have come
 * and moved, and where it is archived, values gone.
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

/** The value ids that choices mean, and what is wrong with them. */
export type ResolvedValues = { readonly ids: string[]; readonly violations: Violation[] }

/** The value that is chosen of each option, and the choices that are none. */
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
    if (!reference) violations.push(variantProblems.option_value_foreign.at(`${path}[${index}]`))
    else if (valuesByOption.has(reference.optionId))
      violations.push(variantProblems.option_values_incomplete.at(`${path}[${index}]`))
    else valuesByOption.set(reference.optionId, reference.valueId)
  }
  return { valuesByOption, violations }
}

type ValueReference = { readonly optionId: string; readonly valueId: string }

/** The options of a product by whatever names them and their values; thousands of choices may look in it. */
type Index = {
  /** In the order of the options: two may have one title in different locales. */
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
  const index = indexesByLocale.get(locale.asked) ?? buildIndex(options, locale)
  indexesByLocale.set(locale.asked, index)
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
  const index = indexOf(options, locale)
  if ('id' in choice) return index.byId.get(choice.id) ?? null
  const keysOf = ([title = '', path = '']: readonly string[]) => [titleKey(title), path]
  const candidates = keysOf(choice.option)
    .flatMap((name) => index.options.get(name) ?? [])
    .toSorted((a, b) => a.position - b.position)
  for (const { values } of candidates) {
    for (const name of keysOf(choice.value)) {
      const reference = values.get(name)
      if (reference) return reference
    }
  }
  return null
}
