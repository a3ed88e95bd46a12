import { type Difference, differencesBetween, sameJson } from '../../../core/patch.ts'
import type { CustomField } from './entries.ts'

/** What of a resource the audit trail compares. */
type View = Readonly<Record<string, unknown>> & { readonly fields?: readonly CustomField[] }

/**
 * The differences between two views of a resource, its custom fields told by key: at `fields.size` the value, at
 * `fields.size.type` a type that has changed, at `fields` the keys where only their order has.
 */
export function differencesWithCustomFields(before: View, after: View): Difference[] {
  const [was, is] = [before.fields ?? [], after.fields ?? []]
  const types = is.flatMap(({ key, type }): Difference[] => {
    const old = was.find((each) => each.key === key)?.type ?? type
    const path = key.includes('.') ? `fields["${key}"].type` : `fields.${key}.type`
    return old === type ? [] : [{ path, before: old, after: type }]
  })
  const [order, newOrder] = [was.map(({ key }) => key), is.map(({ key }) => key)]
  const moved = !sameJson(order, newOrder) && sameJson(order.toSorted(), newOrder.toSorted())
  return [
    ...differencesBetween(keyed(before), keyed(after)),
    ...types,
    ...(moved ? [{ path: 'fields', before: order, after: newOrder }] : []),
  ]
}

function keyed({ fields, ...others }: View): object {
  return { ...others, fields: Object.fromEntries((fields ?? []).map(({ key, value }) => [key, value])) }
}
