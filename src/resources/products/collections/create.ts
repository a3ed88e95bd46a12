import { uuidv7 } from 'uuidv7'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../../core/handle.ts'
import type { Answer, BodyOf, Context, Input } from '../../../core/operation.ts'
import { differencesBetween } from '../../../core/patch.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { created } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { type Plan, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { insertRows } from '../../../db/rows.ts'
import { nameConflicts } from '../../taken-names.ts'
import { unknownCategories } from './conditions.ts'
import type { CollectionParts } from './document.ts'
import { collectionIri } from './iri.ts'
import { categoriesStatement, takenStatement } from './names.ts'
import { collectionProblems } from './problems.ts'
import { rebuildNow } from './rebuild.ts'
import { demandRoomForRules, ruleChange, ruleRefusals } from './rebuilds.ts'
import { rowOf, writtenAnswer } from './rows.ts'
import { collection as shape } from './schema.ts'
import { collections } from './table.ts'

type Body = BodyOf<typeof shape>

/** Creates a collection. One with rules is empty at first; products are sorted into it as soon as it is answered. */
export async function createCollection(
  context: Context,
  { bodies: [given = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const body = typed(given)
  let attempt = 0
  const written = await write<CollectionParts>(context, 'createCollection', (read) => {
    attempt += 1
    return plan(context, read, { id, body, crowded: attempt > 2 })
  })
  const { result: made, replayed } = written
  if (made.rebuilding && !replayed) rebuildNow(context, made.id)
  return { ...writtenAnswer(context, written), location: collectionIri(made.id) }
}

/** A body with the type that it names, or that its rules tell. @throws 422 where the two do not fit */
function typed(body: Body): Body {
  const { rules } = body
  const type = body.type ?? (rules ? 'RULE_BASED' : 'MANUAL')
  if (type === 'MANUAL' && rules) refuse([collectionProblems.rule.at('rules', { allowed: 'null' })])
  if (type === 'RULE_BASED' && !rules) refuse([validationProblems.required.at('rules')])
  return { ...body, type }
}

type RequestedCollection = {
  readonly id: string
  readonly body: Body
  /** True when others keep taking the derived handles. */
  readonly crowded: boolean
}

async function plan(
  context: Context,
  read: Session['read'],
  { id, body, crowded }: RequestedCollection,
): Promise<Plan<CollectionParts>> {
  const { rules = null } = body
  const base = handleOf(body.title ?? '', 'collection')
  const handles = typeof body.handle === 'string' ? [body.handle] : handleCandidates(base)
  const { taken, categories } = await read({
    taken: takenStatement({ handles, externalId: body.externalId }, id),
    categories: categoriesStatement(rules),
  })
  refuse(unknownCategories(rules, new Set(categories.map((each) => each.id))))
  refuse(nameConflicts(body, taken, collectionProblems))
  const others = new Set(taken.flatMap(({ kind, value }) => (kind === 'handle' ? [value] : [])))
  const handle = body.handle ?? (crowded ? ownHandle(base, id) : freeHandle(base, others, id))
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
  const change = rules ? ruleChange(context, id) : { guard: [], statements: [] }
  return {
    guard: change.guard,
    statements: [
      ...insertRows(collections, [row]),
      ...change.statements,
      ...(rules ? [demandRoomForRules] : []),
    ],
    changed: [
      {
        kind: 'collections',
        id,
        version: 1,
        action: 'created',
        topic: 'collection/created',
        document: JSON.stringify(parts),
        changes: differencesBetween({}, { ...state.values, ...state.translations[context.locale.asked] }),
      },
    ],
    totals: { collections: 1 },
    result: parts,
    refusals: { ...ruleRefusals, collections_handle: 'again', collections_external_id: 'again' },
  }
}
