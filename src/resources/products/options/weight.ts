import { budgets } from '../../../core/budgets.ts'
import { bytesOf } from '../../../core/document.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import type { Translations } from '../../../db/columns.ts'
import type { OptionParts } from './document.ts'

type Row = { readonly document: string; readonly translations: Translations | null }

/** What is stored of an option or a value, in bytes, in all languages. */
export function weightOf({ document, translations }: Row): number {
  return bytesOf(document) + bytesOf(JSON.stringify(translations))
}

/** What is stored of a product's options and their values, in bytes, in all languages. */
export function weightOfOptions(options: readonly OptionParts[]): number {
  return options.flatMap((each) => [each, ...each.values]).reduce((sum, each) => sum + weightOf(each), 0)
}

/** The violation of options that weigh more together than those of a product may. */
export function tooHeavy(bytes: number, path: string): Violation[] {
  const maximum = budgets.options
  return bytes > maximum ? [validationProblems.document_too_large.at(path, { bytes, maximum })] : []
}
