import { uuidv7 } from 'uuidv7'
import type { Answer, BodyOf, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, type Plan, updateOf, withStamps } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import {
  created,
  patchTexts,
  type State,
  stateOf,
  type TextUpdate,
  type Translated,
} from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { type Statement, statement } from '../../db/query.ts'
import { idColumn } from '../../db/sql.ts'
import { deleteRow, save, uuidArray } from '../../db/write-steps.ts'
import { namesInUse, type TakenName, takenNamesStatement } from '../shared/names.ts'
import { type CollectionParts, collectionKind, rowOf, writtenAnswer } from './document.ts'
import { collectionProblems } from './problems.ts'
import { collectionStatement } from './read.ts'
import { rebuildNow, rebuildStep, requireRulesWithinLimits, ruleChange, ruleProblems } from './rebuild.ts'
import { unknownCategories } from './rules.ts'
import { collectionIri, collection as shape } from './schema.ts'
import { collections } from './table.ts'

const nameProblems = {
  handle: (path: string, handle: string) => collectionProblems.handle_taken.at(path, { handle }),
  externalId: (path: string, externalId: string) =>
    collectionProblems.external_id_taken.at(path, { externalId }),
}

const categoryIri = /\/api\/categories\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g

/** Selects the existing categories that unvalidated `rules` name. The value can be anything at this point. */
export function categoriesStatement(rules: unknown): Statement<{ id: string }> {
  const ids = [...JSON.stringify(rules ?? null).matchAll(categoryIri)].flatMap(([, id]) => id ?? [])
  return statement(idColumn)`
    select id from categories where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
}

type CreationBody = BodyOf<typeof shape>

/** Creates a collection. With rules it starts empty, and a rebuild adds products after the response. */
export async function createCollection(
  context: Context,
  { bodies: [input = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const body = withType(input)
  let attempt = 0
  const outcome = await write<CollectionParts>(context, 'createCollection', (read) => {
    attempt += 1
    return planCreation(context, read, { id, body, isRetried: attempt > 1 })
  })
  const { result: collection, replayed } = outcome
  if (collection.rebuilding && !replayed) rebuildNow(context, collection.id)
  return { ...writtenAnswer(context, outcome), location: collectionIri(collection.id) }
}

/** Sets the type of a body from its rules if absent. @throws 422 if type and rules contradict each other */
function withType(body: CreationBody): CreationBody {
  const { rules } = body
  const type = body.type ?? (rules ? 'RULE_BASED' : 'MANUAL')
  if (type === 'MANUAL' && rules) throwViolations([collectionProblems.manual_rules.at('rules')])
  if (type === 'RULE_BASED' && !rules) throwViolations([validationProblems.required.at('rules')])
  return { ...body, type }
}

type RequestedCollection = {
  readonly id: string
  readonly body: CreationBody
  /** True if concurrent writes keep taking the derived handles. */
  readonly isRetried: boolean
}

async function planCreation(
  context: Context,
  read: Session['read'],
  { id, body, isRetried }: RequestedCollection,
): Promise<Plan<CollectionParts>> {
  const { rules = null } = body
  const base = handleOf(body.title ?? '', 'collection')
  const handles = typeof body.handle === 'string' ? [body.handle] : handleCandidates(base)
  const { taken, categories } = await read({
    taken: takenNamesStatement(collections, { handle: handles, externalId: [body.externalId] }),
    categories: categoriesStatement(rules),
  })
  throwViolations(unknownCategories(rules, new Set(categories.map((category) => category.id))))
  const names = namesInUse(taken)
  throwViolations(names.reserveAll(body, nameProblems))
  const handle = body.handle ?? names.reserveHandle(base, id, isRetried)
  const state = created(shape, { ...body, handle }, context.locale)
  const row = rowOf(context, id, state)
  const parts: CollectionParts = {
    id,
    document: row.document,
    translations: row.translations,
    productsCount: 0,
    rebuilding: rules !== null,
    version: 0,
    createdAt: '',
    updatedAt: '',
  }
  const change = rules ? ruleChange(context, id) : { guard: [], steps: [] }
  return {
    guard: change.guard,
    steps: [...save(collections, [row]), ...change.steps, ...(rules ? [requireRulesWithinLimits] : [])],
    changed: [
      creationOf(collectionKind, id, {
        document: JSON.stringify(parts),
        changes: differencesBetween({}, { ...state.values, ...state.translations[context.locale.requested] }),
      }),
    ],
    totals: { collections: 1 },
    result: parts,
    constraintProblems: ruleProblems,
  }
}

type ChangedBody = BodyOf<typeof shape>

/** The loaded state of a collection and of the resources that a change refers to. */
type ChangeInputs = {
  readonly before: State<typeof shape>
  readonly taken: readonly TakenName[]
  /** The existing categories that the new rules name. */
  readonly existingCategories: ReadonlySet<string>
}

/** A decided change. */
type ChangeDecision = {
  readonly before: State<typeof shape>
  readonly after: State<typeof shape>
  /** True if all products must be matched again. */
  readonly isRecheckNeeded: boolean
}

/** Returns null if nothing changes. @throws Problem 409, 422 */
function decideChange(
  { before, taken, existingCategories }: ChangeInputs,
  body: ChangedBody,
  textUpdate: TextUpdate<typeof shape>,
): ChangeDecision | null {
  const { state: after, violations } = textUpdate.apply(before)
  const [rules, newRules] = [before.values.rules, after.values.rules]
  // Checks categories only if the conditions change: a named category may have been deleted since.
  const areConditionsChanged = !sameJson(rules?.conditions ?? null, newRules?.conditions ?? null)
  throwViolations([
    ...violations,
    ...immutabilityViolations(body, before.values.type),
    ...(areConditionsChanged ? unknownCategories(newRules, existingCategories) : []),
  ])
  throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
  if (sameJson(before, after)) return null
  return { before, after, isRecheckNeeded: !sameJson(rules, newRules) }
}

/**
 * Violations for forbidden changes: removing the handle, changing the type, adding rules to a manual collection or
 * removing them.
 */
function immutabilityViolations(body: ChangedBody, type: string): Violation[] {
  const rules = body.rules === undefined ? undefined : body.rules !== null
  return [
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...(body.type !== undefined && body.type !== type ? [collectionProblems.type_immutable.at('type')] : []),
    ...(rules === true && type === 'MANUAL' ? [collectionProblems.manual_rules.at('rules')] : []),
    ...(rules === false && type === 'RULE_BASED' ? [validationProblems.required.at('rules')] : []),
  ]
}

type PatchBody = BodyOf<typeof shape>

/** Merges a patch into a collection. After changed rules a rebuild matches all products once the response is sent. */
export async function patchCollection(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const outcome = await write<CollectionParts>(context, 'patchCollection', (read) =>
    planChange(context, read, id, body),
  )
  if (outcome.result.rebuilding && body.rules !== undefined && !outcome.replayed) rebuildNow(context, id)
  return writtenAnswer(context, outcome)
}

export async function translateCollection(
  context: Context,
  id: string,
  textUpdate: TextUpdate<typeof shape>,
): Promise<Translated<CollectionParts>> {
  const { result, stamps, replayed } = await write<CollectionParts>(
    context,
    'putProductCollectionTranslations',
    (read) => planChange(context, read, id, {}, textUpdate),
  )
  return { ...withStamps(result, stamps), replayed }
}

async function planChange(
  context: Context,
  read: Session['read'],
  id: string,
  body: PatchBody,
  textUpdate = patchTexts(shape, body, context.locale),
): Promise<Plan<CollectionParts>> {
  const {
    collections: [collection],
    taken,
    categories,
  } = await read({
    collections: collectionStatement(id, true),
    taken: takenNamesStatement(
      collections,
      { handle: [body.handle], externalId: [body.externalId] },
      { except: id },
    ),
    categories: categoriesStatement(body.rules),
  })
  if (!collection) throw collectionProblems.not_found({ id })
  requireIfMatch(context, collection.version)
  const existingCategories = new Set(categories.map((category) => category.id))
  const decision = decideChange(
    { before: stateOf(shape, collection), taken, existingCategories },
    body,
    textUpdate,
  )
  return decision ? changePlan(context, collection, decision, textUpdate) : { unchanged: collection }
}

function changePlan(
  context: Context,
  current: CollectionParts,
  { before, after, isRecheckNeeded }: ChangeDecision,
  textUpdate: TextUpdate<typeof shape>,
): Plan<CollectionParts> {
  const { id, version } = current
  const row = rowOf(context, id, after)
  const parts: CollectionParts = {
    ...current,
    document: row.document,
    translations: row.translations,
    rebuilding: current.rebuilding || isRecheckNeeded,
  }
  const rulesUpdate = isRecheckNeeded ? ruleChange(context, id) : { guard: [], steps: [] }
  return {
    guard: [...rulesUpdate.guard, { kind: 'collections', id, version }],
    steps: [
      ...save(collections, [row]),
      ...rulesUpdate.steps,
      ...(isRecheckNeeded ? [requireRulesWithinLimits] : []),
    ],
    changed: [
      updateOf(collectionKind, current, {
        document: JSON.stringify(parts),
        changes: differencesBetween(textUpdate.shown(before), textUpdate.shown(after)),
      }),
    ],
    totals: {},
    result: parts,
    constraintProblems: ruleProblems,
  }
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
      steps: [deleteRow(collections, id), ...rulesUpdate.steps],
      changed: [deletionOf(collectionKind, collection, JSON.stringify(collection))],
      totals: { collections: -1 },
      result: null,
    }
  })
  if (!replayed) rebuildNow(context, id)
  return { kind: 'empty', replayed }
}
