/** What a product embedded at a sequence: what the documents of past events are made from. */
import type { Surroundings } from '../../core/kind.ts'
import type { CategoryParts } from '../categories/index.ts'
import type { OptionParts } from './options/index.ts'
import type { VariantParts } from './variants/index.ts'

/** What a product embedded at a sequence, read as far as it is asked for and as far as one event bears. */
export type Embedding = {
  /** With `only` these of their values; else with all, or none where those of all options are more than one event bears. */
  readonly options: (only?: readonly string[]) => OptionParts[]
  /** The values of an option, also of one that is deleted at this very sequence; likewise none where they are too much. */
  readonly valuesOf: (optionId: string) => Pick<OptionParts, 'values' | 'valuesTotal'>
  /** The first ones. */
  readonly variants: () => VariantParts[]
  readonly variantsTotal: () => number
}

/** What documents of products, and of what they own, show beside what their own event keeps. */
export type InProduct = Surroundings & {
  /** What the product of the resource, or the product itself, embedded at that sequence. */
  readonly embedding: Embedding
  /** The categories that a variant's product was in. */
  readonly categories: readonly CategoryParts[]
}
