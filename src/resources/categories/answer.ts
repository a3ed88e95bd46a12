import { budgets } from '../../core/budgets.ts'
import type { Answer, Context } from '../../core/operation.ts'
import { stamped } from '../../core/stamped.ts'
import type { Stamps } from '../../core/write.ts'
import { type CategoryParts, categoryDocument } from './document.ts'
import { type CategoryForm, type CategoryRow, categoriesOf } from './store.ts'

/** How a write reads: with all translations, to merge them and to answer a replay in another locale. */
export function writtenForm(context: Context, expand: number): CategoryForm {
  return {
    locale: context.locale,
    expand,
    translations: true,
    children: budgets.children.item,
  }
}

/** The categories of a write by id, as it left them: made of their rows and of what commit() gave them. */
export function writtenCategories(
  rows: readonly CategoryRow[],
  stamps: Stamps,
  form: CategoryForm,
): (id: string) => CategoryParts {
  const found = categoriesOf(rows, form)
  return (id) => {
    const parts = found.get(id)
    if (!parts) throw new Error('a category that was written was not read')
    return stampedTree(parts, stamps)
  }
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
