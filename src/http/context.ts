import type { Context as HonoContext } from 'hono'
import type { Context, Idempotency } from '../core/operation.ts'
import { Sight } from '../core/sight.ts'
import { watched } from '../core/watched.ts'
import { callbacksOf, settingsOf } from '../env.ts'
import { allScopes } from '../resources/index.ts'
import { aboutCall } from './about.ts'
import { type Door, established } from './call.ts'
import { ignoreProperties } from './ignored.ts'
import { isolateOf } from './isolate.ts'
import { picturesIn } from './picture-bucket.ts'
import { demandPermission } from './token.ts'

/** What an operation is told of the request behind it, whichever door it came through. */
export function contextOf(
  c: HonoContext<Door>,
  {
    idempotency,
    ...asked
  }: Pick<Context, 'ifMatch' | 'outline'> & {
    readonly idempotency: Pick<Idempotency, 'key' | 'fingerprint'> | null
  },
): Context {
  const { call } = c.var
  const actor = established(call.actor)
  const tenant = established(call.tenant)
  const demanded = new Set(call.demanded)
  const demand: Context['demand'] = (scopes) => {
    for (const scope of scopes) demanded.add(scope)
    demandPermission(actor, [...demanded], call.url)
  }
  return {
    tenant,
    actor,
    locale: call.locale,
    now: call.now,
    requestId: call.requestId,
    trace: call.trace,
    apiVersion: established(call.dialect).version.name,
    db: established(call.session),
    sight: Sight.of(actor, allScopes),
    demand,
    idempotency: idempotency && { ...idempotency, demanded, demand },
    strict: call.strict,
    ignore: (paths) => ignoreProperties(call, paths),
    url: call.url,
    origins: call.origins,
    callbacks: callbacksOf(c.env),
    pictures: picturesIn(settingsOf(c.env).PICTURES),
    about: () => aboutCall(call),
    later(work) {
      const done = watched('later_failed', aboutCall(call), isolateOf(c.env).database, (database) =>
        work(database.open(tenant.id)),
      ).catch(() => undefined)
      call.later.push(done)
      c.executionCtx.waitUntil(done)
    },
    ...asked,
  }
}
