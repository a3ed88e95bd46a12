import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { changesBetween, sameJson } from '../../../core/patch.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { patching, type Rewrite, type Translated } from '../../../core/rewrite.ts'
import { stamped } from '../../../core/stamped.ts'
import { stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { nameConflicts } from '../../taken-names.ts'
import { unknownCategories } from './conditions.ts'
import type { CollectionParts } from './document.ts'
import { categoriesStatement, takenStatement } from './names.ts'
import { collectionProblems } from './problems.ts'
import { rebuildNow } from './rebuild.ts'
import { demandRoomForRules, rebuildStatement, ruleChange, ruleRefusals } from './rebuilds.ts'
import { rowOf, rulesOf, writtenAnswer } from './rows.ts'
import { collection as shape } from './schema.ts'
import { collectionStatement } from './store.ts'
import { collections } from './table.ts'

type Body = Readonly<Record<string, Json>>

/** Merges a patch into a collection. Changed rules sort all products anew, as soon as it is answered. */
export async function patchCollection(context: Context, { params, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const [body = {}] = bodies
  const written = await write<Json>(context, 'patchCollection', (read) => change(context, read, id, body))
  const parts = written.result as unknown as CollectionParts
  if (parts.rebuilding && body.rules !== undefined && !written.replayed) rebuildNow(context, id)
  return writtenAnswer(context, written)
}

/** Rewrites a collection's texts. */
export async function translateCollection(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<CollectionParts>> {
  const { result, stamps, replayed } = await write<Json>(
    context,
    'putProductCollectionTranslations',
    (read) => change(context, read, id, {}, rewrite),
  )
  return { ...stamped(result as unknown as CollectionParts, stamps), replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
  rewrite = patching(shape, body, context.locale),
): Promise<Plan<Json>> {
  const handles = typeof body.handle === 'string' ? [body.handle] : []
  const [[own], taken, categories] = await read(
    collectionStatement(id, true),
    takenStatement({ handles, externalId: body.externalId }, id),
    categoriesStatement(body.rules),
  )
  if (!own) throw collectionProblems.not_found({ id })
  demandVersion(context, own.version)
  const before = stateOf(shape, own)
  const { state, violations } = rewrite.apply(before)
  const rules = rulesOf(state)
  // A category that was there when it was named may go at any time.
  const renamed = !sameJson(
    (rulesOf(before)?.conditions ?? null) as Json,
    (rules?.conditions ?? null) as Json,
  )
  refuse([
    ...violations,
    ...immutabilities(body, String(before.values.type)),
    ...(renamed ? unknownCategories(rules, new Set(categories.map((each) => each.id))) : []),
  ])
  refuse(nameConflicts(body, taken, collectionProblems))
  if (sameJson(before as unknown as Json, state as unknown as Json))
    return { unchanged: own as unknown as Json }
  const resorts = !sameJson(rulesOf(before) as Json, rules as Json)
  const row = rowOf(context, id, state)
  const parts: CollectionParts = {
    ...own,
    document: row.document,
    translations: row.translations,
    rebuilding: own.rebuilding || resorts,
  }
  const sorting = resorts ? ruleChange(context, id) : { guard: [], statements: [] }
  return {
    guard: [...sorting.guard, { kind: 'collections', id, version: own.version }],
    statements: [
      ...updateRows(collections, [row]),
      ...sorting.statements,
      ...(resorts ? [demandRoomForRules] : []),
    ],
    changed: [
      {
        kind: 'collections',
        id,
        version: own.version + 1,
        action: 'updated',
        topic: 'collection/updated',
        document: JSON.stringify(parts),
        changes: changesBetween(rewrite.shown(before), rewrite.shown(state)),
      },
    ],
    totals: {},
    result: parts as unknown as Json,
    refusals: { ...ruleRefusals, collections_handle: 'again', collections_external_id: 'again' },
  }
}

/** What a patch may not do: take the handle away, change the type, or give rules to what has none and the reverse. */
function immutabilities(body: Body, type: string): Violation[] {
  const rules = body.rules === undefined ? undefined : body.rules !== null
  return [
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
    ...(body.type !== undefined && body.type !== type ? [collectionProblems.type_immutable.at('type')] : []),
    ...(rules === true && type === 'MANUAL'
      ? [collectionProblems.rule.at('rules', { allowed: 'null' })]
      : []),
    ...(rules === false && type === 'RULE_BASED' ? [validationProblems.required.at('rules')] : []),
  ]
}

/** Deletes a collection. Its products are told, each by an event of its own, as soon as it is answered. */
export async function deleteCollection(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteCollection', async (read) => {
    const [[own]] = await read(collectionStatement(id, true))
    if (!own) throw collectionProblems.not_found({ id })
    demandVersion(context, own.version)
    const sorting =
      rulesOf(stateOf(shape, own)) === null
        ? { guard: [], statements: [rebuildStatement(context, id)] }
        : ruleChange(context, id)
    return {
      guard: [...sorting.guard, { kind: 'collections', id, version: own.version }],
      statements: [...deleteRows(collections, [id]), ...sorting.statements],
      changed: [
        {
          kind: 'collections',
          id,
          version: own.version + 1,
          action: 'deleted',
          topic: 'collection/deleted',
          document: JSON.stringify(own),
          changes: [],
        },
      ],
      totals: { collections: -1 },
      result: null,
      refusals: {},
    }
  })
  if (!replayed) rebuildNow(context, id)
  return { kind: 'empty', replayed }
}
