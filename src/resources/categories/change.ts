import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { render, type State, standardText } from '../../core/state.ts'
import { type Changed, demandVersion, type Plan, write } from '../../core/write.ts'
import { place } from '../../db/place.ts'
import { updateRows } from '../../db/rows.ts'
import {
  differencesWithCustomFields,
  metaobjectIdsOf,
  referencesReading,
} from '../content/custom-fields/index.ts'
import { itemAnswer, writtenCategories, writtenForm } from './answer.ts'
import { atEnd, type Decision, decide, type RequestedChange } from './decide-change.ts'
import { tooDeep } from './depth.ts'
import type { CategoryParts } from './document.ts'
import { changedIds, movedEvent } from './event.ts'
import { type expandParameter, levelsOf } from './expand.ts'
import { categoryIri } from './iri.ts'
import { linked, linksOf } from './links.ts'
import { moveStatements } from './moves.ts'
import { takenStatement, textsIn } from './names.ts'
import { categoryProblems } from './problems.ts'
import { category as shape } from './schema.ts'
import { type CategoryForm, type CategoryRow, categoriesOf, categoryStatement } from './store.ts'
import { categories } from './table.ts'
import { nodesStatement, refuseOtherChildren, siblingsStatement, treeGuard } from './tree.ts'

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
  const rewrite = patching(shape, body, context.locale)
  const form = writtenForm(context, levelsOf(query.expand))
  const { parts, replayed } = await changed(context, 'patchCategory', { id, body, rewrite }, form)
  return { ...itemAnswer(context, parts), replayed }
}

/** Rewrites a category's texts. */
export async function translateCategory(
  context: Context,
  id: string,
  rewrite: Rewrite<typeof shape>,
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
      const { rows, ...found } = await read(readingsOf(wanted, form))
      const own = categoriesOf(rows, { expand: 0 }).get(id)
      if (!own) throw categoryProblems.not_found({ id })
      demandVersion(context, own.version)
      const decision = decide(wanted, own, found)
      return decision ? planOf(context, wanted, decision, form) : { unchanged: rows }
    },
  )
  const rows = settled.length > 0 ? settled : result
  return { parts: writtenCategories(rows, stamps, form)(id), replayed }
}

function readingsOf({ id, body }: RequestedChange, form: CategoryForm) {
  const links = linksOf(id, body, (property) => property)
  return {
    rows: categoryStatement(sql`select ${id}::uuid`, { ...form, children: everyChild }),
    nodes: nodesStatement([id, ...linked([links])], links.children ? id : null),
    siblings: siblingsStatement(id),
    taken: takenStatement(textsIn([body.handle]), textsIn([body.externalId]), id),
    references: referencesReading([body.fields]),
  }
}

function planOf(
  context: Context,
  { id, rewrite }: RequestedChange,
  decision: Decision,
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
    statements: statementsOf(context, id, decision),
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

function statementsOf(
  context: Context,
  id: string,
  { own, state, children, added, dropped, moves, position }: Decision,
) {
  return [
    ...(state ? updateRows(categories, [rowOf(context, id, state)]) : []),
    ...(children ? [refuseOtherChildren(id, own.children)] : []),
    ...moveStatements(id, { added, dropped, to: moves }),
    ...(children ? [place(categories, id, children)] : []),
    ...(position === null ? [] : [place(categories, moves ? moves.parentId : own.parentId, [id], position)]),
  ]
}

function changeOf(id: string, { shown }: RequestedChange['rewrite'], decision: Decision): Changed {
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
    title: standardText(state, 'title', locales) ?? '',
    metaobjectIds: metaobjectIdsOf(state.values.fields),
    document: render(shape, { iri: categoryIri(id), id }, state, locales),
    translations: state.translations,
  }
}
