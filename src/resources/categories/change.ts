import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { sameJson } from '../../core/patch.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { render, type State, standardText, stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { place } from '../../db/place.ts'
import { updateRows, uuids } from '../../db/rows.ts'
import {
  changesWithFields,
  fieldViolations,
  metaobjectIdsOf,
  referencesIn,
  referencesStatement,
} from '../content/custom-fields/index.ts'
import { itemAnswer, writeReading, writtenCategories } from './answer.ts'
import { tooDeep } from './depth.ts'
import type { CategoryParts } from './document.ts'
import type { Body } from './draft.ts'
import { movedEvent } from './event.ts'
import { levelsOf } from './expand.ts'
import { categoryIri } from './iri.ts'
import { cycleViolations, linked, linksOf, linkViolations } from './links.ts'
import { moveStatements } from './moves.ts'
import { claim, takenNames, takenStatement, textsIn } from './names.ts'
import { categoryProblems } from './problems.ts'
import { category as shape } from './schema.ts'
import { assembleCategories, type CategoryReading, categoryStatements } from './store.ts'
import { categories } from './table.ts'
import {
  childrenOf,
  type Node,
  nodesStatement,
  refuseOtherChildren,
  siblingsStatement,
  treeGuard,
} from './tree.ts'

/** Beyond any end, for a place at the end. */
const atEnd = 2_147_483_647
/** Beyond any number of children: what is compared with written ones must be whole. */
const everyChild = 1_000_000_000

/** Merges a patch into a category: its own properties, its parent, its children, its position. */
export async function patchCategory(context: Context, { params, query, bodies }: Input): Promise<Answer> {
  const id = params.id!
  const [body = {}] = bodies
  const reading = writeReading(context, levelsOf(query.expand))
  const written = await write<Json>(context, 'patchCategory', (read) =>
    plan(context, read, id, body, reading),
  )
  return { ...itemAnswer(context, writtenCategories(written, reading).get(id)!), replayed: written.replayed }
}

/** Rewrites a category's texts. */
export async function translateCategory(
  context: Context,
  id: string,
  rewrite: Rewrite,
): Promise<Translated<CategoryParts>> {
  const reading = writeReading(context, 0)
  const written = await write<Json>(context, 'putCategoryTranslations', (read) =>
    plan(context, read, id, {}, reading, rewrite),
  )
  return { ...writtenCategories(written, reading).get(id)!, replayed: written.replayed }
}

async function plan(
  context: Context,
  read: Session['read'],
  id: string,
  body: Body,
  reading: CategoryReading,
  rewrite = patching(shape, body, context.locale),
): Promise<Plan<Json>> {
  const links = linksOf(id, body, (property) => property)
  const [rows, nodes, ends, found, referred] = (await read(
    ...categoryStatements(sql`select ${id}::uuid`, { ...reading, children: everyChild }),
    nodesStatement([id, ...linked([links])], links.children ? id : null),
    siblingsStatement(id),
    takenStatement(textsIn([body.handle]), textsIn([body.externalId]), id),
    referencesStatement([body.fields]),
  )) as unknown[] as [Json[], Node[], { siblings: number }[], Parameters<typeof takenNames>[0], unknown[]]
  const own = assembleCategories([rows], { ...reading, expand: 0 }).get(id)
  if (!own) throw categoryProblems.not_found({ id })
  demandVersion(context, own.version)
  const before = stateOf(shape, readWhole(own))
  const { state, violations } = rewrite.apply(before)
  violations.push(...fieldViolations({ fields: body.fields, before, after: state }, referencesIn(referred)))
  if (body.handle === null) violations.push(validationProblems.required.at('handle'))
  const known = new Map(nodes.map((each) => [each.id, each]))
  violations.push(...linkViolations([links], known))
  refuse(violations.length > 0 ? violations : cycleViolations([links], known))
  const { handle, externalId } = body
  refuse(
    claim(
      { handle, externalId },
      { handles: takenNames(found, 'handle'), externalIds: takenNames(found, 'externalId') },
      links.at,
    ),
  )

  const current = (own.children ?? []) as readonly string[]
  const wanted = links.children ?? current
  const parentId = links.parentId === undefined ? own.parentId : links.parentId
  const moves = parentId !== own.parentId
  const at = placeOf(body, moves ? null : { own: own.position, last: (ends[0]?.siblings ?? 1) - 1 })
  const writesState = !sameJson(before as unknown as Json, state as unknown as Json)
  const writesChildren = !sameJson(wanted, current)
  if (!writesState && !writesChildren && !moves && at === null) return { unchanged: rows }

  const nodesOf = (ids: readonly string[]) => ids.map((each) => known.get(each)!)
  const added = nodesOf(wanted.filter((each) => !current.includes(each)))
  const dropped = nodesOf(current.filter((each) => !wanted.includes(each)))
  const view = (
    each: State,
    more: { parentId: string | null; children: readonly string[]; position: number },
  ) =>
    ({
      ...rewrite.shown(each),
      parent: more.parentId && categoryIri(more.parentId),
      children: more.children.map(categoryIri),
      position: more.position,
    }) as Json
  const changed = [
    {
      kind: 'categories',
      id,
      version: own.version + 1,
      action: 'updated' as const,
      topic: 'category/updated',
      document: '',
      changes: changesWithFields(
        view(before, { ...own, children: current }),
        view(state, {
          parentId,
          children: wanted,
          position: at === null || at === atEnd ? own.position : at,
        }),
      ),
    },
    ...added.map((each) => movedEvent(each, id)),
    ...dropped.map((each) => movedEvent(each, null)),
  ]
  const [settled] = categoryStatements(sql`select unnest(${uuids(changed.map((each) => each.id))})`, reading)
  const touchesTree = writesChildren || moves || at !== null
  return {
    guard: [
      ...(touchesTree ? [treeGuard] : []),
      { kind: 'categories', id, version: own.version },
      ...[...added, ...dropped].map((each) => ({ kind: 'categories', id: each.id, version: each.version })),
    ],
    statements: [
      ...(writesState ? updateRows(categories, [rowOf(context, id, state)]) : []),
      ...(writesChildren ? [refuseOtherChildren(id, current)] : []),
      ...moveStatements(id, { added, dropped, to: moves ? { from: own.parentId, parentId } : null }),
      ...(writesChildren ? [place(categories, childrenOf(id), wanted, 0)] : []),
      ...(at === null ? [] : [place(categories, childrenOf(parentId), [id], at)]),
    ],
    settled: settled!,
    changed,
    totals: {},
    result: null,
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

/** What is asked for alone is read whatever it weighs. */
function readWhole({ document, ...parts }: CategoryParts) {
  if (document === null) throw new Error('a category was read without its document')
  return { ...parts, document }
}

/** Where a written position puts the category; null where it stays or, newly under a parent, comes last anyway. */
function placeOf({ position }: Body, stays: { own: number; last: number } | null): number | null {
  if (position === undefined) return null
  const wanted = typeof position === 'number' && position >= 0 ? Math.min(position, atEnd) : atEnd
  if (!stays) return wanted === atEnd ? null : wanted
  return Math.min(wanted, stays.last) === stays.own ? null : wanted
}

function rowOf(context: Context, id: string, state: State) {
  const { locales } = context.tenant
  return {
    id,
    externalId: (state.values.externalId as string | null | undefined) ?? null,
    handle: String(state.values.handle),
    title: standardText(state, 'title', locales) ?? '',
    metaobjectIds: metaobjectIdsOf(state.values.fields),
    document: render(shape, { iri: categoryIri(id), id }, state, locales),
    translations: state.translations,
  }
}
