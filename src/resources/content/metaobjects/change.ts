import { sql } from 'drizzle-orm'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { changesBetween, sameJson } from '../../../core/patch.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { merged, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { nameConflicts, type Taken } from '../../taken-names.ts'
import { possibleReferences, writtenFields } from '../types/index.ts'
import { metaobjectEventDocument } from './document.ts'
import { takenStatement } from './names.ts'
import { metaobjectProblems } from './problems.ts'
import { changeView, incompleteViolations, partsOf, rowOf, writtenAnswer } from './rows.ts'
import { metaobject as shape } from './schema.ts'
import { assembleMetaobjects, type Existing, existingStatement, metaobjectStatements } from './store.ts'
import { metaobjects } from './table.ts'
import { mergedValues } from './values.ts'

type Body = Readonly<Record<string, Json>>

/** Merges a patch into a metaobject; `status` publishes it or takes it back to work on. */
export async function patchMetaobject(context: Context, { params, bodies }: Input): Promise<Answer> {
  const [body = {}] = bodies
  const written = await write<Json>(context, 'patchMetaobject', (read) =>
    change(context, read, params.id!, body),
  )
  return writtenAnswer(context, written)
}

async function change(context: Context, read: Session['read'], id: string, body: Body): Promise<Plan<Json>> {
  const written = writtenFields(body.fields)
  const ids = possibleReferences(written.entries.flatMap(({ value }) => value ?? []))
  const [taken, existing, ...rows] = (await read(
    takenStatement({
      definitionId: sql`select definition_id from metaobjects where tenant_id = current_tenant() and id = ${id}::uuid`,
      handles: typeof body.handle === 'string' ? [body.handle] : [],
      externalId: body.externalId,
      except: id,
    }),
    existingStatement(ids, id),
    ...metaobjectStatements(sql`select ${id}::uuid`, ids),
  )) as [Taken[], Existing[], ...unknown[][]]
  const found = assembleMetaobjects(rows)
  const own = found.parts(id)
  if (!own) throw metaobjectProblems.not_found({ id })
  demandVersion(context, own.version)
  const definition = found.definition(own.definitionId)!
  const before = stateOf(shape, { document: own.document })
  const { definition: definitionId, ...patch } = body
  const { state, violations } = merged(shape, before, patch, context.locale)
  const { locale } = context
  const after = mergedValues(definition, own, written, existing, { locale, fallbacks: body.fallbacks })
  const isActive = state.values.status === 'ACTIVE'
  const wasActive = own.status === 'ACTIVE'
  refuse([
    ...violations,
    ...(definitionId !== undefined && definitionId !== own.definitionId
      ? [metaobjectProblems.definition_immutable.at('definition')]
      : []),
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...after.violations,
  ])
  // What an active one refers to may go at any time; only publishing asks that it is there.
  if (isActive) {
    const path = wasActive ? 'fields' : 'status'
    refuse(incompleteViolations(definition, after.values, wasActive ? null : existing, path))
  }
  refuse(nameConflicts(body, taken, metaobjectProblems))
  const views = [changeView(before, own, context), changeView(state, after.values, context)] as const
  if (sameJson(...views)) return { unchanged: own as unknown as Json }

  const row = rowOf(context, { id, definition, state, values: after.values })
  const parts = partsOf(row, definition, own, found)
  return {
    guard: [
      { kind: 'metaobject_definitions', id: own.definitionId, version: definition.version },
      { kind: 'metaobjects', id, version: own.version },
    ],
    statements: updateRows(metaobjects, [row]),
    changed: [
      {
        kind: 'metaobjects',
        id,
        version: own.version + 1,
        action: 'updated',
        topic: 'metaobject/updated',
        document: metaobjectEventDocument(parts),
        changes: changesBetween(...views),
      },
    ],
    totals: { metaobjects_active: Number(isActive) - Number(wasActive) },
    result: parts as unknown as Json,
    refusals: { metaobjects_handle: 'again', metaobjects_external_id: 'again' },
  }
}

/** Deletes a metaobject. What refers to it keeps its value and shows nothing in its place. */
export async function deleteMetaobject(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteMetaobject', async (read) => {
    const own = assembleMetaobjects(await read(...metaobjectStatements(sql`select ${id}::uuid`))).parts(id)
    if (!own) throw metaobjectProblems.not_found({ id })
    demandVersion(context, own.version)
    return {
      guard: [{ kind: 'metaobjects', id, version: own.version }],
      statements: deleteRows(metaobjects, [id]),
      changed: [
        {
          kind: 'metaobjects',
          id,
          version: own.version + 1,
          action: 'deleted',
          topic: 'metaobject/deleted',
          document: metaobjectEventDocument(own),
          changes: [],
        },
      ],
      totals: { metaobjects: -1, metaobjects_active: -Number(own.status === 'ACTIVE') },
      result: null,
      refusals: {},
    }
  })
  return { kind: 'empty', replayed }
}
