import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { Access, answerTypesOf } from '../../../core/access.ts'
import { isJsonObject, type JsonObject, jsonOf } from '../../../core/json.ts'
import { byteLimits } from '../../../core/limits.ts'
import { localeOf } from '../../../core/locale.ts'
import { membersWithout } from '../../../core/render.ts'
import type { Shape } from '../../../core/schema.ts'
import { select, selectionOf } from '../../../core/select.ts'
import { bytesOf } from '../../../core/sizes.ts'
import { type ApiVersion, objectToVersion } from '../../../core/versions.ts'
import type { RowOf } from '../../../db/query.ts'
import { textArray } from '../../../db/sql.ts'
import { apiVersionNamed, isRetired, oldestLive, versions } from '../../../versions/index.ts'
import { resourceDocument } from '../../events/document.ts'
import type { EventRow } from '../../events/event-sql.ts'
import type { ProductHistory } from '../../events/product-history.ts'
import { eventKinds, iriOfResource, type Kind } from '../../events/topics.ts'
import { shapePathsToVersion } from '../subscriptions/include-fields.ts'
import { unsentFailures } from './schedule.ts'

/** The payload settings of a subscription, as they were when the event was fanned out. */
export type DeliverySettings = RowOf<typeof settingsRow>
export const settingsRow = {
  payloadVersion: z.string(),
  locale: z.string(),
  /** Dot paths in current names. Null or an empty list selects the whole document. */
  includeFields: z.array(z.string()).readonly().nullable(),
  scopes: z.array(z.string()).readonly(),
}

/** The body of a delivery. It is null if the event is too old to have a document, or if `fault` is set. */
export type Payload<Body = string | null> = { readonly body: Body; readonly fault: null } | Unsent
type Unsent = { readonly body: null; readonly fault: 'withheld' | 'too_large' }

/** The last writer of the subscription may not read the resource. */
export const withheldPayload: Unsent = { body: null, fault: 'withheld' }
/** The body exceeds the limit of a delivery even with links instead of embedded documents. */
const tooLargePayload: Unsent = { body: null, fault: 'too_large' }

/**
 * The payload of a delivery: the resource as the event left it. Each attempt renders it again, from immutable
 * rows and the settings in its delivery, so that one webhook-id has one body.
 */
export function payloadOf(
  event: EventRow,
  history: ProductHistory,
  settings: DeliverySettings,
  locales: readonly [string, ...string[]],
): Payload {
  const kind = eventKinds[event.kind]
  const access = Access.from(settings.scopes)
  if (kind && event.isTooLarge) return access.sees(kind.shape) ? tooLargePayload : withheldPayload
  if (!kind || event.document === null) return { body: null, fault: null }
  const tree = jsonOf(resourceDocument(event, access, localeOf(locales, settings.locale), history))
  // A resource that the subscription may not see is reduced to its identity. Only drafts are sent like that.
  return payloadText(isJsonObject(tree) ? tree : identityOf(kind, event), kind.shape, settings)
}

function identityOf({ shape, name }: Kind, { resourceId, ownerId }: EventRow): JsonObject {
  return { '@id': iriOfResource(name, resourceId, ownerId), '@type': shape.type, id: resourceId }
}

/**
 * A document of a shape as a subscription receives it. It is withheld if the subscription's scopes do not
 * include the resource. The limit applies to the selected fields, so selecting fewer can make a document fit.
 */
export function payloadText(document: JsonObject, shape: Shape, settings: DeliverySettings): Payload<string> {
  const access = Access.from(settings.scopes)
  if (!access.sees(shape)) return withheldPayload
  const documentWithContext = { '@context': `/api/contexts/${shape.type}`, ...document }
  const visible = membersWithout(
    documentWithContext,
    access.hiddenProperties(answerTypesByShape.get(shape.type) ?? answerTypesOf({ shape }, shapes)),
  )
  const apiVersion = apiVersionNamed(settings.payloadVersion)
  const paths = access.seesStatus(shape, visible.status) ? pathsOf(settings, shape, apiVersion) : []
  const translated = objectToVersion(visible, apiVersion)
  const body = JSON.stringify(paths ? select(translated, selectionOf(paths), { keepId: true }) : translated)
  return bytesOf(body) <= byteLimits.event ? { body, fault: null } : tooLargePayload
}

const shapes = new Map(Object.values(eventKinds).map(({ shape }) => [shape.type, shape]))
const answerTypesByShape = new Map(
  [...shapes].map(([type, shape]) => [type, answerTypesOf({ shape }, shapes)]),
)

/** The selected paths in the names of the version. Null selects everything. */
function pathsOf(
  { includeFields }: DeliverySettings,
  shape: Shape,
  apiVersion: ApiVersion,
): string[][] | null {
  if (!includeFields || includeFields.length === 0) return null
  return shapePathsToVersion(includeFields, shape, apiVersion).map((path) => path.split('.'))
}

/** The version that serves each pinned version: after its sunset, the oldest live one. */
function servedVersions(now: Date): Readonly<Record<string, string>> {
  return Object.fromEntries(
    versions.map((version) => [version.name, isRetired(version, now) ? oldestLive(now).name : version.name]),
  )
}

/**
 * The columns of a delivery with its payload settings. They are copied from the subscription when the
 * delivery is created. Reopening copies them again if nothing has been sent. From the first attempt that may
 * have arrived, one id has one body.
 */
export const settingsColumns = sql`payload_version, locale, include_fields, scopes`

/** The current values of these columns for a subscription `s`. `tenant` is `tenantNow`. */
export const currentSettings = sql`tenant.served ->> coalesce(s.payload_version, tenant.settings ->> 'defaultApiVersion') as payload_version,
  coalesce(s.locale, tenant.settings -> 'locales' ->> 0) as locale, s.include_fields, s.scopes`

/** The settings of the tenant that `currentSettings` uses. Join it as `tenant`. */
export function tenantNow(now: Date): SQL {
  return sql`(select own_tenant() as settings, ${JSON.stringify(servedVersions(now))}::jsonb as served)`
}

/** Whether nothing was ever sent of a delivery `d`. An attempt without an outcome may have arrived. */
export const isUnsent = sql`not exists (
  select from webhook_attempts a
   where a.tenant_id = d.tenant_id and a.delivery_id = d.id and (a.error is null or a.error <> all(${textArray(unsentFailures)})))`

/** An assignment that refreshes the settings of a delivery `d` if nothing was ever sent of it. */
export function refreshSettings(now: Date): SQL {
  return sql`(${settingsColumns}) = (
    select ${currentSettings} from webhook_subscriptions s cross join ${tenantNow(now)} tenant
     where s.tenant_id = d.tenant_id and s.id = d.subscription_id and ${isUnsent}
     union all
    select d.payload_version, d.locale, d.include_fields, d.scopes where not ${isUnsent})`
}
