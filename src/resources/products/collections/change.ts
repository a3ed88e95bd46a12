import type { Answer, BodyOf, Context, Input } from '../../../core/operation.ts'
import { differencesBetween } from '../../../core/patch.ts'
import { deletionOf } from '../../../core/plan.ts'
import { patching, type Rewrite, type Translated } from '../../../core/rewrite.ts'
import { stamped } from '../../../core/stamped.ts'
import { stateOf } from '../../../core/state.ts'
import { demandVersion, type Plan, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { deleteRows, updateRows } from '../../../db/rows.ts'
import { type Decided, decide } from './decide-change.ts'
import type { CollectionParts } from './document.ts'
import { collectionKind } from './kind.ts'
import { categoriesStatement, takenStatement } from './names.ts'
import { collectionProblems } from './problems.ts'
import { rebuildNow } from './rebuild.ts'
import { demandRoomForRules, rebuildStatement, ruleChange, ruleRefusals } from './rebuilds.ts'
import { rowOf, writtenAnswer } from './rows.ts'
import { collection as shape } from './schema.ts'
import { collectionStatement } from './store.ts'
import { collections } from './table.ts'

type Body = BodyOf<typeof shape>

/** Merges a patch into a collection. Changed rules sort all products anew, as soon as it is answered. */
export async function patchCollection(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const written = await write<CollectionParts>(context, 'patchCollection', (read) =>
    change(context, read, id, body),
  )
  if (written.result.rebuilding && body.rules !== undefined && !written.replayed) rebuildNow(context, id)
  return writtenAnswer(context, written)
}

/** Rewrites a collection's texts. */
export async function translateCollection(
  context: Context,
  id: string,
  rewrite: Rewrite<typeof shape>,
): Promise<Translated<CollectionParts>> {
  const { result, stamps, replayed } = await write<CollectionParts>(
    context,
    'putProductCollectionTranslations',
    (read) => change(context, read, id, {}, rewrite),
  )
  return { ...stamped(result, stamps), replayed }
}

async function change(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
  rewrite = patching(shape, body, context.locale),
): Promise<Plan<CollectionParts>> {
  const {
    found: [own],
    taken,
    categories,
  } = await read({
    found: collectionStatement(id, true),
    taken: takenStatement(
      { handles: typeof body.handle === 'string' ? [body.handle] : [], externalId: body.externalId },
      id,
    ),
    categories: categoriesStatement(body.rules),
  })
  if (!own) throw collectionProblems.not_found({ id })
  demandVersion(context, own.version)
  const known = new Set(categories.map((each) => each.id))
  const decided = decide({ before: stateOf(shape, own), taken, known }, body, rewrite)
  return decided ? planOf(context, own, decided, rewrite) : { unchanged: own }
}

function planOf(
  context: Context,
  own: CollectionParts,
  { before, after, resorts }: Decided,
  rewrite: Rewrite<typeof shape>,
): Plan<CollectionParts> {
  const { id, version } = own
  const row = rowOf(context, id, after)
  const parts: CollectionParts = {
    ...own,
    document: row.document,
    translations: row.translations,
    rebuilding: own.rebuilding || resorts,
  }
  const sorting = resorts ? ruleChange(context, id) : { guard: [], statements: [] }
  return {
    guard: [...sorting.guard, { kind: 'collections', id, version }],
    statements: [
      ...updateRows(collections, [row]),
      ...sorting.statements,
      ...(resorts ? [demandRoomForRules] : []),
    ],
    changed: [
      {
        kind: 'collections',
        id,
        version: version + 1,
        action: 'updated',
        topic: 'collection/updated',
        document: JSON.stringify(parts),
        changes: differencesBetween(rewrite.shown(before), rewrite.shown(after)),
      },
    ],
    totals: {},
    result: parts,
    refusals: { ...ruleRefusals, collections_handle: 'again', collections_external_id: 'again' },
  }
}

/** Deletes a collection. After the answer each of its products is updated, with an event of its own. */
export async function deleteCollection(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteCollection', async (read) => {
    const {
      found: [own],
    } = await read({ found: collectionStatement(id, true) })
    if (!own) throw collectionProblems.not_found({ id })
    demandVersion(context, own.version)
    const sorting =
      stateOf(shape, own).values.rules === null
        ? { guard: [], statements: [rebuildStatement(context, id)] }
        : ruleChange(context, id)
    return {
      guard: [...sorting.guard, { kind: 'collections', id, version: own.version }],
      statements: [...deleteRows(collections, [id]), ...sorting.statements],
      changed: [deletionOf(collectionKind, own, JSON.stringify(own))],
      totals: { collections: -1 },
      result: null,
      refusals: {},
    }
  })
  if (!replayed) rebuildNow(context, id)
  return { kind: 'empty', replayed }
}
