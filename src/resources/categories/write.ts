import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { levelsOf } from '../../core/expand.ts'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import {
  type Change,
  creationOf,
  deletionOf,
  fromReadBack,
  mapPlan,
  type Plan,
  updateOf,
  type WriteOutcome,
} from '../../core/plan.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import { patchTexts, type TextUpdate, type Translated } from '../../core/state.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { combineQueries, mapQuery, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { deleteRow, reorder, reorderAll, run, save, type WriteStep } from '../../db/write-steps.ts'
import { differencesWithCustomFields, referencesQuery } from '../fields/custom-fields.ts'
import { takenNamesStatement } from '../shared/names.ts'
import {
  changeOrCreate,
  createdAnswer,
  idByExternalId,
  type PlanQuery,
  prepared,
  upsert,
  upsertedAnswer,
} from '../shared/ordinary-operations.ts'
import { finalPositions } from '../shared/properties.ts'
import {
  type CategoryParts,
  type CategoryRow,
  categoryDocument,
  categoryEventDocument,
  categoryKind,
} from './document.ts'
import { categoryProblems } from './problems.ts'
import {
  type CategoryReadOptions,
  categoriesAfterWrite,
  categoriesOf,
  categoriesQuery,
  categoryGuards,
  categoryStatement,
  writeReadOptions,
} from './read.ts'
import {
  type ChangeDecision,
  type CreationDecision,
  countSameBase,
  decideChange,
  decideCreation,
  endPosition,
  idsOfLinks,
  linksOf,
  type NewCategory,
  type RequestedCategory,
  type RequestedChange,
  rowOf,
  tooDeep,
} from './rules.ts'
import { categoryIri, type expandParameter, category as shape } from './schema.ts'
import { categories } from './table.ts'
import {
  childrenStatement,
  closeGaps,
  type Node,
  nodesStatement,
  rejectCycles,
  rejectOtherChildren,
  reparent,
  siblingsStatement,
  treeGuard,
  updateLevels,
} from './tree.ts'

function createdEvent(context: Context, { links, state }: NewCategory): Change {
  const { id, parentId, children = [] } = links
  const after = {
    ...state.values,
    ...state.translations[context.locale.requested],
    parent: parentId ? categoryIri(parentId) : null,
    ...(children.length > 0 ? { children: children.map(categoryIri) } : {}),
  }
  return creationOf(categoryKind, id, {
    document: fromReadBack,
    changes: differencesWithCustomFields({}, after),
  })
}

/** The event of a category that the `children` of another one moved. */
function movedEvent(node: Node, parentId: string | null): Change {
  const [before, after] = [node.parentId && categoryIri(node.parentId), parentId && categoryIri(parentId)]
  return updateOf(categoryKind, node, {
    document: fromReadBack,
    changes: [{ path: 'parent', before, after }],
  })
}

function changedIds(events: readonly Change[]): SQL {
  return sql`select unnest(${uuidArray(events.map((event) => event.id))})`
}

/** A new category and its requested position; null is the end. */
type NewPosition = {
  readonly id: string
  readonly parentId: string | null
  readonly position: number | null
}

/**
 * Moves appended rows to their positions, parent by parent, as if a client had created them one after another.
 * `siblings` counts the children that existed at the read. Positions at the end precede siblings that concurrent writes
 * added later.
 */
function positionSteps(
  newPositions: readonly NewPosition[],
  siblings: ReadonlyMap<string | null, number>,
): WriteStep[] {
  const [first, ...rest] = newPositions
  if (first && rest.length === 0 && first.position !== null)
    return [reorder(categories, first.parentId, [first.id], first.position)]
  const families = [...Map.groupBy(newPositions, (row) => row.parentId)].filter(([, family]) =>
    family.some(({ position }) => position !== null),
  )
  return families.map(([parentId, family]) =>
    reorderAll(categories, parentId, finalPositions(family, siblings.get(parentId) ?? 0)),
  )
}

type CreateInput = Input<{ query: { expand: typeof expandParameter }; body: typeof shape }>

/** Creates one category or up to 250, all or none. `children` moves existing categories below a new one. */
export async function createCategories(
  context: Context,
  { bodies, bulk, query }: CreateInput,
): Promise<Answer> {
  const options = writeReadOptions(context, levelsOf(query.expand))
  const plan = creationQuery(context, bodies, bulk, options)
  const {
    result,
    readBack: rowsAfterWrite,
    stamps,
    replayed,
  } = await write(context, 'createCategories', prepared(plan))
  // A replay returns the ids of the first request.
  return createdAnswer(
    result.map(categoriesAfterWrite(rowsAfterWrite, stamps, options)),
    { bulk, replayed },
    (category) => categoryDocument(category, context.locale),
    ({ id }) => categoryIri(id),
  )
}

function creationQuery(
  context: Context,
  bodies: CreateInput['bodies'],
  bulk: boolean,
  options: CategoryReadOptions,
): PlanQuery<Plan<readonly string[], CategoryRow>> {
  const requests = bodies.map((body, index) => ({
    body,
    links: linksOf(uuidv7(), body, (property) => (bulk ? `[${index}].${property}` : property)),
    base: handleOf(String(body.title), 'category'),
  }))
  return mapQuery(
    combineQueries(creationQueries(requests)),
    (inputs) => (attempt) =>
      creationPlan(context, decideCreation(context, requests, inputs, attempt > 1), options),
  )
}

function creationQueries(requests: readonly RequestedCategory[]) {
  const bodies = requests.map((request) => request.body)
  const links = requests.map((request) => request.links)
  const bases = new Set(requests.map((request) => request.base))
  const derivable = [...bases].flatMap((base) => handleCandidates(base, countSameBase(requests, base)))
  return {
    nodes: nodesStatement(idsOfLinks(links)),
    counts: childrenStatement([...new Set(links.map((link) => link.parentId ?? null))]),
    taken: takenNamesStatement(categories, {
      handle: [...bodies.map((body) => body.handle), ...derivable],
      externalId: bodies.map((body) => body.externalId),
    }),
    references: referencesQuery(bodies.map((body) => body.fields)),
  }
}

function creationPlan(
  context: Context,
  decision: CreationDecision,
  options: CategoryReadOptions,
): Plan<readonly string[], CategoryRow> {
  const { additions, moved, siblings } = decision
  const ids = additions.map(({ row }) => row.id)
  const events = [
    ...additions.map((addition) => createdEvent(context, addition)),
    ...moved.map(({ node, parentId }) => movedEvent(node, parentId)),
  ]
  const firstWithChildren = additions.find(({ links }) => links.children)
  return {
    guard: [
      treeGuard,
      ...moved.map(({ node }) => ({ kind: 'categories', id: node.id, version: node.version })),
    ],
    beforeClock: [
      ...save(
        categories,
        additions.map(({ row }) => row),
      ),
      ...additions.flatMap(({ links }) => reparent(links.children ?? [], links.id)),
      ...(moved.length > 0
        ? [
            rejectCycles(ids),
            updateLevels([...ids, ...moved.map(({ node }) => node.id)]),
            ...closeGaps([...new Set(moved.map(({ node }) => node.parentId))]),
          ]
        : []),
      ...positionSteps(
        additions.map(({ row, position }) => ({ id: row.id, parentId: row.parentId, position })),
        siblings,
      ),
    ],
    readBack: categoryStatement(changedIds(events), options),
    changed: events,
    totals: { categories: additions.length },
    result: additions.map(({ links }) => links.id),
    // After a lost race the write reads again and reports the specific problem.
    constraintProblems: {
      categories_has_children: 'again',
      'category.cycle': 'again',
      categories_level_check: tooDeep(
        firstWithChildren?.links.at('children') ?? additions[0]?.links.at('parent') ?? 'parent',
      ),
    },
  }
}

function moveSteps(id: string, { added, dropped, moves }: ChangeDecision): WriteStep[] {
  const idsOf = (nodes: readonly Node[]) => nodes.map((node) => node.id)
  const movedIds = [...idsOf(added), ...idsOf(dropped), ...(moves ? [id] : [])]
  if (movedIds.length === 0) return []
  const formerParents = new Set(added.map((node) => node.parentId))
  if (moves) formerParents.add(moves.from)
  return [
    ...reparent(idsOf(added), id),
    ...reparent(idsOf(dropped), null),
    ...(moves ? reparent([id], moves.parentId) : []),
    rejectCycles([id]),
    updateLevels(movedIds),
    ...closeGaps([...formerParents]),
  ]
}

/** Exceeds any number of children: a comparison with the request body needs the complete list. */
const noChildLimit = 1_000_000_000

type PatchInput = Input<{
  params: 'id'
  query: { expand: typeof expandParameter }
  body: typeof shape
}>

/** Merges a patch into a category: its properties, parent, children and position. */
export async function patchCategory(
  context: Context,
  { params, query, bodies }: PatchInput,
): Promise<Answer> {
  const { id } = params
  const [body = {}] = bodies
  const textUpdate = patchTexts(shape, body, context.locale)
  const options = writeReadOptions(context, levelsOf(query.expand))
  return writtenCategory(
    context,
    await changeCategory(context, 'patchCategory', { id, body, textUpdate }, options),
  )
}

type Written = { readonly parts: CategoryParts; readonly replayed: boolean }

function writtenCategory({ locale }: Context, { parts, replayed }: Written): Answer & { kind: 'item' } {
  const document = categoryDocument(parts, locale)
  return { kind: 'item', document, version: parts.version, replayed }
}

type UpsertInput = Input<{
  params: 'externalId'
  query: { expand: typeof expandParameter }
  body: typeof shape
  creates: typeof shape
}>

/** Creates a category or changes it. */
export async function upsertCategory(
  context: Context,
  { params: { externalId }, query, bodies: [body = {}], creation }: UpsertInput,
): Promise<Answer> {
  const options = writeReadOptions(context, levelsOf(query.expand))
  const id = idByExternalId(categories, externalId)
  const request = { id, body, textUpdate: patchTexts(shape, body, context.locale) }
  const plans = changeOrCreate(changeQuery(context, request, options), () =>
    mapQuery(
      creationQuery(context, [creation()], false, options),
      (plan) => (attempt) => mapPlan(plan(attempt), ([newId = '']) => ({ id: newId, rows: [] })),
    ),
  )
  const outcome = await upsert<WrittenRows, CategoryRow>(context, 'upsertCategory', plans)
  const written = writtenParts(outcome, options)
  return upsertedAnswer(writtenCategory(context, written), outcome, categoryIri(written.parts.id))
}

export async function translateCategory(
  context: Context,
  id: string,
  textUpdate: TextUpdate<typeof shape>,
): Promise<Translated<CategoryParts>> {
  const options = writeReadOptions(context, 0)
  const request = { id, body: {}, textUpdate }
  const { parts, replayed } = await changeCategory(context, 'putCategoryTranslations', request, options)
  return { ...parts, replayed }
}

async function changeCategory(
  context: Context,
  operation: string,
  request: RequestedChange,
  options: CategoryReadOptions,
): Promise<Written> {
  const notFound = () => categoryProblems.not_found({ id: request.id })
  const plan = changeQuery(context, request, options)
  return writtenParts(await write(context, operation, prepared(plan, notFound)), options)
}

/** The id of a category, and its rows if the write did not read them back. */
type WrittenRows = { readonly id: string; readonly rows: readonly CategoryRow[] }

function writtenParts(
  { result, readBack, stamps, replayed }: WriteOutcome<WrittenRows, CategoryRow>,
  options: CategoryReadOptions,
): Written {
  const rows = readBack.length > 0 ? readBack : result.rows
  return { parts: categoriesAfterWrite(rows, stamps, options)(result.id), replayed }
}

type StoredChange = Omit<RequestedChange, 'id'> & { readonly id: string | SQL }

function changeQuery(
  context: Context,
  request: StoredChange,
  options: CategoryReadOptions,
): PlanQuery<Plan<WrittenRows, CategoryRow> | null> {
  const queries = combineQueries(changeQueries(request, options))
  return mapQuery(queries, ({ rows, ...related }) => () => {
    // Only the requested category is complete.
    const [category] = categoriesOf(rows, { expand: 0 }).values()
    if (!category) return null
    requireIfMatch(context, category.version)
    const { id } = category
    const change = { ...request, id }
    const decision = decideChange(change, category, related)
    return decision ? changePlan(context, change, decision, options) : { unchanged: { id, rows } }
  })
}

function changeQueries({ id, body }: StoredChange, options: CategoryReadOptions) {
  const links = linksOf('', body, (property) => property)
  return {
    rows: categoryStatement(sql`select ${id}::uuid`, { ...options, children: noChildLimit }),
    nodes: nodesStatement(idsOfLinks([links]), { id, withChildren: links.children !== undefined }),
    siblings: siblingsStatement(id),
    taken: takenNamesStatement(
      categories,
      { handle: [body.handle], externalId: [body.externalId] },
      { except: id },
    ),
    references: referencesQuery([body.fields]),
  }
}

function changePlan(
  context: Context,
  { id, textUpdate }: RequestedChange,
  decision: ChangeDecision,
  options: CategoryReadOptions,
): Plan<WrittenRows, CategoryRow> {
  const { current, state, added, dropped, children, moves, position } = decision
  const touchesTree = children !== null || moves !== null || position !== null
  const events = [
    changeOf(textUpdate, decision),
    ...added.map((node) => movedEvent(node, id)),
    ...dropped.map((node) => movedEvent(node, null)),
  ]
  return {
    guard: [
      ...(touchesTree ? [treeGuard] : []),
      ...categoryGuards(current.parentId === null ? [] : [current.parentId]),
      { kind: 'categories', id, version: current.version },
      ...[...added, ...dropped].map((node) => ({ kind: 'categories', id: node.id, version: node.version })),
    ],
    beforeClock: [
      ...(state ? save(categories, [rowOf(context, id, state)]) : []),
      ...(children ? [rejectOtherChildren(id, current.children)] : []),
      ...moveSteps(id, decision),
      ...(children ? [reorder(categories, id, children)] : []),
      ...(position === null
        ? []
        : [reorder(categories, moves ? moves.parentId : current.parentId, [id], position)]),
    ],
    readBack: categoryStatement(changedIds(events), options),
    changed: events,
    totals: {},
    result: { id, rows: [] },
    constraintProblems: {
      categories_has_children: 'again',
      'category.cycle': 'again',
      'category.children': 'again',
      categories_level_check: tooDeep(moves ? 'parent' : 'children'),
    },
  }
}

function changeOf({ shown }: RequestedChange['textUpdate'], decision: ChangeDecision): Change {
  const { current, before, state, children, moves, position } = decision
  const view = (
    category: Pick<CategoryParts, 'parentId' | 'position'> & { children: readonly string[] },
  ) => ({
    parent: category.parentId && categoryIri(category.parentId),
    children: category.children.map(categoryIri),
    position: category.position,
  })
  const after = {
    parentId: moves ? moves.parentId : current.parentId,
    children: children ?? current.children,
    position: position === null || position === endPosition ? current.position : position,
  }
  return updateOf(categoryKind, current, {
    document: fromReadBack,
    changes: differencesWithCustomFields(
      { ...shown(before), ...view(current) },
      { ...shown(state ?? before), ...view(after) },
    ),
  })
}

/**
 * Deletes a category that has neither children nor unarchived products.
 * Memberships of archived products are deleted without a new version or event, and siblings close the gap. Restoring a
 * product locks its categories, so the later of the two writes detects the conflict.
 */
export async function deleteCategory(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteCategory', async (read) => {
    const { categoriesById, uses } = await read({
      categoriesById: categoriesQuery(sql`select ${id}::uuid`, writeReadOptions(context, 0)),
      uses: statement({ used: z.literal(1) })`select 1 as used from product_categories m
          join products p on p.tenant_id = current_tenant() and p.id = m.product_id
         where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid and p.status <> 'ARCHIVED' limit 1`,
    })
    const category = categoriesById.get(id)
    if (!category) throw categoryProblems.not_found({ id })
    requireIfMatch(context, category.version)
    if (category.childrenTotal > 0) throw categoryProblems.has_children()
    if (uses.length > 0) throw categoryProblems.in_use()
    return {
      guard: [treeGuard, { kind: 'categories', id, version: category.version }],
      beforeClock: [
        run(sql`with removed as (
              delete from product_categories m using products p
               where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid
                 and p.tenant_id = current_tenant() and p.id = m.product_id and p.status = 'ARCHIVED'
              returning m.product_id
            )
            update product_parts p set category_ids = array_remove(p.category_ids, ${id}::uuid) from removed
             where p.tenant_id = current_tenant() and p.product_id = removed.product_id`),
        deleteRow(categories, id),
        reorder(categories, category.parentId),
      ],
      changed: [deletionOf(categoryKind, category, categoryEventDocument(category))],
      totals: { categories: -1 },
      result: null,
      constraintProblems: {
        categories_has_children: categoryProblems.has_children(),
        // A concurrent write added a product: read again. The product is in use or has been archived.
        product_categories_category: 'again',
      },
    }
  })
  return { kind: 'empty', replayed }
}
