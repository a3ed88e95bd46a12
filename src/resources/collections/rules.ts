/** Which products rules mean. Pure: the same product and the same rules always give the same answer. */
import { iri } from '../../core/iri.ts'
import type { Condition, Rules } from './conditions.ts'

/** What rules look at in a product. */
export type Subject = {
  readonly status: string
  /** In the tenant's default locale. */
  readonly title: string
  readonly vendor: string | null
  readonly productType: string | null
  readonly tags: readonly string[]
  readonly channels: readonly string[]
  readonly categoryIds: readonly string[]
  /** A canonical instant. */
  readonly createdAt: string
}

/** Whether a product is what rules ask for. One that is archived never is. */
export function matches({ match, conditions }: Rules, subject: Subject): boolean {
  if (subject.status === 'ARCHIVED') return false
  const holds = (each: Condition) => isMet(each, subject)
  return match === 'ALL' ? conditions.every(holds) : conditions.some(holds)
}

function isMet({ field, operator, value }: Condition, subject: Subject): boolean {
  if (field === 'createdAt') {
    return operator === 'BEFORE' ? subject.createdAt < value : subject.createdAt > value
  }
  const found = valuesOf(field, subject)
  const exact = field === 'category' || field === 'status' || field === 'channel'
  const [wanted, given] = exact ? [value, found] : [folded(value), found.map(folded)]
  switch (operator) {
    case 'EQUALS':
      return given.includes(wanted)
    case 'NOT_EQUALS':
      return !given.includes(wanted)
    case 'CONTAINS':
      return given.some((each) => each.includes(wanted))
    case 'NOT_CONTAINS':
      return !given.some((each) => each.includes(wanted))
    case 'STARTS_WITH':
      return given.some((each) => each.startsWith(wanted))
    case 'ENDS_WITH':
      return given.some((each) => each.endsWith(wanted))
    default:
      return false
  }
}

function valuesOf(field: Exclude<Condition['field'], 'createdAt'>, subject: Subject): readonly string[] {
  switch (field) {
    case 'tag':
      return subject.tags
    case 'channel':
      return subject.channels
    case 'category':
      return subject.categoryIds.map(iri.category)
    default:
      return subject[field] === null ? [] : [subject[field]]
  }
}

/** Texts compare without regard to case, and however their accents are composed. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
