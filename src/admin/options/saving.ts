import { HttpError } from 'react-admin'
import { variantName } from '../fields/Title.tsx'
import { type Entry, type Option, rebasedOptions, type Step, stepsTo } from './plan.ts'
import { readOptions, type Stored, take, type Variant } from './stored.ts'

/** What came of saving options. */
export type Outcome = {
  readonly stored: Stored
  /** What is left to be saved, on what is stored now. */
  readonly wanted: readonly Option[]
  readonly done: number
  /** What stopped it: the entry, and why; null where all is saved. */
  readonly failure: { readonly name: string; readonly isStale: boolean; readonly message: string } | null
}

/** Sends the requests one after the other until one is refused, and reads what is stored then. */
export async function save(
  product: string,
  { options: before, variants }: Stored,
  wanted: readonly Option[],
  archived: readonly string[],
): Promise<Outcome> {
  const made = new Map<string, string>()
  const steps = stepsTo(before, wanted, archived)
  let done = 0
  let failure: Outcome['failure'] = null
  for (const step of steps) {
    const variant = variants.find((each) => step.do === 'archive' && each['@id'] === step.variant)
    try {
      const iri = await take(step, product, (key) => made.get(key) ?? key, variant)
      if (iri !== null && 'entry' in step) made.set(step.entry.key, iri)
      done += 1
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      failure = { name: nameOf(step, variant), isStale: error.status === 412, message: String(error.message) }
      break
    }
  }
  const stored = await readOptions(product)
  const mine = wanted.map((option) => ({
    ...named(option, made),
    values: option.values.map((value) => named(value, made)),
  }))
  return { stored, wanted: rebasedOptions(mine, before, stored.options), done, failure }
}

/** What was new has an IRI now. */
function named<Each extends Entry>(entry: Each, made: ReadonlyMap<string, string>): Each {
  const iri = made.get(entry.key)
  return iri === undefined ? entry : { ...entry, key: iri, iri }
}

function nameOf(step: Step, variant: Variant | undefined): string {
  return step.do === 'archive' ? variantName(variant) : step.entry.title
}
