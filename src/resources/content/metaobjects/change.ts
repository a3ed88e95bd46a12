import { sql } from 'drizzle-orm'
import { localeOf, textsWithout } from '../../../core/locale.ts'
import type { Answer, BodyOf, Context, Input } from '../../../core/operation.ts'
import { differencesBetween, sameJson } from '../../../core/patch.ts'
import { deletionOf } from '../../../core/plan.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { merged, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../../core/write.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { nameConflicts, type Taken } from '../../taken-names.ts'
import type { Definition } from '../definitions/index.ts'
import { possibleReferences, writtenFields } from '../field-types/index.ts'
import { type MetaobjectParts, metaobjectEventDocument } from './document.ts'
import { metaobjectKind } from './kind.ts'
import { takenStatement } from './names.ts'
import { metaobjectProblems } from './problems.ts'
import {
  type ChangeView,
  changeView,
  incompleteViolations,
  type Own,
  partsOf,
  rowOf,
  writtenAnswer,
} from './rows.ts'
import { type patchedMetaobject, metaobject as shape } from './schema.ts'
import { type Existing, existingStatement, type Metaobjects, metaobjectsReading } from './store.ts'
import { metaobjects } from './table.ts'
import { mergedValues } from './values.ts'

type Body = BodyOf<typeof patchedMetaobject>

/** Merges a patch into a metaobject; `status` publishes it or takes it back to work on. */
export async function patchMetaobject(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof patchedMetaobject }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const written = await write<MetaobjectParts>(context, 'patchMetaobject', async (read) => {
    const { known, ...found } = await read(readingsOf(id, body))
    const stored = known.parts(id)
    if (!stored) throw metaobjectProblems.not_found({ id })
    demandVersion(context, stored.parts.version)
    const decision = decide(context, body, stored, found)
    return decision ? planOf(context, decision, known) : { unchanged: stored.parts }
  })
  return writtenAnswer(context, written)
}

function readingsOf(id: string, body: Body) {
  const ids = possibleReferences(writtenFields(body.fields).entries.flatMap(({ value }) => value ?? []))
  return {
    taken: takenStatement({
      definitionId: sql`select definition_id from metaobjects where tenant_id = current_tenant() and id = ${id}::uuid`,
      handles: body.handle ? [body.handle] : [],
      externalId: body.externalId,
      except: id,
    }),
    existing: existingStatement(ids, id),
    known: metaobjectsReading(sql`select ${id}::uuid`, ids),
  }
}

type Stored = { readonly parts: MetaobjectParts; readonly definition: Definition }
type Found = { readonly taken: readonly Taken[]; readonly existing: readonly Existing[] }

type Decision = Own & {
  readonly before: MetaobjectParts
  readonly views: readonly [ChangeView, ChangeView]
}

/** @throws Problem 409, 422 for what cannot be; null where nothing changes */
function decide(
  context: Context,
  body: Body,
  { parts: own, definition }: Stored,
  { taken, existing }: Found,
): Decision | null {
  const { locale } = context
  const before = stateOf(shape, own)
  const { definition: definitionId, ...patch } = body
  const { state, violations } = merged(shape, before, patch, locale)
  const written = writtenFields(body.fields)
  const after = mergedValues(definition, own, written, existing, { locale, fallbacks: body.fallbacks })
  refuse([
    ...violations,
    ...(definitionId !== undefined && definitionId !== own.definitionId
      ? [metaobjectProblems.definition_immutable.at('definition')]
      : []),
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...after.violations,
  ])
  // What an active one refers to may go at any time; only publishing asks that it is there.
  if (state.values.status === 'ACTIVE') {
    const wasActive = own.status === 'ACTIVE'
    const path = wasActive ? 'fields' : 'status'
    refuse(incompleteViolations(definition, after.values, wasActive ? null : existing, path))
  }
  refuse(nameConflicts(body, taken, metaobjectProblems))
  const views = [changeView(before, own, context), changeView(state, after.values, context)] as const
  if (sameJson(...views)) return null
  return { id: own.id, definition, state, values: after.values, before: own, views }
}

/** Takes a locale from the values of a metaobject's fields. */
export async function forgetLocaleOfMetaobject(
  context: Context,
  id: string,
  locale: string,
): Promise<unknown> {
  const { locales } = context.tenant
  const told = { ...context, locale: localeOf(locales, locale) }
  return write<MetaobjectParts | null>(context, 'forgetLocale', async (read) => {
    const { known } = await read({ known: metaobjectsReading(sql`select ${id}::uuid`) })
    const stored = known.parts(id)
    if (!stored?.parts.translations[locale]) return { unchanged: null }
    const { parts: before, definition } = stored
    const state = stateOf(shape, before)
    const values = { fields: before.fields, translations: textsWithout(locale, before.translations, locales) }
    const views = [changeView(state, before, told), changeView(state, values, told)] as const
    return planOf(context, { id, definition, state, values, before, views }, known)
  })
}

function planOf(context: Context, decision: Decision, known: Metaobjects): Plan<MetaobjectParts> {
  const { id, definition, before, views } = decision
  const row = rowOf(context, decision)
  const parts = partsOf(row, definition, before, known.row)
  return {
    guard: [
      { kind: 'metaobject_definitions', id: definition.id, version: definition.version },
      { kind: 'metaobjects', id, version: before.version },
    ],
    statements: updateRows(metaobjects, [row]),
    changed: [
      {
        kind: 'metaobjects',
        id,
        version: before.version + 1,
        action: 'updated',
        topic: 'metaobject/updated',
        document: metaobjectEventDocument(parts),
        changes: differencesBetween(...views),
      },
    ],
    totals: { metaobjects_active: Number(row.status === 'ACTIVE') - Number(before.status === 'ACTIVE') },
    result: parts,
    refusals: { metaobjects_handle: 'again', metaobjects_external_id: 'again' },
  }
}

/** Deletes a metaobject. What refers to it keeps its value and shows nothing in its place. */
export async function deleteMetaobject(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteMetaobject', async (read) => {
    const { found } = await read({ found: metaobjectsReading(sql`select ${id}::uuid`) })
    const own = found.parts(id)?.parts
    if (!own) throw metaobjectProblems.not_found({ id })
    demandVersion(context, own.version)
    return {
      guard: [{ kind: 'metaobjects', id, version: own.version }],
      statements: deleteRows(metaobjects, [id]),
      changed: [deletionOf(metaobjectKind, own, metaobjectEventDocument(own))],
      totals: { metaobjects: -1, metaobjects_active: -Number(own.status === 'ACTIVE') },
      result: null,
      refusals: {},
    }
  })
  return { kind: 'empty', replayed }
}
