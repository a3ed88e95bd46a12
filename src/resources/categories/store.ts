/** Reading categories with their ancestors and children, however many, in one statement. */
import { type SQL, sql } from 'drizzle-orm'
import { budgets } from '../../core/budgets.ts'
import { parsed } from '../../core/json.ts'
import type { Locale } from '../../core/locale.ts'
import { type Outline, reads } from '../../core/outline.ts'
import { type Statement, statement } from '../../db/client.ts'
import { documentColumn, textsColumn } from '../../db/columns.ts'
import { gathered, made, nothing, type Reading } from '../../db/reading.ts'
import { uuids } from '../../db/rows.ts'
import type { CategoryParts } from './document.ts'

/** In which form categories are read. */
export type CategoryForm = {
  readonly locale: Locale
  /** How many levels of children are embedded; 0 for IRIs. */
  readonly expand: number
  /** All translations whatever the locale, for a write that has to merge them. */
  readonly translations?: boolean
  /** How many children are told by id, where there are no more; as many as a list shows when absent. */
  readonly children?: number
  /** What is read of each, where that is a page of their own that has been weighed already. */
  readonly outline?: Outline
  /** True where they are embedded in others, which show IRIs of those that are too much to be read. */
  readonly embedded?: boolean
}

/** A category as it is read, before what it embeds is put into it. */
export type CategoryRow = Omit<CategoryParts, 'children' | 'ancestors'> & {
  /** Null where there are more than were asked for. */
  readonly children: readonly string[] | null
  /** Null where it was read as another's descendant: its parent's ancestors and its parent are its own. */
  readonly ancestors: readonly string[] | null
}

/** Stored bytes of descendants that are read to be embedded, and of the asked ones where these are a page of their own. */
const readDescendants = 4_000_000
const readAsked = 9_000_000

/** Reads some categories (`of`: a subquery of ids) by id, each with its children embedded as deep as was asked. */
export function categoriesReading(of: SQL, form: CategoryForm): Reading<Map<string, CategoryParts>> {
  return made(gathered({ rows: categoryStatement(of, form) }), ({ rows }) => categoriesOf(rows, form))
}

/** Reads categories by their ids, to embed them. */
export function embeddedReading(
  ids: readonly string[],
  form: CategoryForm,
): Reading<Map<string, CategoryParts>> {
  if (ids.length === 0) return made(nothing, () => new Map())
  return categoriesReading(sql`select unnest(${uuids(ids)})`, { ...form, embedded: true })
}

/** The statement that reads some categories (`of`: a subquery of ids). Its rows go to `categoriesOf`. */
export function categoryStatement(of: SQL, form: CategoryForm): Statement<CategoryRow> {
  const { outline = null } = form
  return statement<CategoryRow>(sql`
    select id, ${documentColumn(sql`c.document`, outline)}, ${textsColumn(sql`c.translations`, outline)}, metaobjects,
           parent_id as "parentId", position, level, version, created_at as "createdAt", updated_at as "updatedAt",
           ancestors, children, children_total as "childrenTotal"
      from ${rowsOf(of, form)} c`)
}

function rowsOf(of: SQL, form: CategoryForm): SQL {
  const { locale, expand, children = budgets.children.list, outline = null, embedded = false } = form
  const [asked, below] = embedded
    ? [budgets.readCategories, budgets.readCategories]
    : [outline === null ? readAsked : unbounded, readDescendants]
  return sql`read_categories(array(${of}), ${expand}::int, ${children}::int, ${form.translations || !locale.stored}::boolean,
                           ${reads(outline, 'fields')}::boolean, ${asked}::bigint, ${below}::bigint)`
}

/** Categories that are embedded, as one text for `toldCategories`: lines of fields, since in JSON their documents would grow. */
export function categoryLines(of: SQL, form: CategoryForm): SQL {
  const columns = sql.raw(lineColumns.map((name) => `c.${name}`).join(", e'\\t', "))
  return sql`(select string_agg(concat(${columns}), e'\\n') from ${rowsOf(of, { ...form, embedded: true })} c)`
}

const lineColumns = [
  ...['id', 'document', 'translations', 'metaobjects', 'parent_id', 'position', 'level', 'version'],
  ...['created_at', 'updated_at', 'ancestors', 'children', 'children_total'],
]

/** The categories that `categoryLines` tells, by id. */
export function toldCategories(
  lines: string | null,
  form: Pick<CategoryForm, 'expand'>,
): Map<string, CategoryParts> {
  const rows = lines === null ? [] : lines.split('\n').map(categoryOfLine)
  return categoriesOf(rows, form)
}

/** Where the asked ones have been weighed already. */
const unbounded = Number.MAX_SAFE_INTEGER

/** A category from the columns of `read_categories()` as texts, empty for null. */
function categoryRow([
  id = '',
  document,
  translations,
  metaobjects,
  parentId,
  position,
  level,
  version,
  createdAt = '',
  updatedAt = '',
  ancestors,
  children,
  childrenTotal,
]: readonly string[]): CategoryRow {
  return {
    id,
    document: document || null,
    translations: translations ? parsed(translations) : null,
    metaobjects: metaobjects ? parsed(metaobjects) : null,
    parentId: parentId || null,
    position: Number(position),
    level: Number(level),
    version: Number(version),
    createdAt,
    updatedAt,
    ancestors: ancestors ? parsed(ancestors) : null,
    children: children ? parsed(children) : null,
    childrenTotal: Number(childrenTotal),
  }
}

/** Rows by their lines: many products belong to few categories, and of a line nothing but its row is made. */
const rowsByLine = new Map<string, CategoryRow>()
const mostLines = 1000
const longestLine = 4000

/** A category from the columns of `read_categories()` with tabs between them; from the same line the same row. */
export function categoryOfLine(line: string): CategoryRow {
  const known = rowsByLine.get(line)
  if (known) return known
  const row = categoryRow(line.split('\t'))
  if (line.length > longestLine) return row
  if (rowsByLine.size === mostLines) rowsByLine.clear()
  rowsByLine.set(line, row)
  return row
}

/** Whether its place is told: it is of those that only are where they are embedded in one that was asked for. */
const isKnown = (row: CategoryRow): row is CategoryRow & CategoryParts => row.ancestors !== null

/** The asked categories by id, each with its children embedded as deep as they were read. */
export function categoriesOf(
  rows: readonly CategoryRow[],
  { expand }: Pick<CategoryForm, 'expand'>,
): Map<string, CategoryParts> {
  const read = new Map(rows.map((row) => [row.id, row]))
  if (expand === 0) return new Map([...read.values()].filter(isKnown).map((row) => [row.id, row]))
  const assemble = (row: CategoryRow, ancestors: readonly string[], deeper: number): CategoryParts => ({
    ...row,
    ancestors,
    children:
      row.children?.map((id) => {
        const child = deeper === 0 ? undefined : read.get(id)
        return child ? assemble(child, [...ancestors, row.id], deeper - 1) : id
      }) ?? null,
  })
  return new Map(
    [...read.values()].flatMap((row) =>
      row.ancestors ? [[row.id, assemble(row, row.ancestors, expand)] as const] : [],
    ),
  )
}
