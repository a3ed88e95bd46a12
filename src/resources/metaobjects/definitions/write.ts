import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { type Kind, parseEventDocument } from '../../../core/kind.ts'
import { byteLimits } from '../../../core/limits.ts'
import type { Answer, Context, Input, ItemInput } from '../../../core/operation.ts'
import { differencesBetween, sameJson } from '../../../core/patch.ts'
import { creationOf, deletionOf, uncommitted, updateOf } from '../../../core/plan.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { bytesOf } from '../../../core/sizes.ts'
import { created, merged, render, type State, stateOf } from '../../../core/state.ts'
import { throwViolations } from '../../../core/violations.ts'
import { requireIfMatch, write } from '../../../core/write.ts'
import { deleteRow, run, save, type WriteStep } from '../../../db/write-steps.ts'
import { namesInUse, takenNamesStatement } from '../../shared/names.ts'
import { writtenItem } from '../../shared/ordinary-operations.ts'
import { metaobjectDefinitionProblems } from '../problems.ts'
import { metaobjectDefinitions } from '../table.ts'
import { type DefinitionParts, definitionDocument, eventDefinition } from './document.ts'
import { definitionStatement } from './read.ts'
import { definitionViolations, incompatibleMetaobjects } from './rules.ts'
import { metaobjectDefinitionIri, type patchedDefinition, metaobjectDefinition as shape } from './schema.ts'

const nameProblems = {
  type: metaobjectDefinitionProblems.type_taken,
  externalId: metaobjectDefinitionProblems.external_id_taken,
}

export async function createDefinition(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const outcome = await write<DefinitionParts>(context, 'createDefinition', async (read) => {
    const state = created(shape, body, context.locale)
    const { taken } = await read({
      taken: takenNamesStatement(metaobjectDefinitions, { type: [body.type], externalId: [body.externalId] }),
    })
    throwViolations(definitionViolations(state.values))
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    const row = rowOf(context, id, state)
    const parts = { id, document: row.document, ...uncommitted }
    return {
      guard: [],
      underClock: save(metaobjectDefinitions, [row]),
      changed: [
        creationOf(metaobjectDefinitionKind, id, {
          document: JSON.stringify(parts),
          changes: differencesBetween({}, state.values),
        }),
      ],
      totals: { metaobject_definitions: 1 },
      result: parts,
      constraintProblems: {
        metaobject_definitions_type: 'again',
      },
    }
  })
  const location = metaobjectDefinitionIri(outcome.result.id)
  return { ...writtenItem(outcome, (parts) => definitionDocument(parts, context.locale)), location }
}

/** The row of a definition, without the columns that the write sets. */
function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const document = render(shape, { iri: metaobjectDefinitionIri(id), id }, state, context.tenant.locales)
  const [bytes, maximum] = [bytesOf(document), byteLimits.definition]
  throwViolations(bytes > maximum ? [validationProblems.document_too_large.at('', { bytes, maximum })] : [])
  return {
    id,
    externalId: state.values.externalId,
    type: state.values.type,
    document,
  }
}

export const metaobjectDefinitionKind: Kind = {
  name: 'metaobject_definitions',
  subject: 'metaobject_definition',
  noun: 'A metaobject definition',
  shape,
  document: (eventDocument, context, locale) =>
    definitionDocument(parseEventDocument(eventDefinition, eventDocument, context), locale),
}

const inUse = 'in_use'

/** Aborts the batch if a metaobject of the definition meets the condition. The definition is already locked. */
function rejectUses(id: string, condition: SQL): WriteStep {
  return run(sql`select reject('PC409', ${inUse}) from metaobjects
    where tenant_id = current_tenant() and definition_id = ${id}::uuid and ${condition} limit 1`)
}

/** Merges a patch into a definition if all its metaobjects stay valid. */
export async function patchDefinition(
  context: Context,
  { params: { id }, bodies: [body = {}] }: Input<{ params: 'id'; body: typeof patchedDefinition }>,
): Promise<Answer> {
  const outcome = await write<DefinitionParts>(context, 'patchDefinition', async (read) => {
    const { definitions, taken } = await read({
      definitions: definitionStatement(sql`${id}::uuid`),
      taken: takenNamesStatement(metaobjectDefinitions, { externalId: [body.externalId] }, { except: id }),
    })
    const [current] = definitions
    if (!current) throw metaobjectDefinitionProblems.not_found({ id })
    requireIfMatch(context, current.version)
    const before = stateOf(shape, current)
    const { type, ...patch } = body
    const { state, violations } = merged(shape, before, patch, context.locale)
    throwViolations([
      ...violations,
      ...(type !== undefined && type !== before.values.type
        ? [metaobjectDefinitionProblems.type_immutable.at('type')]
        : []),
      ...definitionViolations(state.values),
    ])
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    if (sameJson(before.values, state.values)) return { unchanged: current }
    const row = rowOf(context, id, state)
    const after = { ...current, document: row.document }
    const incompatible = incompatibleMetaobjects(before.values, state.values)
    return {
      guard: [{ kind: 'metaobject_definitions', id, version: current.version }],
      beforeClock: incompatible ? [rejectUses(id, incompatible)] : [],
      underClock: save(metaobjectDefinitions, [row]),
      changed: [
        updateOf(metaobjectDefinitionKind, current, {
          document: JSON.stringify(after),
          changes: differencesBetween(before.values, state.values),
        }),
      ],
      totals: {},
      result: after,
      constraintProblems: {
        [inUse]: metaobjectDefinitionProblems.in_use(),
      },
    }
  })
  return writtenItem(outcome, (parts) => definitionDocument(parts, context.locale))
}

/** Deletes a definition without metaobjects. */
export async function deleteDefinition(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteDefinition', async (read) => {
    const { definitions } = await read({ definitions: definitionStatement(sql`${id}::uuid`) })
    const [definition] = definitions
    if (!definition) throw metaobjectDefinitionProblems.not_found({ id })
    requireIfMatch(context, definition.version)
    return {
      guard: [{ kind: 'metaobject_definitions', id, version: definition.version }],
      beforeClock: [deleteRow(metaobjectDefinitions, id)],
      changed: [deletionOf(metaobjectDefinitionKind, definition, JSON.stringify(definition))],
      totals: { metaobject_definitions: -1 },
      result: null,
      constraintProblems: { metaobjects_definition: metaobjectDefinitionProblems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}
