import type { State } from '../../../core/state.ts'
import type { Changed } from '../../../core/write.ts'
import { differencesWithCustomFields } from '../../content/custom-fields/index.ts'
import { optionValueIri } from '../values/iri.ts'
import type { VariantParts } from './document.ts'
import type { variant } from './schema.ts'

/** A variant before or after a change: its row and the state behind it. */
type Side = { readonly parts: VariantParts; readonly state: State<typeof variant> }

/** The event of a variant's change; `before` is null for a new one. */
export function changed(what: 'created' | 'updated' | 'deleted', before: Side | null, after: Side): Changed {
  const { parts } = after
  return {
    kind: 'variants',
    id: parts.id,
    version: parts.version + 1,
    // An archived variant keeps its row, which is stamped like any other.
    action: what === 'created' ? 'created' : 'updated',
    topic: `variant/${what}`,
    ownerId: parts.productId,
    document: JSON.stringify(parts),
    changes: differencesWithCustomFields(before ? view(before) : {}, view(after)),
  }
}

function view({ parts, state }: Side) {
  const { position, optionValueIds } = parts
  return { ...state.values, position, optionValues: optionValueIds.map(optionValueIri) }
}
