import { type SQL, sql } from 'drizzle-orm'
import type { Answer, BodyOf, Context, Input } from '../../../core/operation.ts'
import { differencesBetween, sameJson } from '../../../core/patch.ts'
import { deletionOf } from '../../../core/plan.ts'
import { stamped } from '../../../core/stamped.ts'
import { merged, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../../core/write.ts'
import { type Session, type Statement, statement } from '../../../db/client.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { definitionRow } from './create.ts'
import { definitionViolations, misfits } from './demands.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinitionKind } from './kind.ts'
import { nameConflicts, takenStatement } from './names.ts'
import { metaobjectDefinitionProblems } from './problems.ts'
import { type patchedDefinition, metaobjectDefinition as shape } from './schema.ts'
import { definitionStatement } from './store.ts'
import { metaobjectDefinitions } from './table.ts'

type Body = BodyOf<typeof patchedDefinition>

/** Merges a patch into a definition, as far as its metaobjects still fit. */
export async function patchDefinition(
  context: Context,
  { params, bodies }: Input<{ params: 'id'; body: typeof patchedDefinition }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const { result, stamps, replayed } = await write<DefinitionParts>(context, 'patchDefinition', (read) =>
    change(context, read, params.id, body),
  )
  const parts = stamped(result, stamps)
  return {
    kind: 'item',
    document: definitionDocument(parts, context.locale),
    version: parts.version,
    replayed,
  }
}

const inUse = 'in_use'

/** Refuses the batch when a metaobject of the definition meets the condition. The definition is locked before. */
function refuseUses(id: string, condition: SQL): Statement {
  return statement(sql`select reject('PC409', ${inUse}) from metaobjects
    where tenant_id = current_tenant() and definition_id = ${id}::uuid and ${condition} limit 1`)
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
): Promise<Plan<DefinitionParts>> {
  const { found, taken } = await read({
    found: definitionStatement(sql`${id}::uuid`),
    taken: takenStatement({ externalId: body.externalId ?? null }, id),
  })
  const [own] = found
  if (!own) throw metaobjectDefinitionProblems.not_found({ id })
  demandVersion(context, own.version)
  const before = stateOf(shape, own)
  const { type, ...patch } = body
  const { state, violations } = merged(shape, before, patch, context.locale)
  refuse([
    ...violations,
    ...(type !== undefined && type !== before.values.type
      ? [metaobjectDefinitionProblems.type_immutable.at('type')]
      : []),
    ...definitionViolations(state.values),
  ])
  refuse(nameConflicts(body, taken))
  if (sameJson(before.values, state.values)) return { unchanged: own }
  const row = definitionRow(context, id, state)
  const after = { ...own, document: row.document }
  const narrowing = misfits(before.values, state.values)
  return {
    guard: [{ kind: 'metaobject_definitions', id, version: own.version }],
    statements: [
      ...(narrowing ? [refuseUses(id, narrowing)] : []),
      ...updateRows(metaobjectDefinitions, [row]),
    ],
    changed: [
      {
        kind: 'metaobject_definitions',
        id,
        version: own.version + 1,
        action: 'updated',
        topic: 'metaobject_definition/updated',
        document: JSON.stringify(after),
        changes: differencesBetween(before.values, state.values),
      },
    ],
    totals: {},
    result: after,
    refusals: {
      metaobject_definitions_external_id: 'again',
      [inUse]: metaobjectDefinitionProblems.in_use(),
    },
  }
}

/** Deletes a definition that has no metaobjects. */
export async function deleteDefinition(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteDefinition', async (read) => {
    const { found } = await read({ found: definitionStatement(sql`${id}::uuid`) })
    const [own] = found
    if (!own) throw metaobjectDefinitionProblems.not_found({ id })
    demandVersion(context, own.version)
    return {
      guard: [{ kind: 'metaobject_definitions', id, version: own.version }],
      statements: deleteRows(metaobjectDefinitions, [id]),
      changed: [deletionOf(metaobjectDefinitionKind, own, JSON.stringify(own))],
      totals: { metaobject_definitions: -1 },
      result: null,
      refusals: { metaobjects_definition: metaobjectDefinitionProblems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}
