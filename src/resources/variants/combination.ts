import { iri } from '../../core/iri.ts'
import type { Locale } from '../../core/locale.ts'
import type { Violation } from '../../core/problem.ts'
import { type OptionParts, titlesOf } from '../product-options/index.ts'
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
): { ids: string[]; violations: Violation[] } {
  const chosen = new Map<string, string>()
  const violations: Violation[] = []
  for (const [index, choice] of choices.entries()) {
    const found = find(options, choice, locale)
    if (!found) violations.push(variantProblems.option_value_foreign.at(`${path}[${index}]`))
    else if (chosen.has(found.optionId))
      violations.push(variantProblems.option_values_incomplete.at(`${path}[${index}]`))
    else chosen.set(found.optionId, found.valueId)
  }
  if (violations.length === 0 && chosen.size !== options.length) {
    violations.push(variantProblems.option_values_incomplete.at(path))
  }
  return { ids: options.flatMap((option) => chosen.get(option.id) ?? []), violations }
}

function find(options: readonly OptionParts[], choice: OptionValueChoice, locale: Locale) {
  for (const option of options) {
    const named = (name: readonly string[], part: Parameters<typeof titlesOf>[0], path: string) =>
      name.includes(path) || titlesOf(part, locale).some((title) => name[0] === title)
    if ('option' in choice && !named(choice.option, option, iri.productOption(option.id))) continue
    const value = option.values.find((each) =>
      'id' in choice ? each.id === choice.id : named(choice.value, each, iri.optionValue(each.id)),
    )
    if (value) return { optionId: option.id, valueId: value.id }
  }
  return null
}
