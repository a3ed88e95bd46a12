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
): Resolved {
  const { chosen, violations } = choose(options, choices, locale, path)
  if (violations.length === 0 && chosen.size !== options.length) {
    violations.push(variantProblems.option_values_incomplete.at(path))
  }
  return { ids: options.flatMap((option) => chosen.get(option.id) ?? []), violations }
}

/**
 * The same for a variant that there is. What is shown of its values may be sent back: since it was made, options may have come
 * and moved, and where it is archived, values gone.
 */
export function resolveChange(
  options: readonly OptionParts[],
  choices: readonly OptionValueChoice[],
  locale: Locale,
  { path, own }: { readonly path: string; readonly own: readonly string[] },
): Resolved {
  const { chosen, violations } = choose(options, choices, locale, path)
  const known = new Set(options.flatMap(({ values }) => values.map(({ id }) => id)))
  const shown = combinationOf(own.filter((id) => known.has(id)))
  if (violations.length === 0 && combinationOf([...chosen.values()]) === shown) {
    return { ids: [...own], violations }
  }
  return resolveOptionValues(options, choices, locale, path)
}

/** The value ids that choices mean, and what is wrong with them. */
export type Resolved = { readonly ids: string[]; readonly violations: Violation[] }

/** The value that is chosen of each option, and the choices that are none. */
function choose(
  options: readonly OptionParts[],
  choices: readonly OptionValueChoice[],
  locale: Locale,
  path: string,
): { chosen: Map<string, string>; violations: Violation[] } {
  const chosen = new Map<string, string>()
  const violations: Violation[] = []
  for (const [index, choice] of choices.entries()) {
    const found = find(options, choice, locale)
    if (!found) violations.push(variantProblems.option_value_foreign.at(`${path}[${index}]`))
    else if (chosen.has(found.optionId))
      violations.push(variantProblems.option_values_incomplete.at(`${path}[${index}]`))
    else chosen.set(found.optionId, found.valueId)
  }
  return { chosen, violations }
}

type FoundValue = { readonly optionId: string; readonly valueId: string }

/** The options of a product by whatever names them and their values; thousands of choices may look in it. */
type Index = {
  /** In the order of the options: two may have one title in different locales. */
  readonly options: ReadonlyMap<string, readonly { place: number; values: ReadonlyMap<string, FoundValue> }[]>
  readonly byId: ReadonlyMap<string, FoundValue>
}

const indexes = new WeakMap<readonly OptionParts[], Map<string, Index>>()

function indexOf(options: readonly OptionParts[], locale: Locale): Index {
  const known = indexes.get(options) ?? new Map<string, Index>()
  indexes.set(options, known)
  const index = known.get(locale.asked) ?? indexed(options, locale)
  known.set(locale.asked, index)
  return index
}

const titled = (title: string) => `title ${title}`

function indexed(options: readonly OptionParts[], locale: Locale): Index {
  const byName = new Map<string, { place: number; values: ReadonlyMap<string, FoundValue> }[]>()
  const byId = new Map<string, FoundValue>()
  for (const [place, option] of options.entries()) {
    const values = new Map<string, FoundValue>()
    for (const value of option.values) {
      const found = { optionId: option.id, valueId: value.id }
      byId.set(value.id, found)
      for (const name of [optionValueIri(value.id), ...titlesOf(value, locale).map(titled)]) {
        if (!values.has(name)) values.set(name, found)
      }
    }
    for (const name of new Set([productOptionIri(option.id), ...titlesOf(option, locale).map(titled)])) {
      byName.set(name, [...(byName.get(name) ?? []), { place, values }])
    }
  }
  return { options: byName, byId }
}

function find(options: readonly OptionParts[], choice: OptionValueChoice, locale: Locale): FoundValue | null {
  const index = indexOf(options, locale)
  if ('id' in choice) return index.byId.get(choice.id) ?? null
  const names = ([title = '', path = '']: readonly string[]) => [titled(title), path]
  const candidates = names(choice.option)
    .flatMap((name) => index.options.get(name) ?? [])
    .toSorted((a, b) => a.place - b.place)
  for (const { values } of candidates) {
    for (const name of names(choice.value)) {
      const found = values.get(name)
      if (found) return found
    }
  }
  return null
}
