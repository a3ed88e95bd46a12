/**
 * What a delivery sends: the resource as the event left it. It is rendered anew for every attempt, from rows that never
 * change and settings that were frozen, so that one webhook-id has one body.
 */
import { treeOf } from '../../core/document.ts'
import type { JsonObject } from '../../core/json.ts'
import { localeOf } from '../../core/locale.ts'
import { hiddenUnless, reachOf } from '../../core/reach.ts'
import { without } from '../../core/render.ts'
import { select, selectionOf } from '../../core/select.ts'
import { downgrade } from '../../core/version.ts'
import { dialects, isRetired, oldestLive, versions } from '../../versions/index.ts'
import { type EventRow, type History, kinds, resourceDocument } from '../events/index.ts'

/** How a subscription wants its payloads, as it was when the event was fanned out. */
export type Frozen = {
  readonly payloadVersion: string
  readonly locale: string
  /** Dot paths in today's names; null or none is the whole document. */
  readonly includeFields: readonly string[] | null
  readonly scopes: readonly string[]
}

/** The body of a delivery, or null when the event is too old to have its document. */
export function payloadOf(
  event: EventRow,
  history: History,
  frozen: Frozen,
  locales: readonly [string, ...string[]],
): string | null {
  const kind = kinds[event.kind]
  const document = resourceDocument(event, localeOf(locales, frozen.locale), history)
  return kind && document !== null
    ? payloadText(treeOf(document) as JsonObject, kind.shape.type, frozen)
    : null
}

/** A document of a type as a subscription gets it. */
export function payloadText(document: JsonObject, type: string, frozen: Frozen): string {
  const sees = (scope: string) => frozen.scopes.includes(scope)
  const whole = { '@context': `/api/contexts/${type}`, ...document }
  const visible = without(whole, hiddenUnless(sees, reaches.get(type)!)) as JsonObject
  const shown = isDraft(visible) && !sees('metaobjects:write') ? [] : pathsOf(frozen)
  const selected = shown ? select(visible, selectionOf(shown), { keepId: true }) : visible
  return JSON.stringify(downgrade(selected, dialects.get(frozen.payloadVersion)!))
}

const shapes = new Map(Object.values(kinds).map(({ shape }) => [shape.type, shape]))
const reaches = new Map([...shapes].map(([type, shape]) => [type, reachOf({ shape }, shapes)]))

/** What is selected; null for everything. */
function pathsOf({ includeFields }: Frozen): string[][] | null {
  return includeFields && includeFields.length > 0 ? includeFields.map((path) => path.split('.')) : null
}

/** Who may not write metaobjects gets a 404 for a draft; here, no more than which one it is. */
function isDraft(tree: JsonObject): boolean {
  return tree['@type'] === 'Metaobject' && tree.status === 'DRAFT'
}

/** For each version that a subscription may have pinned, the one that serves it: the oldest live one after its sunset. */
export function servedVersions(now: Date): Readonly<Record<string, string>> {
  return Object.fromEntries(
    versions.map((each) => [each.name, isRetired(each, now) ? oldestLive(now).name : each.name]),
  )
}
