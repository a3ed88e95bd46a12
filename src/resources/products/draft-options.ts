import { uuidv7 } from 'uuidv7'
import type { Context } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { created } from '../../core/state.ts'
import { type InlineOption, type OptionParts, optionParts, productOption } from './options/index.ts'
import { type InlineValue, optionValue, type ValueParts, valueParts } from './values/index.ts'

/** The options of a new product, with their values, in the order written. */
export function draftOptions(
  context: Context,
  productId: string,
  written: readonly InlineOption[],
): OptionParts[] {
  return written.map((option, position) => newOption(context, productId, option, position))
}

function newOption(context: Context, productId: string, option: InlineOption, position: number): OptionParts {
  const id = uuidv7()
  const values = option.values.map((value, order) => newValue(context, id, value, order))
  const state = created(
    productOption,
    { title: option.title ?? null, externalId: option.externalId ?? null },
    context.locale,
  )
  return optionParts(context, { id, productId, position, values }, state)
}

function newValue(context: Context, optionId: string, value: InlineValue, position: number): ValueParts {
  const state = created(
    optionValue,
    { title: value.title, externalId: value.externalId ?? null },
    context.locale,
  )
  return valueParts(context, { id: uuidv7(), optionId, position }, state)
}

/** Two options of one title, or two values of one option, are one too many. */
export function repeatedTitles(options: readonly OptionParts[], at: (path: string) => string): Violation[] {
  const repeated = (titles: readonly (string | null)[], path: (index: number) => string) => {
    const seen = new Set<string>()
    return titles.flatMap((title, index) => {
      if (title === null || !seen.has(title)) {
        if (title !== null) seen.add(title)
        return []
      }
      return [validationProblems.duplicate_item.at(at(path(index)))]
    })
  }
  return [
    ...repeated(
      options.map((each) => each.title),
      (index) => `options[${index}].title`,
    ),
    ...options.flatMap((option, outer) =>
      repeated(
        option.values.map((each) => each.title),
        (index) => `options[${outer}].values[${index}].title`,
      ),
    ),
  ]
}
