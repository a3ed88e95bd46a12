import { Access, answerTypesOf } from '../../../core/access.ts'
import { bytesOf, treeOf } from '../../../core/document.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { byteLimits } from '../../../core/limits.ts'
import { localeOf } from '../../../core/locale.ts'
import { membersWithout } from '../../../core/render.ts'
import type { Shape } from '../../../core/schema.ts'
import { select, selectionOf } from '../../../core/select.ts'
import { type ApiVersion, objectToVersion } from '../../../core/versions.ts'
import { apiVersionNamed, isRetired, oldestLive, versions } from '../../../versions/index.ts'
import { resourceDocument } from '../../events/document.ts'
import type { EventRow } from '../../events/event-sql.ts'
import type { History } from '../../events/product-history.ts'
import { iriOfResource, type Kind, kinds } from '../../events/topics.ts'
import { shapePathsToVersion } from '../subscriptions/include-fields.ts'

/**
 * What a delivery sends: the resource as the event left it. It is rendered anew for every attempt, from rows that never
 * change and settings that were frozen, so that one webhook-id has one body.
 */

/** How a subscription wants its payloads, as it was when the event was fanned out. */
export type DeliverySettings = {
  readonly payloadVersion: string
  readonly locale: string
  /** Dot paths in today's names; null or none is the whole document. */
  readonly includeFields: readonly string[] | null
  readonly scopes: readonly string[]
}

/** A body; null where the event is too old to have its document, or where `fault` tells why it is not sent. */
export type Payload<Body = string | null> = { readonly body: Body; readonly fault: null } | Unsent
type Unsent = { readonly body: null; readonly fault: 'withheld' | 'too_large' }

/** What may not be shown to whoever aimed the subscription. */
export const withheld: Unsent = { body: null, fault: 'withheld' }
/** What is more than one delivery may be, with links in place of all that can be one. */
const tooLarge: Unsent = { body: null, fault: 'too_large' }

/** The payload of a delivery. */
export function payloadOf(
  event: EventRow,
  history: History,
  frozen: DeliverySettings,
  locales: readonly [string, ...string[]],
): Payload {
  const kind = kinds[event.kind]
  const sight = Access.from(frozen.scopes)
  if (kind && event.isTooLarge) return sight.sees(kind.shape) ? tooLarge : withheld
  if (!kind || event.document === null) return { body: null, fault: null }
  const tree = treeOf(resourceDocument(event, sight, localeOf(locales, frozen.locale), history))
  // Of what may not be seen no more than which one it is, and that for drafts alone.
  return payloadText(isJsonObject(tree) ? tree : identityOf(kind, event), kind.shape, frozen)
}

function identityOf({ shape, name }: Kind, { resourceId, ownerId }: EventRow): JsonObject {
  return { '@id': iriOfResource(name, resourceId, ownerId), '@type': shape.type, id: resourceId }
}

/** A document of a shape as a subscription gets it: withheld where its grants do not read such a resource. What is sent is weighed, so that fewer fields may make it small enough. */
export function payloadText(document: JsonObject, shape: Shape, frozen: DeliverySettings): Payload<string> {
  const sight = Access.from(frozen.scopes)
  if (!sight.sees(shape)) return withheld
  const whole = { '@context': `/api/contexts/${shape.type}`, ...document }
  const visible = membersWithout(
    whole,
    sight.hidden(reaches.get(shape.type) ?? answerTypesOf({ shape }, shapes)),
  )
  const dialect = apiVersionNamed(frozen.payloadVersion)
  const shown = sight.seesStatus(shape, visible.status) ? pathsOf(frozen, shape, dialect) : []
  const translated = objectToVersion(visible, dialect)
  const body = JSON.stringify(shown ? select(translated, selectionOf(shown), { keepId: true }) : translated)
  return bytesOf(body) <= byteLimits.event ? { body, fault: null } : tooLarge
}

const shapes = new Map(Object.values(kinds).map(({ shape }) => [shape.type, shape]))
const reaches = new Map([...shapes].map(([type, shape]) => [type, answerTypesOf({ shape }, shapes)]))

/** What is selected, as the version calls it; null for everything. */
function pathsOf({ includeFields }: DeliverySettings, shape: Shape, dialect: ApiVersion): string[][] | null {
  if (!includeFields || includeFields.length === 0) return null
  return shapePathsToVersion(includeFields, shape, dialect).map((path) => path.split('.'))
}

/** For each version that a subscription may have pinned, the one that serves it: the oldest live one after its sunset. */
export function servedVersions(now: Date): Readonly<Record<string, string>> {
  return Object.fromEntries(
    versions.map((each) => [each.name, isRetired(each, now) ? oldestLive(now).name : each.name]),
  )
}
