import type { Json } from '../../../core/json.ts'
import type { State } from '../../../core/state.ts'
import type { Changed } from '../../../core/write.ts'
import { changesWithFields } from '../../content/custom-fields/index.ts'
import { optionValueIri } from '../values/iri.ts'
import type { VariantParts } from './document.ts'

/** The event of a variant's change. */
export function changed(
  parts: VariantParts,
  what: 'created' | 'updated' | 'deleted',
  before: State | Record<string, never>,
  after: State,
  was?: VariantParts,
): Changed {
  const view = (state: State, each: VariantParts) =>
    ({
      ...state.values,
      position: each.position,
      optionValues: each.optionValueIds.map(optionValueIri),
    }) as Json
  return {
    kind: 'variants',
    id: parts.id,
    version: parts.version + 1,
    // An archived variant keeps its row, which is stamped like any other.
    action: what === 'created' ? 'created' : 'updated',
    topic: `variant/${what}`,
    ownerId: parts.productId,
    document: JSON.stringify(parts),
    changes: changesWithFields(was ? view(before as State, was) : {}, view(after, parts)),
  }
}
