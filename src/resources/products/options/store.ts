import type { Context } from '../../../core/operation.ts'
import { render, type State, standardText } from '../../../core/state.ts'
import type { ValueParts } from '../values/index.ts'
import type { OptionParts } from './document.ts'
import { productOptionIri } from './iri.ts'
import { productOption } from './schema.ts'

/** An option's parts from its state; a new one has no version yet. */
export function optionParts(
  context: Context,
  identity: {
    id: string
    productId: string
    position: number
    values: readonly ValueParts[]
    version?: number
    createdAt?: string
    updatedAt?: string
  },
  state: State,
): OptionParts {
  const { locales } = context.tenant
  return {
    version: 0,
    createdAt: '',
    updatedAt: '',
    ...identity,
    title: standardText(state, 'title', locales),
    document: render(productOption, { iri: productOptionIri(identity.id), id: identity.id }, state, locales),
    translations: state.translations,
  }
}

/** The row of an option, but for what commit() stamps. */
export function optionRow(parts: OptionParts) {
  const { id, productId, position, title, document, translations } = parts
  const { externalId } = JSON.parse(document) as { externalId: string | null }
  return { id, productId, position, title, externalId, document, translations: translations ?? {} }
}
