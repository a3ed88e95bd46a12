import type { Context } from '../../../core/operation.ts'
import { render, type State, standardText } from '../../../core/state.ts'
import type { ValueParts } from './document.ts'
import { optionValueIri } from './iri.ts'
import { optionValue } from './schema.ts'

/** A value's parts from its state; a new one has no version yet. */
export function valueParts(
  context: Context,
  identity: {
    id: string
    optionId: string
    position: number
    version?: number
    createdAt?: string
    updatedAt?: string
  },
  state: State,
): ValueParts {
  const { locales } = context.tenant
  return {
    version: 0,
    createdAt: '',
    updatedAt: '',
    ...identity,
    title: standardText(state, 'title', locales) ?? '',
    document: render(optionValue, { iri: optionValueIri(identity.id), id: identity.id }, state, locales),
    translations: state.translations,
  }
}

/** The row of a value, but for what commit() stamps. */
export function valueRow(productId: string, parts: ValueParts) {
  const { id, optionId, position, title, document, translations } = parts
  const { externalId } = JSON.parse(document) as { externalId: string | null }
  return { id, productId, optionId, position, title, externalId, document, translations: translations ?? {} }
}
