import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { bytesOf } from '../../../core/document.ts'
import { type Kind, parseEventDocument } from '../../../core/kind.ts'
import { byteLimits } from '../../../core/limits.ts'
import type { Answer, BodyOf, Context, Input } from '../../../core/operation.ts'
import { differencesBetween, sameJson } from '../../../core/patch.ts'
import { deletionOf, type Plan, withStamps } from '../../../core/plan.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/validation.ts'
import { created, merged, render, type State, stateOf } from '../../../core/state.ts'
import { throwViolations } from '../../../core/violations.ts'
import { requireVersion, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { deleteRows, insertRows, updateRows } from '../../../db/write-steps.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinitionProblems } from './problems.ts'
import { definitionStatement } from './read.ts'
import { definitionViolations, misfits } from './rules.ts'
import {
  metaobjectDefinition,
  metaobjectDefinitionIri,
  type patchedDefinition,
  metaobjectDefinition as shape,
} from './schema.ts'
import { metaobjectDefinitions } from './table.ts'

type Named = { readonly type?: string | null; readonly externalId?: string | null }
type Taken = { readonly type: boolean | null; readonly externalId: boolean | null }

/** Finds out which names of a definition another one than `id` has. */
function takenStatement({ type, externalId }: Named, id: string): Statement<Taken> {
  return statement<Taken>(sql`
    select bool_or(type = ${type ?? null}::text) as type, bool_or(external_id = ${externalId ?? null}::text) as "externalId"
      from metaobject_definitions
     where tenant_id = current_tenant() and id <> ${id}::uuid
       and (type = ${type ?? null}::text or external_id = ${externalId ?? null}::text)`)
}

/** The conflicts of names that others have. */
function nameConflicts({ type, externalId }: Named, [taken]: readonly Taken[]): Violation[] {
  return [
    ...(taken?.type ? [metaobjectDefinitionProblems.type_taken.at('type', { type: type ?? '' })] : []),
    ...(taken?.externalId
      ? [metaobjectDefinitionProblems.external_id_taken.at('externalId', { externalId: externalId ?? '' })]
      : []),
  ]
}

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
    throwViolations(definitionViolations(state.values))
    throwViolations(nameConflicts(body, taken))
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
  const parts = withStamps(written.result, written.stamps)
  return {
    kind: 'item',
    document: definitionDocument(parts, context.locale),
    version: parts.version,
    location: metaobjectDefinitionIri(parts.id),
    replayed: written.replayed,
  }
}

/** The row of a definition, but for what commit() stamps. */
function definitionRow(context: Context, id: string, state: State<typeof shape>) {
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
  shape: metaobjectDefinition,
  document: (kept, around, locale) =>
    definitionDocument(parseEventDocument<DefinitionParts>(kept, around), locale),
}

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
  const parts = withStamps(result, stamps)
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
  requireVersion(context, own.version)
  const before = stateOf(shape, own)
  const { type, ...patch } = body
  const { state, violations } = merged(shape, before, patch, context.locale)
  throwViolations([
    ...violations,
    ...(type !== undefined && type !== before.values.type
      ? [metaobjectDefinitionProblems.type_immutable.at('type')]
      : []),
    ...definitionViolations(state.values),
  ])
  throwViolations(nameConflicts(body, taken))
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
    requireVersion(context, own.version)
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
