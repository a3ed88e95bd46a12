import { HttpError } from 'react-admin'
import { mayRetry } from '../core/http.ts'
import { variantName } from '../fields/Title.tsx'
import { type Entry, type Option, rebasedOptions, type Step, stepsTo } from './plan.ts'
import { readOptions, type Stored, take, type Variant } from './stored.ts'

/** The requests of one attempt to save options. */
export type Sent = {
  /** The IRIs of the created options and values, by the keys that they had before. */
  readonly created: ReadonlyMap<string, string>
  readonly done: number
  /** The entry whose request failed, and the reason; null if all requests succeeded. */
  readonly failure: { readonly name: string; readonly isStale: boolean; readonly message: string } | null
}

/**
 * Sends the requests one after the other until one fails.
 *
 * @throws HttpError if the first request fails and may succeed later: the person can send the same requests again
 */
export async function send(
  product: string,
  { options: before, variants }: Stored,
  wanted: readonly Option[],
  archived: readonly string[],
): Promise<Sent> {
  const created = new Map<string, string>()
  let done = 0
  for (const step of stepsTo(before, wanted, archived)) {
    const variant = variants.find((each) => step.do === 'archive' && each['@id'] === step.variant)
    try {
      const iri = await take(step, product, (key) => created.get(key) ?? key, variant)
      if (iri !== null && 'entry' in step) created.set(step.entry.key, iri)
      done += 1
    } catch (error) {
      if (!(error instanceof HttpError) || (done === 0 && mayRetry(error))) throw error
      const { status, message } = error
      return { created, done, failure: { name: nameOf(step, variant), isStale: status === 412, message } }
    }
  }
  return { created, done, failure: null }
}

/** Reads the stored options after requests were sent, and applies to them the changes that are not saved yet. */
export async function reread(
  product: string,
  { options: before }: Stored,
  wanted: readonly Option[],
  created: Sent['created'],
): Promise<{ readonly stored: Stored; readonly wanted: readonly Option[] }> {
  const stored = await readOptions(product)
  const mine = wanted.map((option) => ({
    ...named(option, created),
    values: option.values.map((value) => named(value, created)),
  }))
  return { stored, wanted: rebasedOptions(mine, before, stored.options) }
}

/** New entries have an IRI now. */
function named<Each extends Entry>(entry: Each, created: Sent['created']): Each {
  const iri = created.get(entry.key)
  return iri === undefined ? entry : { ...entry, key: iri, iri }
}

function nameOf(step: Step, variant: Variant | undefined): string {
  return step.do === 'archive' ? variantName(variant) : step.entry.title
}
