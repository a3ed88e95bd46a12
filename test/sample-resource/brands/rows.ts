import type { Answer, Context } from '../../core/operation.ts'
import { stamped } from '../../core/stamped.ts'
import { render, type State } from '../../core/state.ts'
import type { Written } from '../../core/write.ts'
import { type BrandParts, brandDocument } from './document.ts'
import { brandIri } from './iri.ts'
import { brand as shape } from './schema.ts'

/** The row of a brand, but for what commit() stamps. */
export function rowOf({ tenant }: Context, id: string, { values, translations }: State<typeof shape>) {
  const { externalId, handle } = values
  return {
    id,
    externalId,
    // A new brand is given one, and a patch cannot clear it.
    handle: handle ?? '',
    document: render(shape, { iri: brandIri(id), id }, { values, translations }, tenant.locales),
    translations,
  }
}

/** The brand as a write left it. */
export function writtenParts({ result, stamps }: Written<BrandParts>): BrandParts {
  return stamped(result, stamps)
}

export function itemAnswer({ locale }: Context, parts: BrandParts): Answer & { kind: 'item' } {
  return { kind: 'item', document: brandDocument(parts, locale), version: parts.version }
}
