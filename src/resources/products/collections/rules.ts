/** Which products rules mean. Pure: the same product and the same rules always give the same answer. */
import { categoryIri } from '../../categories/iri.ts'
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
export function matches(rules: Rules, subject: Subject): boolean {
  return judgeOf(subject)(rules)
}

/** Judges one product by any number of rules: what they compare is folded once, not for each condition. */
export function judgeOf(subject: Subject): (rules: Rules) => boolean {
  const values = new Map<TextField, ReadonlySet<string>>()
  const valuesIn = (field: TextField) => {
    const known = values.get(field) ?? comparedValues(field, subject)
    values.set(field, known)
    return known
  }
  const holds = ({ field, operator, value }: Condition) =>
    field === 'createdAt'
      ? operator === 'BEFORE'
        ? subject.createdAt < value
        : subject.createdAt > value
      : isMet(operator, compared(field, value), valuesIn(field))
  return ({ match, conditions }) => {
    if (subject.status === 'ARCHIVED') return false
    return match === 'ALL' ? conditions.every(holds) : conditions.some(holds)
  }
}

type TextField = Exclude<Condition['field'], 'createdAt'>

function isMet(operator: Condition['operator'], wanted: string, given: ReadonlySet<string>): boolean {
  const any = (holds: (each: string) => boolean) => [...given].some(holds)
  switch (operator) {
    case 'EQUALS':
      return given.has(wanted)
    case 'NOT_EQUALS':
      return !given.has(wanted)
    case 'CONTAINS':
      return any((each) => each.includes(wanted))
    case 'NOT_CONTAINS':
      return !any((each) => each.includes(wanted))
    case 'STARTS_WITH':
      return any((each) => each.startsWith(wanted))
    case 'ENDS_WITH':
      return any((each) => each.endsWith(wanted))
    default:
      return false
  }
}

function comparedValues(field: TextField, subject: Subject): ReadonlySet<string> {
  return new Set(valuesOf(field, subject).map((each) => compared(field, each)))
}

function valuesOf(field: TextField, subject: Subject): readonly string[] {
  switch (field) {
    case 'tag':
      return subject.tags
    case 'channel':
      return subject.channels
    case 'category':
      return subject.categoryIds.map(categoryIri)
    default:
      return subject[field] === null ? [] : [subject[field]]
  }
}

const exact: ReadonlySet<TextField> = new Set(['category', 'status', 'channel'])

/** A text as it is compared: without regard to case, and however its accents are composed. */
export function compared(field: TextField, text: string): string {
  return exact.has(field) ? text : text.normalize('NFC').toLowerCase()
}
