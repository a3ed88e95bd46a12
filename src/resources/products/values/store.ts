import type { Tenant } from '../../../core/context.ts'
import { render, type State, standardText } from '../../../core/state.ts'
import type { ValueParts } from './document.ts'
import { optionValueIri } from './iri.ts'
import { optionValue } from './schema.ts'

/** A value's parts from its state; a new one has no version yet. */
export function valueParts(
  { tenant: { locales } }: { readonly tenant: Pick<Tenant, 'locales'> },
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
export function valueRow(productId: string, parts: ValueParts, externalId: string | null) {
  const { id, optionId, position, title, document, translations } = parts
  return { id, productId, optionId, position, title, externalId, document, translations: translations ?? {} }
}
