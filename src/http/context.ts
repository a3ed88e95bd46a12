import type { Context as HonoContext } from 'hono'
import { Access } from '../core/access.ts'
import { runInBackground } from '../core/log.ts'
import type { Context, Idempotency } from '../core/operation.ts'
import { callbacksOf, settingsOf } from '../env.ts'
import { allScopes } from '../resources/index.ts'
import { requireScopesOfActor } from './auth.ts'
import { picturesIn } from './pictures.ts'
import { type AppEnv, logFieldsOf, reportIgnoredProperties } from './request.ts'
import { serviceRuntimeOf } from './runtime.ts'

/** The context in which an operation serves a request, over HTTP or MCP. */
export function contextOf(
  c: HonoContext<AppEnv>,
  {
    idempotency,
    ...headers
  }: Pick<Context, 'ifMatch' | 'selectedMembers'> & {
    readonly idempotency: Pick<Idempotency, 'key' | 'fingerprint' | 'parts'> | null
  },
): Context {
  const variables = c.var
  const { tenant, actor, locale, now, requestId, trace, url } = variables
  const neededScopes = new Set(variables.requiredScopes)
  const requireScopes: Context['requireScopes'] = (scopes) => {
    for (const scope of scopes) neededScopes.add(scope)
    requireScopesOfActor(actor, [...neededScopes], url)
  }
  return {
    tenant,
    actor,
    locale,
    messages: () => variables.messagesIn(locale.requested),
    now,
    requestId,
    trace,
    url,
    apiVersion: variables.apiVersion.version.name,
    db: variables.session,
    access: Access.of(actor, allScopes),
    requireScopes,
    idempotency: idempotency && { ...idempotency, neededScopes, requireScopes },
    strict: variables.isStrict,
    reportIgnored: (paths) => reportIgnoredProperties(variables, paths),
    callbacks: callbacksOf(c.env),
    pictures: picturesIn(settingsOf(c.env).PICTURES),
    logFields: () => logFieldsOf(variables),
    runAfterResponse(work) {
      if (variables.dryRun) return
      const done = runInBackground(
        'later_failed',
        logFieldsOf(variables),
        serviceRuntimeOf(c.env).database,
        (database) => work(database.open(tenant.id)),
      ).catch(() => undefined)
      variables.backgroundWork.push(done)
      c.executionCtx.waitUntil(done)
    },
    ...headers,
  }
}
