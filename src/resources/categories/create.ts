import { uuidv7 } from 'uuidv7'
import { handleCandidates, handleOf } from '../../core/handle.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Plan, write } from '../../core/write.ts'
import type { Statement } from '../../db/client.ts'
import { referencesReading } from '../content/custom-fields/index.ts'
import { itemAnswer, writtenCategories, writtenForm } from './answer.ts'
import { type Decision, decide, namesakes, type RequestedCategory } from './decide-creation.ts'
import { tooDeep } from './depth.ts'
import { categoryDocument } from './document.ts'
import { changedIds, createdEvent, movedEvent } from './event.ts'
import { type expandParameter, levelsOf } from './expand.ts'
import { categoryIri } from './iri.ts'
import { linked, linksOf } from './links.ts'
import { takenStatement, textsIn } from './names.ts'
import { placements } from './placing.ts'
import type { category as shape } from './schema.ts'
import { type CategoryForm, type CategoryRow, categoryStatement } from './store.ts'
import {
  appendRows,
  childrenStatement,
  closeGaps,
  nodesStatement,
  refuseCycles,
  reparent,
  settleLevels,
  treeGuard,
} from './tree.ts'

type Create = Input<{ query: { expand: typeof expandParameter }; body: typeof shape }>

/** Creates one category or up to 250, all or nothing. `children` moves categories that exist below a new one. */
export async function createCategories(context: Context, { bodies, bulk, query }: Create): Promise<Answer> {
  const wanted = bodies.map((body, index) => ({
    body,
    links: linksOf(uuidv7(), body, (property) => (bulk ? `[${index}].${property}` : property)),
    base: handleOf(String(body.title), 'category'),
  }))
  const form = writtenForm(context, levelsOf(query.expand))
  let attempt = 0
  const { result, settled, stamps, replayed } = await write<readonly string[], CategoryRow>(
    context,
    'createCategories',
    async (read) => {
      attempt += 1
      const found = await read(readingsOf(wanted))
      return planOf(context, decide(context, wanted, found, attempt > 2), form)
    },
  )
  // A replay answers with the ids of the first time.
  const parts = result.map(writtenCategories(settled, stamps, form))
  const [first] = parts
  if (first && !bulk) return { ...itemAnswer(context, first), location: categoryIri(first.id), replayed }
  const members = parts.map((each) => categoryDocument(each, context.locale))
  return { kind: 'collection', members, total: members.length, replayed }
}

function readingsOf(wanted: readonly RequestedCategory[]) {
  const bodies = wanted.map((each) => each.body)
  const links = wanted.map((each) => each.links)
  const bases = new Set(wanted.map((each) => each.base))
  const derivable = [...bases].flatMap((base) => handleCandidates(base, namesakes(wanted, base)))
  return {
    nodes: nodesStatement(linked(links)),
    counts: childrenStatement([...new Set(links.map((each) => each.parentId ?? null))]),
    taken: takenStatement(
      [...new Set([...textsIn(bodies.map((each) => each.handle)), ...derivable])],
      textsIn(bodies.map((each) => each.externalId)),
    ),
    references: referencesReading(bodies.map((each) => each.fields)),
  }
}

function planOf(
  context: Context,
  decision: Decision,
  form: CategoryForm,
): Plan<readonly string[], CategoryRow> {
  const { additions, moved } = decision
  const changed = [
    ...additions.map((each) => createdEvent(context, each)),
    ...moved.map(({ node, parentId }) => movedEvent(node, parentId)),
  ]
  const adopting = additions.find(({ links }) => links.children)
  return {
    guard: [
      treeGuard,
      ...moved.map(({ node }) => ({ kind: 'categories', id: node.id, version: node.version })),
    ],
    statements: statementsOf(decision),
    settled: categoryStatement(changedIds(changed), form),
    changed,
    totals: { categories: additions.length },
    result: additions.map(({ links }) => links.id),
    // What a race has taken away is found, and named, by reading again.
    refusals: {
      categories_handle: 'again',
      categories_external_id: 'again',
      categories_has_children: 'again',
      'category.cycle': 'again',
      categories_level_check: tooDeep(
        adopting?.links.at('children') ?? additions[0]?.links.at('parent') ?? 'parent',
      ),
    },
  }
}

function statementsOf({ additions, moved, siblings }: Decision): Statement[] {
  const ids = additions.map((each) => each.row.id)
  return [
    appendRows(additions.map((each) => each.row)),
    ...additions.flatMap(({ links }) => reparent(links.children ?? [], links.id)),
    ...(moved.length > 0
      ? [
          refuseCycles(ids),
          settleLevels([...ids, ...moved.map(({ node }) => node.id)]),
          ...closeGaps([...new Set(moved.map(({ node }) => node.parentId))]),
        ]
      : []),
    ...placements(
      additions.map(({ row, position }) => ({ id: row.id, parentId: row.parent_id, position })),
      siblings,
    ),
  ]
}
