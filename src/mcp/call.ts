import * as z from 'zod'
import { budgets } from '../core/budgets.ts'
import { demandedBy } from '../core/demands.ts'
import type { Value } from '../core/document.ts'
import { expandPaths, notExpandable, readExpand } from '../core/expand.ts'
import { fitting } from '../core/fitting.ts'
import { readingAt } from '../core/iri.ts'
import { type Json, parsed } from '../core/json.ts'
import { localeOf } from '../core/locale.ts'
import type { Answer, Context } from '../core/operation.ts'
import type { PageQuery } from '../core/page.ts'
import type { Shape } from '../core/property.ts'
import { reachOf } from '../core/reach.ts'
import { rendererOf } from '../core/render.ts'
import type { Dialect } from '../core/versions.ts'
import { refuse, violationsOf } from '../core/violations.ts'
import { readArguments } from './arguments.ts'
import type { ToolOperation } from './description.ts'

/** What a tool answers: a page of documents, as the same list over REST shows them. */
export type ToolAnswer = {
  readonly items: readonly Json[]
  readonly totalItems: number | null
  readonly page: number
  readonly nextPage: number | null
}

/**
 * Runs a tool's operation with the arguments as its query, and renders what it answers for this caller and version.
 *
 * @throws Problem 422 for arguments that are wrong, and whatever the operation throws
 */
export async function callTool(
  operation: ToolOperation,
  given: Json | undefined,
  context: Context,
  dialect: Dialect,
  shapes: ReadonlyMap<string, Shape>,
): Promise<ToolAnswer> {
  const { query: written, locale, violations } = readArguments(operation.tool, given)
  context.demand(demandedBy(operation, written, null))
  const found = [...violations]
  const values: Record<string, string | readonly string[]> = Object.fromEntries(written)
  const expand = written.get('expand')
  if (expand !== undefined) {
    // One of those that the tool's schema lists.
    if (!expandPaths(operation, dialect).includes(expand))
      found.push(notExpandable(expand, operation, dialect))
    values.expand = readExpand([expand], operation, shapes, dialect).paths
  }
  const schema = z.object(operation.query)
  const read = readingAt(context.origins, () => schema.safeParse(values, { reportInput: true }))
  if (!read.success) {
    const told = new Set(found.map(({ propertyPath }) => propertyPath))
    found.push(...violationsOf(read.error).filter(({ propertyPath }) => !told.has(propertyPath)))
  }
  refuse(found)
  // A tool counts pages, so that each is whole or refused.
  const query: PageQuery = { page: 1, ...read.data }
  const asked = locale === null ? context.locale : localeOf(context.tenant.locales, locale)
  const url = new URL(operation.path, context.url.origin)
  const answer = await operation.run(
    { ...context, locale: asked, url },
    { params: {}, query, bodies: [], bulk: false, upload: null },
  )
  const reach = reachOf(operation, shapes)
  const render = rendererOf({ dialect, sight: context.sight, selection: null }, reach)
  return shown(answer, query.page ?? 1, render)
}

/** The items are sent twice: as JSON, and as text, in which every quotation mark takes two bytes. */
const most = budgets.answer / 3

function shown(answer: Answer, page: number, render: (document: Value) => string): ToolAnswer {
  if (answer.kind !== 'collection') throw new Error('a tool is an operation that answers a list')
  const { texts, view } = fitting(answer, render, most)
  return {
    items: texts.map((text) => parsed<Json>(text)),
    totalItems: answer.total ?? null,
    page,
    nextPage: view?.next === undefined ? null : page + 1,
  }
}
