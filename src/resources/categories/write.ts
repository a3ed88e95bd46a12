import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { type Change, deletionOf, type Plan } from '../../core/plan.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import {
  defaultText,
  patchTexts,
  render,
  type State,
  type TextUpdate,
  type Translated,
} from '../../core/state.ts'
import { requireVersion, write } from '../../core/write.ts'
import { type Statement, statement } from '../../db/query.ts'
import { deleteRows, reorder, reorderAll, updateRows, uuidArray } from '../../db/write-steps.ts'
import { differencesWithCustomFields, metaobjectIdsOf, referencesQuery } from '../fields/custom-fields.ts'
import { type CategoryParts, categoryDocument, categoryEventDocument, categoryKind } from './document.ts'
import { categoryProblems } from './problems.ts'
import {
  appendRows,
  type CategoryForm,
  type CategoryRow,
  categoriesOf,
  categoriesQuery,
  categoryStatement,
  childrenStatement,
  closeGaps,
  itemAnswer,
  type Node,
  nodesStatement,
  refuseCycles,
  refuseOtherChildren,
  reparent,
  settleLevels,
  siblingsStatement,
  treeGuard,
  writtenCategories,
  writtenForm,
} from './read.ts'
import {
  atEnd,
  type ChangeDecision,
  type CreationDecision,
  decideChange,
  decideCreation,
  linked,
  linksOf,
  type NewCategory,
  namesakes,
  type RequestedCategory,
  type RequestedChange,
  takenStatement,
  textsIn,
  tooDeep,
} from './rules.ts'
import { categoryIri, type expandParameter, levelsOf, category as shape } from './schema.ts'
import { categories } from './table.ts'

/** The event of a new category; its document is the settled row. */
function createdEvent(context: Context, { links, state }: NewCategory): Change {
  const { id, parentId, children = [] } = links
  const after = {
    ...state.values,
    ...state.translations[context.locale.asked],
    parent: parentId ? categoryIri(parentId) : null,
    ...(children.length > 0 ? { children: children.map(categoryIri) } : {}),
  }
  return {
    kind: 'categories',
    id,
    version: 1,
    action: 'created',
    topic: 'category/created',
    document: '',
    changes: differencesWithCustomFields({}, after),
  }
}

/** The event of a category that another's `children` has moved; its document is the settled row. */
function movedEvent(node: Node, parentId: string | null): Change {
  return {
    kind: 'categories',
    id: node.id,
    version: node.version + 1,
    action: 'updated',
    topic: 'category/updated',
    document: '',
    changes: [
      {
        path: 'parent',
        before: node.parentId && categoryIri(node.parentId),
        after: parentId && categoryIri(parentId),
      },
    ],
  }
}

/** A subquery of the ids that events tell of. */
function changedIds(events: readonly Change[]): SQL {
  return sql`select unnest(${uuidArray(events.map((each) => each.id))})`
}

/** Where new categories come to stand among their siblings: as if each had been created after the one before it. */

/** A new category and its written position; null is the end. */
type Placing = {
  readonly id: string
  readonly parentId: string | null
  readonly position: number | null
}

/**
 * Moves rows that were appended in this order to their positions, family by family. `siblings` counts those that were there when
 * it was read: the ends of a bulk are before whoever came since.
 */
function placements(placings: readonly Placing[], siblings: ReadonlyMap<string | null, number>): Statement[] {
  const [first, ...others] = placings
  if (first && others.length === 0 && first.position !== null)
    return [reorder(categories, first.parentId, [first.id], first.position)]
  const families = [...Map.groupBy(placings, (each) => each.parentId)].filter(([, family]) =>
    family.some(({ position }) => position !== null),
  )
  return families.map(([parentId, family]) =>
    reorderAll(categories, parentId, positionsOf(family, siblings.get(parentId) ?? 0)),
  )
}

function positionsOf(family: readonly Placing[], before: number) {
  const order: (string | null)[] = Array.from({ length: before }, () => null)
  for (const { id, position } of family) order.splice(position ?? order.length, 0, id)
  return order.flatMap((id, position) => (id === null ? [] : [{ id, position }]))
}

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
      const found = await read(creationReadings(wanted))
      return creationPlan(context, decideCreation(context, wanted, found, attempt > 2), form)
    },
  )
  // A replay answers with the ids of the first time.
  const parts = result.map(writtenCategories(settled, stamps, form))
  const [first] = parts
  if (first && !bulk) return { ...itemAnswer(context, first), location: categoryIri(first.id), replayed }
  const members = parts.map((each) => categoryDocument(each, context.locale))
  return { kind: 'collection', members, total: members.length, replayed }
}

function creationReadings(wanted: readonly RequestedCategory[]) {
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
    references: referencesQuery(bodies.map((each) => each.fields)),
  }
}

function creationPlan(
  context: Context,
  decision: CreationDecision,
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
    statements: creationSteps(decision),
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

function creationSteps({ additions, moved, siblings }: CreationDecision): Statement[] {
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

/** The categories that come below another, that leave it, and where it goes itself. */
type Moves = {
  readonly added: readonly Node[]
  readonly dropped: readonly Node[]
  readonly to: { readonly from: string | null; readonly parentId: string | null } | null
}

/** The statements that move categories in the tree; nothing where nothing moves. */
function moveStatements(id: string, { added, dropped, to }: Moves): Statement[] {
  const ids = (nodes: readonly Node[]) => nodes.map((each) => each.id)
  const moved = [...ids(added), ...ids(dropped), ...(to ? [id] : [])]
  if (moved.length === 0) return []
  const left = new Set(added.map((each) => each.parentId))
  if (to) left.add(to.from)
  return [
    ...reparent(ids(added), id),
    ...reparent(ids(dropped), null),
    ...(to ? reparent([id], to.parentId) : []),
    refuseCycles([id]),
    settleLevels(moved),
    ...closeGaps([...left]),
  ]
}

/** Beyond any number of children: what is compared with written ones must be whole. */
const everyChild = 1_000_000_000

type Patch = Input<{
  params: 'id'
  query: { expand: typeof expandParameter }
  body: typeof shape
}>

/** Merges a patch into a category: its own properties, its parent, its children, its position. */
export async function patchCategory(context: Context, { params, query, bodies }: Patch): Promise<Answer> {
  const { id } = params
  const [body = {}] = bodies
  const rewrite = patchTexts(shape, body, context.locale)
  const form = writtenForm(context, levelsOf(query.expand))
  const { parts, replayed } = await changed(context, 'patchCategory', { id, body, rewrite }, form)
  return { ...itemAnswer(context, parts), replayed }
}

/** Rewrites a category's texts. */
export async function translateCategory(
  context: Context,
  id: string,
  rewrite: TextUpdate<typeof shape>,
): Promise<Translated<CategoryParts>> {
  const form = writtenForm(context, 0)
  const wanted = { id, body: {}, rewrite }
  const { parts, replayed } = await changed(context, 'putCategoryTranslations', wanted, form)
  return { ...parts, replayed }
}

async function changed(
  context: Context,
  operation: string,
  wanted: RequestedChange,
  form: CategoryForm,
): Promise<{ parts: CategoryParts; replayed: boolean }> {
  const { id } = wanted
  type Rows = readonly CategoryRow[]
  const { result, settled, stamps, replayed } = await write<Rows, CategoryRow>(
    context,
    operation,
    async (read) => {
      const { rows, ...found } = await read(changeReadings(wanted, form))
      const own = categoriesOf(rows, { expand: 0 }).get(id)
      if (!own) throw categoryProblems.not_found({ id })
      requireVersion(context, own.version)
      const decision = decideChange(wanted, own, found)
      return decision ? changePlan(context, wanted, decision, form) : { unchanged: rows }
    },
  )
  const rows = settled.length > 0 ? settled : result
  return { parts: writtenCategories(rows, stamps, form)(id), replayed }
}

function changeReadings({ id, body }: RequestedChange, form: CategoryForm) {
  const links = linksOf(id, body, (property) => property)
  return {
    rows: categoryStatement(sql`select ${id}::uuid`, { ...form, children: everyChild }),
    nodes: nodesStatement([id, ...linked([links])], links.children ? id : null),
    siblings: siblingsStatement(id),
    taken: takenStatement(textsIn([body.handle]), textsIn([body.externalId]), id),
    references: referencesQuery([body.fields]),
  }
}

function changePlan(
  context: Context,
  { id, rewrite }: RequestedChange,
  decision: ChangeDecision,
  form: CategoryForm,
): Plan<readonly CategoryRow[], CategoryRow> {
  const { own, added, dropped, children, moves, position } = decision
  const touchesTree = children !== null || moves !== null || position !== null
  const events = [
    changeOf(id, rewrite, decision),
    ...added.map((each) => movedEvent(each, id)),
    ...dropped.map((each) => movedEvent(each, null)),
  ]
  return {
    guard: [
      ...(touchesTree ? [treeGuard] : []),
      { kind: 'categories', id, version: own.version },
      ...[...added, ...dropped].map((each) => ({ kind: 'categories', id: each.id, version: each.version })),
    ],
    statements: changeSteps(context, id, decision),
    settled: categoryStatement(changedIds(events), form),
    changed: events,
    totals: {},
    result: [],
    refusals: {
      categories_handle: 'again',
      categories_external_id: 'again',
      categories_has_children: 'again',
      'category.cycle': 'again',
      'category.children': 'again',
      categories_level_check: tooDeep(moves ? 'parent' : 'children'),
    },
  }
}

function changeSteps(
  context: Context,
  id: string,
  { own, state, children, added, dropped, moves, position }: ChangeDecision,
) {
  return [
    ...(state ? updateRows(categories, [rowOf(context, id, state)]) : []),
    ...(children ? [refuseOtherChildren(id, own.children)] : []),
    ...moveStatements(id, { added, dropped, to: moves }),
    ...(children ? [reorder(categories, id, children)] : []),
    ...(position === null
      ? []
      : [reorder(categories, moves ? moves.parentId : own.parentId, [id], position)]),
  ]
}

function changeOf(id: string, { shown }: RequestedChange['rewrite'], decision: ChangeDecision): Change {
  const { own, before, state, children, moves, position } = decision
  const view = (of: Pick<CategoryParts, 'parentId' | 'position'> & { children: readonly string[] }) => ({
    parent: of.parentId && categoryIri(of.parentId),
    children: of.children.map(categoryIri),
    position: of.position,
  })
  const after = {
    parentId: moves ? moves.parentId : own.parentId,
    children: children ?? own.children,
    position: position === null || position === atEnd ? own.position : position,
  }
  return {
    kind: 'categories',
    id,
    version: own.version + 1,
    action: 'updated',
    topic: 'category/updated',
    document: '',
    changes: differencesWithCustomFields(
      { ...shown(before), ...view(own) },
      { ...shown(state ?? before), ...view(after) },
    ),
  }
}

function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const { locales } = context.tenant
  return {
    id,
    externalId: state.values.externalId,
    handle: String(state.values.handle),
    title: defaultText(state, 'title', locales) ?? '',
    metaobjectIds: metaobjectIdsOf(state.values.fields),
    document: render(shape, { iri: categoryIri(id), id }, state, locales),
    translations: state.translations,
  }
}

/**
 * Deletes a category that has no children and no product but archived ones, whose memberships go with it, without a version
 * or an event; its siblings close up. A product that is restored meanwhile guards its categories: whoever is first, the
 * other finds out.
 */
export async function deleteCategory(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteCategory', async (read) => {
    const { found, uses } = await read({
      found: categoriesQuery(sql`select ${id}::uuid`, writtenForm(context, 0)),
      uses: statement<object>(
        sql`select 1 from product_categories m
          join products p on p.tenant_id = current_tenant() and p.id = m.product_id
         where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid and p.status <> 'ARCHIVED' limit 1`,
      ),
    })
    const own = found.get(id)
    if (!own) throw categoryProblems.not_found({ id })
    requireVersion(context, own.version)
    if (own.childrenTotal > 0) throw categoryProblems.has_children()
    if (uses.length > 0) throw categoryProblems.in_use()
    return {
      guard: [treeGuard, { kind: 'categories', id, version: own.version }],
      statements: [
        statement(
          sql`delete from product_categories m using products p
           where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid
             and p.tenant_id = current_tenant() and p.id = m.product_id and p.status = 'ARCHIVED'`,
        ),
        ...deleteRows(categories, [id]),
        reorder(categories, own.parentId),
      ],
      changed: [deletionOf(categoryKind, own, categoryEventDocument(own))],
      totals: { categories: -1 },
      result: null,
      refusals: {
        categories_has_children: categoryProblems.has_children(),
        // A product that came meanwhile: read again, it is in use, or was made archived.
        product_categories_category: 'again',
      },
    }
  })
  return { kind: 'empty', replayed }
}
