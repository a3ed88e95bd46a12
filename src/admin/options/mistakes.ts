import type { Entry, Option } from './plan.ts'

/** The error of a name among others: it is missing, or another entry has it. */
export function mistakeOf({ key, title }: Entry, others: readonly Entry[]): 'empty' | 'twice' | null {
  const name = title.trim()
  if (name === '') return 'empty'
  return others.some((each) => each.key !== key && each.title.trim() === name) ? 'twice' : null
}

/** Whether some name is missing, or there twice. */
export function hasMistakes(options: readonly Option[]): boolean {
  const areWrong = (entries: readonly Entry[]) => entries.some((each) => mistakeOf(each, entries) !== null)
  return areWrong(options) || options.some(({ values }) => areWrong(values))
}
