import type { Context } from '../../core/operation.ts'
import { created, render, type State, standardText } from '../../core/state.ts'
import { metaobjectIdsOf } from '../content/custom-fields/index.ts'
import { categoryIri } from './iri.ts'
import type { Links } from './links.ts'
import { type Body, category as shape } from './schema.ts'
import type { NewRow } from './tree.ts'

/** A new category: its row, its links, and where among its siblings it shall stand. */
export type NewCategory = {
  readonly links: Links
  readonly state: State<typeof shape>
  readonly row: NewRow
  readonly position: number | null
}

/** Makes a new category of a written one. */
export function newCategoryOf(context: Context, links: Links, body: Body): NewCategory {
  const { locales } = context.tenant
  const state = created(shape, body, context.locale)
  const { id } = links
  return {
    links,
    state,
    position: typeof body.position === 'number' && body.position >= 0 ? body.position : null,
    row: {
      id,
      external_id: state.values.externalId,
      handle: String(state.values.handle),
      title: standardText(state, 'title', locales) ?? '',
      parent_id: links.parentId ?? null,
      metaobject_ids: metaobjectIdsOf(state.values.fields),
      document: render(shape, { iri: categoryIri(id), id }, state, locales),
      translations: state.translations,
    },
  }
}
