import type { Context as HonoContext } from 'hono'
import type { Context } from '../core/operation.ts'
import { may } from '../core/permission.ts'
import { callbacksOf } from '../env.ts'
import { type Door, settled } from './call.ts'
import { isolateOf } from './isolate.ts'
import { demandPermission } from './token.ts'

/** What an operation is told of the request behind it, whichever door it came through. */
export function contextOf(c: HonoContext<Door>, asked: Pick<Context, 'ifMatch' | 'idempotency'>): Context {
  const { call } = c.var
  const actor = settled(call.actor)
  const tenant = settled(call.tenant)
  return {
    tenant,
    actor,
    locale: call.locale,
    now: call.now,
    requestId: call.requestId,
    apiVersion: settled(call.dialect).version.name,
    db: settled(call.session),
    may: (scope) => may(actor, scope),
    demand: (scope) => demandPermission(actor, scope, call.url),
    url: call.url,
    callbacks: callbacksOf(c.env),
    later(work) {
      const done = work(isolateOf(c.env).database.open(tenant.id)).catch(() => undefined)
      call.later.push(done)
      c.executionCtx.waitUntil(done)
    },
    ...asked,
  }
}
