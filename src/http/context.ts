import type { Context as HonoContext } from 'hono'
import { Access } from '../core/access.ts'
import { runInBackground } from '../core/log.ts'
import type { Context, Idempotency } from '../core/operation.ts'
import { callbacksOf, settingsOf } from '../env.ts'
import { allScopes } from '../resources/index.ts'
import { requireScopes } from './auth.ts'
import { picturesIn } from './pictures.ts'
import { type AppEnv, ignoreProperties, logFieldsOf, required } from './request.ts'
import { serviceRuntimeOf } from './runtime.ts'

/** What an operation is told of the request behind it, whichever door it came through. */
export function contextOf(
  c: HonoContext<AppEnv>,
  {
    idempotency,
    ...asked
  }: Pick<Context, 'ifMatch' | 'outline'> & {
    readonly idempotency: Pick<Idempotency, 'key' | 'fingerprint'> | null
  },
): Context {
  const { call } = c.var
  const actor = required(call.actor)
  const tenant = required(call.tenant)
  const demanded = new Set(call.demanded)
  const demand: Context['demand'] = (scopes) => {
    for (const scope of scopes) demanded.add(scope)
    requireScopes(actor, [...demanded], call.url)
  }
  return {
    tenant,
    actor,
    locale: call.locale,
    now: call.now,
    requestId: call.requestId,
    trace: call.trace,
    apiVersion: required(call.dialect).version.name,
    db: required(call.session),
    sight: Access.of(actor, allScopes),
    demand,
    idempotency: idempotency && { ...idempotency, demanded, demand },
    strict: call.strict,
    ignore: (paths) => ignoreProperties(call, paths),
    url: call.url,
    origins: call.origins,
    callbacks: callbacksOf(c.env),
    pictures: picturesIn(settingsOf(c.env).PICTURES),
    about: () => logFieldsOf(call),
    later(work) {
      const done = runInBackground(
        'later_failed',
        logFieldsOf(call),
        serviceRuntimeOf(c.env).database,
        (database) => work(database.open(tenant.id)),
      ).catch(() => undefined)
      call.later.push(done)
      c.executionCtx.waitUntil(done)
    },
    ...asked,
  }
}
