import type { SQL } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Answer, BodyOf, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, type Plan, uncommitted, updateOf, withStamps } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import { created, patchTexts, stateOf, type TextUpdate, type Translated } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { combineQueries, mapQuery, type Statement, statement } from '../../db/query.ts'
import { idColumn, uuidArray } from '../../db/sql.ts'
import { deleteRow, save } from '../../db/write-steps.ts'
import { namesInUse, type TakenName, takenNamesStatement } from '../shared/names.ts'
import {
  changeOrCreate,
  idByExternalId,
  type PlanQuery,
  prepared,
  upsert,
  upsertedAnswer,
} from '../shared/ordinary-operations.ts'
import { type CollectionParts, collectionKind, rowOf, writtenAnswer } from './document.ts'
import { collectionProblems } from './problems.ts'
import { collectionStatement } from './read.ts'
import { rebuildNow, rebuildStep, requireRulesWithinLimits, ruleChange, ruleProblems } from './rebuild.ts'
import { unknownCategories } from './rules.ts'
import { collectionIri, collection as shape } from './schema.ts'
import { collections } from './table.ts'

const nameProblems = {
  handle: collectionProblems.handle_taken,
  externalId: collectionProblems.external_id_taken,
}

const categoryIri = /\/api\/categories\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g

/** Selects the existing categories that unvalidated `rules` name. The value can be anything at this point. */
export function categoriesStatement(rules: unknown): Statement<{ id: string }> {
  const ids = [...JSON.stringify(rules ?? null).matchAll(categoryIri)].flatMap(([, id]) => id ?? [])
  return statement(idColumn)`
    select id from categories where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
}

type Body = BodyOf<typeof shape>

/** Creates a collection. With rules it starts empty, and a rebuild adds products after the response. */
export async function createCollection(
  context: Context,
  { bodies: [input = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const outcome = await write(context, 'createCollection', prepared(creationQuery(context, input)))
  const { result: collection, replayed } = outcome
  if (collection.rebuilding && !replayed) rebuildNow(context, collection.id)
  return { ...writtenAnswer(context, outcome), location: collectionIri(collection.id) }
}

function creationQuery(context: Context, input: Body): PlanQuery<Plan<CollectionParts>> {
  const id = uuidv7()
  const body = withType(input)
  const { rules = null } = body
  const base = handleOf(body.title ?? '', 'collection')
  const handles = typeof body.handle === 'string' ? [body.handle] : handleCandidates(base)
  const queries = combineQueries({
    taken: takenNamesStatement(collections, { handle: handles, externalId: [body.externalId] }),
    categories: categoriesStatement(rules),
  })
  return mapQuery(queries, ({ taken, categories }) => (attempt) => {
    throwViolations(unknownCategories(rules, new Set(categories.map((category) => category.id))))
    const names = namesInUse(taken)
    throwViolations(names.reserveAll(body, nameProblems))
    const handle = body.handle ?? names.reserveHandle(base, id, attempt > 1)
    const state = created(shape, { ...body, handle }, context.locale)
    const row = rowOf(context, id, state)
    const { document, translations } = row
    const derived = { productsCount: 0, rebuilding: rules !== null }
    const parts = { id, document, translations, ...derived, ...uncommitted }
    const { guard, steps } = rules ? ruleChange(context, id) : noRuleChange
    return {
      guard,
      beforeClock: [...save(collections, [row]), ...steps, ...(rules ? [requireRulesWithinLimits] : [])],
      changed: [
        creationOf(collectionKind, id, {
          document: JSON.stringify(parts),
          changes: differencesBetween(
            {},
            { ...state.values, ...state.translations[context.locale.requested] },
          ),
        }),
      ],
      totals: { collections: 1 },
      result: parts,
      constraintProblems: ruleProblems,
    }
  })
}

/** Sets the type of a body from its rules if absent. @throws 422 if type and rules contradict each other */
function withType(body: Body): Body {
  const { rules } = body
  const type = body.type ?? (rules ? 'RULE_BASED' : 'MANUAL')
  if (type === 'MANUAL' && rules) throwViolations([collectionProblems.manual_rules.at('rules')])
  if (type === 'RULE_BASED' && !rules) throwViolations([validationProblems.required.at('rules')])
  return { ...body, type }
}

const noRuleChange = { guard: [], steps: [] }

/** Merges a patch into a collection. After changed rules a rebuild matches all products once the response is sent. */
export async function patchCollection(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const plan = changeQuery(context, id, body)
  const notFound = () => collectionProblems.not_found({ id })
  const outcome = await write(context, 'patchCollection', prepared(plan, notFound))
  if (outcome.result.rebuilding && body.rules !== undefined && !outcome.replayed) rebuildNow(context, id)
  return writtenAnswer(context, outcome)
}

/** Creates a collection or changes it. */
export async function upsertCollection(
  context: Context,
  { params: { externalId }, bodies: [body = {}], creation }: UpsertInput,
): Promise<Answer> {
  const outcome = await upsert<CollectionParts>(
    context,
    'upsertCollection',
    changeOrCreate(changeQuery(context, idByExternalId(collections, externalId), body), () =>
      creationQuery(context, creation()),
    ),
  )
  const { result: collection, replayed } = outcome
  if (collection.rebuilding && body.rules !== undefined && !replayed) rebuildNow(context, collection.id)
  return upsertedAnswer(writtenAnswer(context, outcome), outcome, collectionIri(collection.id))
}

type UpsertInput = Input<{ params: 'externalId'; body: typeof shape; creates: typeof shape }>

export async function translateCollection(
  context: Context,
  id: string,
  textUpdate: TextUpdate<typeof shape>,
): Promise<Translated<CollectionParts>> {
  const plan = changeQuery(context, id, {}, textUpdate)
  const { result, stamps, replayed } = await write(
    context,
    'putProductCollectionTranslations',
    prepared(plan, () => collectionProblems.not_found({ id })),
  )
  return { ...withStamps(result, stamps), replayed }
}

function changeQuery(
  context: Context,
  id: string | SQL,
  body: Body,
  textUpdate = patchTexts(shape, body, context.locale),
): PlanQuery<Plan<CollectionParts> | null> {
  const queries = combineQueries({
    collections: collectionStatement(id, true),
    taken: takenNamesStatement(
      collections,
      { handle: [body.handle], externalId: [body.externalId] },
      { except: id },
    ),
    categories: categoriesStatement(body.rules),
  })
  return mapQuery(
    queries,
    ({ collections: [collection], taken, categories }) =>
      () =>
        collection ? planChange(context, collection, { body, textUpdate, taken, categories }) : null,
  )
}

type RequestedChange = {
  readonly body: Body
  readonly textUpdate: TextUpdate<typeof shape>
  readonly taken: readonly TakenName[]
  readonly categories: readonly { readonly id: string }[]
}

function planChange(
  context: Context,
  collection: CollectionParts,
  { body, textUpdate, taken, categories }: RequestedChange,
): Plan<CollectionParts> {
  const { id } = collection
  requireIfMatch(context, collection.version)
  const before = stateOf(shape, collection)
  const { state: after, violations } = textUpdate.apply(before)
  const [rules, newRules] = [before.values.rules, after.values.rules]
  // Checks categories only if the conditions change: a named category may have been deleted since.
  const areConditionsChanged = !sameJson(rules?.conditions ?? null, newRules?.conditions ?? null)
  const existingCategories = new Set(categories.map((category) => category.id))
  throwViolations([
    ...violations,
    ...immutabilityViolations(body, before.values.type),
    ...(areConditionsChanged ? unknownCategories(newRules, existingCategories) : []),
  ])
  throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
  if (sameJson(before, after)) return { unchanged: collection }
  const isRecheckNeeded = !sameJson(rules, newRules)
  const row = rowOf(context, id, after)
  const parts: CollectionParts = {
    ...collection,
    document: row.document,
    translations: row.translations,
    rebuilding: collection.rebuilding || isRecheckNeeded,
  }
  const { guard, steps } = isRecheckNeeded ? ruleChange(context, id) : noRuleChange
  return {
    guard: [...guard, { kind: 'collections', id, version: collection.version }],
    beforeClock: [
      ...save(collections, [row]),
      ...steps,
      ...(isRecheckNeeded ? [requireRulesWithinLimits] : []),
    ],
    changed: [
      updateOf(collectionKind, collection, {
        document: JSON.stringify(parts),
        changes: differencesBetween(textUpdate.shown(before), textUpdate.shown(after)),
      }),
    ],
    totals: {},
    result: parts,
    constraintProblems: ruleProblems,
  }
}

/**
 * Violations for forbidden changes: removing the handle, changing the type, adding rules to a manual collection or
 * removing them.
 */
function immutabilityViolations(body: Body, type: string): Violation[] {
  const rules = body.rules === undefined ? undefined : body.rules !== null
  return [
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...(body.type !== undefined && body.type !== type ? [collectionProblems.type_immutable.at('type')] : []),
    ...(rules === true && type === 'MANUAL' ? [collectionProblems.manual_rules.at('rules')] : []),
    ...(rules === false && type === 'RULE_BASED' ? [validationProblems.required.at('rules')] : []),
  ]
}

/** Deletes a collection. After the response each of its products is updated, with one event each. */
export async function deleteCollection(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteCollection', async (read) => {
    const {
      collections: [collection],
    } = await read({ collections: collectionStatement(id, true) })
    if (!collection) throw collectionProblems.not_found({ id })
    requireIfMatch(context, collection.version)
    const rulesUpdate =
      stateOf(shape, collection).values.rules === null
        ? { guard: [], steps: [rebuildStep(context, id)] }
        : ruleChange(context, id)
    return {
      guard: [...rulesUpdate.guard, { kind: 'collections', id, version: collection.version }],
      beforeClock: [deleteRow(collections, id), ...rulesUpdate.steps],
      changed: [deletionOf(collectionKind, collection, JSON.stringify(collection))],
      totals: { collections: -1 },
      result: null,
    }
  })
  if (!replayed) rebuildNow(context, id)
  return { kind: 'empty', replayed }
}
