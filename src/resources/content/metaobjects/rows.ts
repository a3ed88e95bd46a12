/** What creating and changing have in common: the row, what is answered, what is told. */

import type { Answer, Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { stamped } from '../../../core/stamped.ts'
import { render, type State } from '../../../core/state.ts'
import type { Written } from '../../../core/write.ts'
import type { Definition } from '../definitions/index.ts'
import { type FieldValues, type MetaobjectParts, metaobjectDocument, outlineOf } from './document.ts'
import { metaobjectIri } from './iri.ts'
import { metaobjectProblems } from './problems.ts'
import { metaobject as shape } from './schema.ts'
import { type Existing, type Metaobjects, referencesOf } from './store.ts'
import { incompleteKeys, referenceIdsOf } from './values.ts'

/** A metaobject that is to be stored. */
export type Own = {
  readonly id: string
  readonly definition: Definition
  readonly state: State<typeof shape>
  readonly values: FieldValues
}

/** The row of a metaobject, but for what commit() stamps. */
export function rowOf(context: Context, { id, definition, state, values }: Own) {
  return {
    id,
    externalId: state.values.externalId,
    definitionId: definition.id,
    handle: String(state.values.handle),
    status: state.values.status,
    fields: values.fields,
    translations: values.translations,
    referenceIds: referenceIdsOf(definition, values),
    document: render(shape, { iri: metaobjectIri(id), id }, state, context.tenant.locales),
  }
}

type Stamped = Pick<MetaobjectParts, 'version' | 'createdAt' | 'updatedAt'>

/** A written row as the parts of its document. */
export function partsOf(
  own: ReturnType<typeof rowOf>,
  definition: Definition,
  { version, createdAt, updatedAt }: Stamped,
  row: Metaobjects['row'],
): MetaobjectParts {
  const { id, definitionId, status, fields, translations, referenceIds, document } = own
  const references = referencesOf(own, row)
  const outline = outlineOf(definition)
  return {
    id,
    definitionId,
    document,
    status,
    fields,
    translations,
    referenceIds,
    outline,
    references,
    version,
    createdAt,
    updatedAt,
  }
}

/** The answer to a write: the metaobject as it left it. */
export function writtenAnswer(
  context: Context,
  { result, stamps, replayed }: Written<MetaobjectParts>,
): Answer & { kind: 'item' } {
  const parts = stamped(result, stamps)
  return { ...itemAnswer(context, parts), replayed }
}

export function itemAnswer(context: Context, parts: MetaobjectParts): Answer & { kind: 'item' } {
  const document = metaobjectDocument(parts, context.locale, seesDrafts(context))
  return { kind: 'item', document, version: parts.version }
}

/** Drafts are for those who write. */
export function seesDrafts(context: Context): boolean {
  return context.sight.seesDrafts(shape)
}

/** What keeps a metaobject from being published, at the path that asks for it; nothing when it is complete. */
export function incompleteViolations(
  definition: Definition,
  values: FieldValues,
  existing: readonly Existing[] | null,
  path: string,
): Violation[] {
  const keys = incompleteKeys(definition, values, existing)
  return keys.length > 0 ? [metaobjectProblems.incomplete.at(path, { keys: keys.join(', ') })] : []
}

export type ChangeView = ReturnType<typeof changeView>

/** A state as the differences of an event name it: fields by key, in the locale that was written. */
export function changeView(
  state: State<typeof shape>,
  { fields, translations }: FieldValues,
  { locale }: Context,
) {
  return { ...state.values, fields: { ...fields, ...translations[locale.asked] } }
}
