import { budgets } from '../../core/budgets.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context } from '../../core/operation.ts'
import { stamped } from '../../core/stamped.ts'
import type { Stamps, Written } from '../../core/write.ts'
import { type CategoryParts, categoryDocument } from './document.ts'
import { assembleCategories, type CategoryReading } from './store.ts'

/** How a write reads: with all translations, to merge them and to answer a replay in another locale. */
export function writeReading(context: Context, expand: number): CategoryReading {
  return {
    locale: context.locale,
    expand,
    translations: true,
    children: budgets.children.item,
  }
}

/** The categories that a write answers, as it left them, or as they were where it changed nothing. */
export function writtenCategories(
  written: Written<Json>,
  reading: CategoryReading,
): Map<string, CategoryParts> {
  const rows = written.settled.length > 0 ? written.settled : (written.result as readonly Json[])
  const found = assembleCategories([rows], reading)
  return new Map([...found].map(([id, parts]) => [id, stampedTree(parts, written.stamps)]))
}

function stampedTree(parts: CategoryParts, stamps: Stamps): CategoryParts {
  const { children } = parts
  return {
    ...stamped(parts, stamps),
    children: children?.map((each) => (typeof each === 'string' ? each : stampedTree(each, stamps))) ?? null,
  }
}

export function itemAnswer(context: Context, parts: CategoryParts): Answer & { kind: 'item' } {
  return { kind: 'item', document: categoryDocument(parts, context.locale), version: parts.version }
}
