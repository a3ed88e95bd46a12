import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/handle.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { created } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Plan, write } from '../../core/write.ts'
import type { Session, Statement } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import { fieldViolations, referencesIn, referencesStatement } from '../content/custom-fields/index.ts'
import { itemAnswer, writeReading, writtenCategories } from './answer.ts'
import { depthViolations, tooDeep } from './depth.ts'
import { categoryDocument } from './document.ts'
import type { Body } from './draft.ts'
import { type Draft, draftOf } from './draft.ts'
import { createdEvent, movedEvent } from './event.ts'
import { levelsOf } from './expand.ts'
import { categoryIri } from './iri.ts'
import { cycleViolations, linked, linksOf, linkViolations } from './links.ts'
import { claim, takenNames, takenStatement, textsIn } from './names.ts'
import { placements } from './placing.ts'
import { category as shape } from './schema.ts'
import { type CategoryReading, categoryStatements } from './store.ts'
import {
  appendRows,
  childrenStatement,
  closeGaps,
  type Node,
  nodesStatement,
  refuseCycles,
  reparent,
  settleLevels,
  treeGuard,
} from './tree.ts'

type Wanted = {
  readonly ids: readonly string[]
  readonly bodies: readonly Body[]
  readonly bulk: boolean
  /** True when others keep taking the derived handles. */
  readonly crowded: boolean
}

/** Creates one category or up to 250, all or nothing. `children` moves categories that exist below a new one. */
export async function createCategories(context: Context, { bodies, bulk, query }: Input): Promise<Answer> {
  const ids = bodies.map(() => uuidv7())
  const reading = writeReading(context, levelsOf(query.expand))
  let attempt = 0
  const written = await write<Json>(context, 'createCategories', (read) => {
    attempt += 1
    return plan(context, read, { ids, bodies, bulk, crowded: attempt > 2 }, reading)
  })
  // A replay answers with the ids of the first time.
  const made = writtenCategories(written, reading)
  const parts = (written.result as string[]).flatMap((id) => made.get(id) ?? [])
  const { replayed } = written
  if (!bulk) return { ...itemAnswer(context, parts[0]!), location: categoryIri(parts[0]!.id), replayed }
  const members = parts.map((each) => categoryDocument(each, context.locale))
  return { kind: 'collection', members, total: members.length, replayed }
}

async function plan(
  context: Context,
  read: Session['read'],
  { ids, bodies, bulk, crowded }: Wanted,
  reading: CategoryReading,
): Promise<Plan<Json>> {
  const links = bodies.map((body, index) =>
    linksOf(ids[index]!, body, (property) => (bulk ? `[${index}].${property}` : property)),
  )
  const bases = bodies.map((body) => handleOf(String(body.title), 'category'))
  const namesakes = (base: string) => bases.filter((each) => each === base).length - 1
  const derivable = [...new Set(bases)].flatMap((base) => handleCandidates(base, namesakes(base)))
  const given = {
    handles: textsIn(bodies.map((each) => each.handle)),
    externalIds: textsIn(bodies.map((each) => each.externalId)),
  }
  const [nodes, counts, found, referred] = await read(
    nodesStatement(linked(links)),
    childrenStatement([...new Set(links.map((each) => each.parentId ?? null))]),
    takenStatement([...given.handles, ...derivable], given.externalIds),
    referencesStatement(bodies.map((each) => each.fields)),
  )

  const known = new Map(nodes.map((each) => [each.id, each]))
  const references = referencesIn(referred)
  const misfits = bodies.flatMap((body, index) => {
    const after = created(shape, body, context.locale)
    return fieldViolations({ fields: body.fields, before: null, after }, references, links[index]!.at)
  })
  const violations = [...linkViolations(links, known), ...misfits]
  refuse(
    violations.length > 0 ? violations : [...cycleViolations(links, known), ...depthViolations(links, known)],
  )
  const taken = { handles: takenNames(found, 'handle'), externalIds: takenNames(found, 'externalId') }
  // Given names come first, so that none is derived that another of the request asks for.
  refuse(
    bodies.flatMap(({ handle, externalId }, index) => claim({ handle, externalId }, taken, links[index]!.at)),
  )
  const drafts = bodies.map((body, index) => {
    const id = ids[index]!
    const handle =
      (body.handle as string | null | undefined) ??
      (crowded
        ? ownHandle(bases[index]!, id)
        : freeHandle(bases[index]!, taken.handles, id, namesakes(bases[index]!)))
    taken.handles.add(handle)
    return draftOf(context, links[index]!, { ...body, handle })
  })

  const moved = links.flatMap(({ id, children = [] }) =>
    children.map((child) => ({ node: known.get(child)!, parentId: id })),
  )
  const changed = [
    ...drafts.map((each) => createdEvent(context, each)),
    ...moved.map(({ node, parentId }) => movedEvent(node, parentId)),
  ]
  const [settled] = categoryStatements(sql`select unnest(${uuids(changed.map((each) => each.id))})`, reading)
  return {
    guard: [
      treeGuard,
      ...moved.map(({ node }) => ({ kind: 'categories', id: node.id, version: node.version })),
    ],
    statements: statementsOf(
      drafts,
      moved.map(({ node }) => node),
      remaining(counts, moved),
    ),
    settled: settled!,
    changed,
    totals: { categories: drafts.length },
    result: [...ids],
    // What a race has taken away is found, and named, by reading again.
    refusals: {
      categories_handle: 'again',
      categories_external_id: 'again',
      categories_has_children: 'again',
      'category.cycle': 'again',
      categories_level_check: tooDeep(
        links.find((each) => each.children)?.at('children') ?? links[0]!.at('parent'),
      ),
    },
  }
}

/** How many children of each parent stay there. */
function remaining(
  counts: readonly { parentId: string | null; children: number }[],
  moved: readonly { node: Node }[],
): ReadonlyMap<string | null, number> {
  const leaving = Map.groupBy(moved, ({ node }) => node.parentId)
  return new Map(
    counts.map(({ parentId, children }) => [parentId, children - (leaving.get(parentId)?.length ?? 0)]),
  )
}

function statementsOf(
  drafts: readonly Draft[],
  moved: readonly Node[],
  siblings: ReadonlyMap<string | null, number>,
): Statement[] {
  const ids = drafts.map((each) => each.row.id)
  return [
    appendRows(drafts.map((each) => each.row)),
    ...drafts.flatMap(({ links }) => reparent(links.children ?? [], links.id)),
    ...(moved.length > 0
      ? [
          refuseCycles(ids),
          settleLevels([...ids, ...moved.map((each) => each.id)]),
          ...closeGaps([...new Set(moved.map((each) => each.parentId))]),
        ]
      : []),
    ...placements(
      drafts.map(({ row, position }) => ({ id: row.id, parentId: row.parent_id, position })),
      siblings,
    ),
  ]
}
