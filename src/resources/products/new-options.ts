import { uuidv7 } from 'uuidv7'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { created } from '../../core/state.ts'
import {
  type InlineOption,
  type OptionParts,
  optionParts,
  optionRow,
  productOption,
} from './options/index.ts'
import { type InlineValue, optionValue, valueParts, valueRow } from './values/index.ts'
import type { WriteContext } from './write-context.ts'

/** The options of a new product with their values, in the order written, and the rows of both. */
export function newOptions(context: WriteContext, productId: string, written: readonly InlineOption[]) {
  const made = written.map((option, position) => newOption(context, productId, option, position))
  return {
    options: made.map((each) => each.parts),
    rows: { options: made.map((each) => each.row), values: made.flatMap((each) => each.valueRows) },
  }
}

function newOption(context: WriteContext, productId: string, option: InlineOption, position: number) {
  const id = uuidv7()
  const values = option.values.map((value, order) =>
    newValue(context, { productId, optionId: id }, value, order),
  )
  const state = created(
    productOption,
    { title: option.title ?? null, externalId: option.externalId ?? null },
    context.locale,
  )
  const identity = { id, productId, position, values: values.map((each) => each.parts) }
  const parts = optionParts(context, identity, state)
  return {
    parts,
    row: optionRow(parts, state.values.externalId),
    valueRows: values.map((each) => each.row),
  }
}

function newValue(
  context: WriteContext,
  { productId, optionId }: { readonly productId: string; readonly optionId: string },
  value: InlineValue,
  position: number,
) {
  const state = created(
    optionValue,
    { title: value.title, externalId: value.externalId ?? null },
    context.locale,
  )
  const parts = valueParts(context, { id: uuidv7(), optionId, position }, state)
  return { parts, row: valueRow(productId, parts, state.values.externalId) }
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
