import type { Tenant } from '../../../core/context.ts'
import { render, type State, standardText } from '../../../core/state.ts'
import type { ValueParts } from '../values/index.ts'
import type { OptionParts } from './document.ts'
import { productOptionIri } from './iri.ts'
import { productOption } from './schema.ts'

/** An option's parts from its state; a new one has no version yet. */
export function optionParts(
  { tenant: { locales } }: { readonly tenant: Pick<Tenant, 'locales'> },
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
export function optionRow(parts: OptionParts, externalId: string | null) {
  const { id, productId, position, title, document, translations } = parts
  return { id, productId, position, title, externalId, document, translations: translations ?? {} }
}
