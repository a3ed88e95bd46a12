import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { localeOf, textsWithout } from '../../core/locale.ts'
import type { Answer, BodyOf, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, type Plan, uncommitted, updateOf } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { truncate } from '../../core/sizes.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import { created, merged, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { combineQueries, mapQuery, statement } from '../../db/query.ts'
import { idColumn } from '../../db/sql.ts'
import { deleteRow, save } from '../../db/write-steps.ts'
import { writtenFields } from '../fields/entries.ts'
import { possibleReferences } from '../fields/types.ts'
import { namesInUse, takenNamesStatement } from '../shared/names.ts'
import {
  changeOrCreate,
  idByExternalId,
  type PlanQuery,
  prepared,
  upsert,
  upsertedAnswer,
} from '../shared/ordinary-operations.ts'
import { definitionOf } from './definitions/document.ts'
import { definitionStatement } from './definitions/read.ts'
import { metaobjectDefinitionIri } from './definitions/schema.ts'
import {
  displayNameOf,
  type FieldValues,
  type MetaobjectParts,
  metaobjectEventDocument,
  metaobjectKind,
  outlineOf,
} from './document.ts'
import { metaobjectProblems } from './problems.ts'
import { existingStatement, type Metaobjects, metaobjectsQueryFor } from './read.ts'
import {
  type ChangeView,
  changeView,
  incompleteViolations,
  mergeValues,
  type NewMetaobject,
  partsOf,
  rowOf,
  writtenAnswer,
} from './rules.ts'
import { metaobjectIri, type patchedMetaobject, metaobject as shape } from './schema.ts'
import { metaobjects } from './table.ts'

const nameProblems = {
  handle: metaobjectProblems.handle_taken,
  externalId: metaobjectProblems.external_id_taken,
}

type CreationBody = BodyOf<typeof shape>

const noValues: FieldValues = { fields: {}, translations: {} }
const defaultHandle = 'entry'

export async function createMetaobject(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const outcome = await write(context, 'createMetaobject', prepared(creationQuery(context, body)))
  return { ...writtenAnswer(context, outcome), location: metaobjectIri(outcome.result.id) }
}

function creationQuery(context: Context, body: CreationBody): PlanQuery<Plan<MetaobjectParts>> {
  const id = uuidv7()
  const { locale, tenant } = context
  const iri = metaobjectDefinitionIri(String(body.definition))
  const queries = combineQueries(creationQueries(body))
  return mapQuery(queries, ({ definitions, taken, existing, related }) => (attempt) => {
    const definition =
      definitions.map(definitionOf)[0] ??
      throwViolations([validationProblems.unknown_reference.at('definition', { iri })])
    const input = writtenFields(body.fields)
    const { values, violations } = mergeValues(definition, noValues, input, existing, {
      locale,
      fallbacks: undefined,
    })
    throwViolations(violations)
    if (body.status === 'ACTIVE') throwViolations(incompleteViolations(definition, values, null, 'status'))
    const names = namesInUse(taken)
    throwViolations(names.reserveAll(body, nameProblems))
    const writeLocale = localeOf(tenant.locales, locale.requested)
    const name = displayNameOf({ ...values, outline: outlineOf(definition) }, writeLocale)
    const base = name ? baseOf(name.value) : defaultHandle
    const handle = body.handle ?? names.reserveHandle(base, id, attempt > 1)
    const state = created(shape, { ...body, handle, definition: iri }, locale)
    const row = rowOf(context, { id, definition, values, state })
    const parts = partsOf(row, definition, uncommitted, related.row)
    return {
      guard: [{ kind: 'metaobject_definitions', id: definition.id, version: definition.version }],
      underClock: save(metaobjects, [row]),
      changed: [
        creationOf(metaobjectKind, id, {
          document: metaobjectEventDocument(parts),
          changes: differencesBetween({}, changeView(state, values, context)),
        }),
      ],
      totals: { metaobjects: 1, metaobjects_active: Number(row.status === 'ACTIVE') },
      result: parts,
      constraintProblems: {
        metaobjects_definition: 'again',
      },
    }
  })
}

function creationQueries(body: CreationBody) {
  const definitionId = sql`${String(body.definition)}::uuid`
  const texts = textsOf(body)
  // Only the definition says which value is the display name.
  const bases = new Set([defaultHandle, ...texts.map(baseOf)])
  const ids = possibleReferences(texts)
  return {
    definitions: definitionStatement(definitionId),
    taken: takenNamesStatement(
      metaobjects,
      {
        handle: body.handle ? [body.handle] : [...bases].flatMap((base) => handleCandidates(base)),
        externalId: [body.externalId],
      },
      { within: { handle: sql`definition_id = ${definitionId}` } },
    ),
    existing: existingStatement(ids, null),
    related: metaobjectsQueryFor(sql`select null::uuid`, ids),
  }
}

function textsOf({ fields }: CreationBody): string[] {
  return writtenFields(fields).entries.flatMap(({ value }) => value ?? [])
}

/** Derives a handle from the beginning of a text. */
function baseOf(text: string): string {
  return handleOf(truncate(text, 255), defaultHandle)
}

type PatchBody = BodyOf<typeof patchedMetaobject>

/** Merges a patch into a metaobject. `status` publishes it or turns it back into a draft. */
export async function patchMetaobject(
  context: Context,
  { params: { id }, bodies: [body = {}] }: Input<{ params: 'id'; body: typeof patchedMetaobject }>,
): Promise<Answer> {
  const plan = changeQuery(context, id, body)
  const notFound = () => metaobjectProblems.not_found({ id })
  return writtenAnswer(context, await write(context, 'patchMetaobject', prepared(plan, notFound)))
}

/** Creates a metaobject or changes it. */
export async function upsertMetaobject(
  context: Context,
  { params: { externalId }, bodies: [body = {}], creation }: UpsertInput,
): Promise<Answer> {
  const outcome = await upsert<MetaobjectParts>(
    context,
    'upsertMetaobject',
    changeOrCreate(changeQuery(context, idByExternalId(metaobjects, externalId), body), () =>
      creationQuery(context, creation()),
    ),
  )
  return upsertedAnswer(writtenAnswer(context, outcome), outcome, metaobjectIri(outcome.result.id))
}

type UpsertInput = Input<{ params: 'externalId'; body: typeof patchedMetaobject; creates: typeof shape }>

function changeQuery(
  context: Context,
  id: string | SQL,
  body: PatchBody,
): PlanQuery<Plan<MetaobjectParts> | null> {
  const { locale } = context
  return mapQuery(
    combineQueries(changeQueries(id, body)),
    ({ ids: [asked], loaded, taken, existing }) =>
      () => {
        const stored = asked && loaded.parts(asked.id)
        if (!stored) return null
        const { parts: current, definition } = stored
        requireIfMatch(context, current.version)
        const before = stateOf(shape, current)
        const { definition: definitionId, ...patch } = body
        const { state, violations } = merged(shape, before, patch, locale)
        const input = writtenFields(body.fields)
        const after = (locale.otherTexts ?? []).reduce(
          (done, { locale: other, texts }) => {
            const { data: fields } = shape.properties.fields.schema.safeParse(texts.fields)
            const next = mergeValues(definition, done.values, writtenFields(fields), existing, {
              locale: other,
            })
            return { values: next.values, violations: [...done.violations, ...next.violations] }
          },
          mergeValues(definition, current, input, existing, { locale, fallbacks: body.fallbacks }),
        )
        throwViolations([
          ...violations,
          ...(definitionId !== undefined && definitionId !== current.definitionId
            ? [metaobjectProblems.definition_immutable.at('definition')]
            : []),
          ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
          ...after.violations,
        ])
        // References of an active metaobject may be deleted at any time. Only publication requires that they exist.
        if (state.values.status === 'ACTIVE') {
          const wasActive = current.status === 'ACTIVE'
          const path = wasActive ? 'fields' : 'status'
          throwViolations(incompleteViolations(definition, after.values, wasActive ? null : existing, path))
        }
        throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
        const views = [
          changeView(before, current, context),
          changeView(state, after.values, context),
        ] as const
        if (sameJson(...views)) return { unchanged: current }
        const written = { id: current.id, definition, state, values: after.values }
        return changePlan(context, current, written, views, loaded)
      },
  )
}

function changeQueries(id: string | SQL, body: PatchBody) {
  const definitionId = sql`select m.definition_id from metaobjects m where m.tenant_id = current_tenant() and m.id = ${id}::uuid`
  const ids = possibleReferences(writtenFields(body.fields).entries.flatMap(({ value }) => value ?? []))
  return {
    taken: takenNamesStatement(
      metaobjects,
      { handle: [body.handle], externalId: [body.externalId] },
      { except: id, within: { handle: sql`definition_id = (${definitionId})` } },
    ),
    existing: existingStatement(ids, id),
    ids: statement(
      idColumn,
    )`select id from metaobjects where tenant_id = current_tenant() and id = ${id}::uuid`,
    loaded: metaobjectsQueryFor(sql`select ${id}::uuid`, ids),
  }
}

/** Removes a locale from the values of a metaobject's fields. */
export async function forgetLocaleOfMetaobject(
  context: Context,
  id: string,
  locale: string,
): Promise<unknown> {
  const { locales } = context.tenant
  const localeContext = { ...context, locale: localeOf(locales, locale) }
  return write<MetaobjectParts | null>(context, 'forgetLocale', async (read) => {
    const { loaded } = await read({ loaded: metaobjectsQueryFor(sql`select ${id}::uuid`) })
    const stored = loaded.parts(id)
    if (!stored?.parts.translations[locale]) return { unchanged: null }
    const { parts: before, definition } = stored
    const state = stateOf(shape, before)
    const values = { fields: before.fields, translations: textsWithout(locale, before.translations, locales) }
    const views = [
      changeView(state, before, localeContext),
      changeView(state, values, localeContext),
    ] as const
    return changePlan(context, before, { id, definition, state, values }, views, loaded)
  })
}

function changePlan(
  context: Context,
  before: MetaobjectParts,
  after: NewMetaobject,
  views: readonly [ChangeView, ChangeView],
  related: Metaobjects,
): Plan<MetaobjectParts> {
  const { id, definition } = after
  const row = rowOf(context, after)
  const parts = partsOf(row, definition, before, related.row)
  return {
    guard: [
      { kind: 'metaobject_definitions', id: definition.id, version: definition.version },
      { kind: 'metaobjects', id, version: before.version },
    ],
    underClock: save(metaobjects, [row]),
    changed: [
      updateOf(metaobjectKind, before, {
        document: metaobjectEventDocument(parts),
        changes: differencesBetween(...views),
      }),
    ],
    totals: { metaobjects_active: Number(row.status === 'ACTIVE') - Number(before.status === 'ACTIVE') },
    result: parts,
  }
}

/** Deletes a metaobject. Values that refer to it stay, and documents omit it. */
export async function deleteMetaobject(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteMetaobject', async (read) => {
    const { loaded } = await read({ loaded: metaobjectsQueryFor(sql`select ${id}::uuid`) })
    const metaobject = loaded.parts(id)?.parts
    if (!metaobject) throw metaobjectProblems.not_found({ id })
    requireIfMatch(context, metaobject.version)
    return {
      guard: [{ kind: 'metaobjects', id, version: metaobject.version }],
      beforeClock: [deleteRow(metaobjects, id)],
      changed: [deletionOf(metaobjectKind, metaobject, metaobjectEventDocument(metaobject))],
      totals: { metaobjects: -1, metaobjects_active: -Number(metaobject.status === 'ACTIVE') },
      result: null,
    }
  })
  return { kind: 'empty', replayed }
}
