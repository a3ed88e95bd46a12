import { uuidv7 } from 'uuidv7'
import { budgets } from '../../../core/budgets.ts'
import { bytesOf } from '../../../core/document.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { differencesBetween } from '../../../core/patch.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { stamped } from '../../../core/stamped.ts'
import { created, render, type State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { insertRows } from '../../../db/rows.ts'
import { definitionViolations } from './demands.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinitionIri } from './iri.ts'
import { nameConflicts, takenStatement } from './names.ts'
import { metaobjectDefinition as shape } from './schema.ts'
import { metaobjectDefinitions } from './table.ts'

/** Creates a definition. */
export async function createDefinition(
  context: Context,
  { bodies }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const [body = {}] = bodies
  const written = await write<DefinitionParts>(context, 'createDefinition', async (read) => {
    const state = created(shape, body, context.locale)
    const { taken } = await read({ taken: takenStatement(body, id) })
    refuse(definitionViolations(state.values))
    refuse(nameConflicts(body, taken))
    const row = definitionRow(context, id, state)
    const parts = { id, document: row.document, version: 0, createdAt: '', updatedAt: '' }
    return {
      guard: [],
      statements: insertRows(metaobjectDefinitions, [row]),
      changed: [
        {
          kind: 'metaobject_definitions',
          id,
          version: 1,
          action: 'created',
          topic: 'metaobject_definition/created',
          document: JSON.stringify(parts),
          changes: differencesBetween({}, state.values),
        },
      ],
      totals: { metaobject_definitions: 1 },
      result: parts,
      refusals: { metaobject_definitions_type: 'again', metaobject_definitions_external_id: 'again' },
    }
  })
  const parts = stamped(written.result, written.stamps)
  return {
    kind: 'item',
    document: definitionDocument(parts, context.locale),
    version: parts.version,
    location: metaobjectDefinitionIri(parts.id),
    replayed: written.replayed,
  }
}

/** The row of a definition, but for what commit() stamps. */
export function definitionRow(context: Context, id: string, state: State<typeof shape>) {
  const document = render(shape, { iri: metaobjectDefinitionIri(id), id }, state, context.tenant.locales)
  const [bytes, maximum] = [bytesOf(document), budgets.definition]
  refuse(bytes > maximum ? [validationProblems.document_too_large.at('', { bytes, maximum })] : [])
  return {
    id,
    externalId: state.values.externalId,
    type: state.values.type,
    document,
  }
}
