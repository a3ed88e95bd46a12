import { sql } from 'drizzle-orm'
import { instantOf } from '../../../core/instant.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { stamped } from '../../../core/stamped.ts'
import { demandVersion, write } from '../../../core/write.ts'
import { updateRows } from '../../../db/rows.ts'
import { touched } from './change.ts'
import { type Sealed, sealedAnswer } from './create.ts'
import { webhookProblems } from './problems.ts'
import { encryptSecret, mintSecret, overlapMilliseconds } from './secret.ts'
import { secretStatement, subscriptionStatement, traceStatement } from './store.ts'
import { webhookSubscriptions } from './table.ts'

/** Replaces a subscription's secret and shows the new one; the old one signs beside it for a day. */
export async function rotateSecret(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const owner = { tenantId: context.tenant.id, id }
  const secret = await encryptSecret(mintSecret(), context.callbacks.secretKeys, owner)
  const { result, stamps, replayed } = await write<Sealed>(context, 'rotateSecret', async (read) => {
    const { found, secrets } = await read({ found: subscriptionStatement(id), secrets: secretStatement(id) })
    const [own] = found
    const [held] = secrets
    if (!own || !held) throw webhookProblems.subscription_not_found({ id })
    demandVersion(context, own.version)
    const previousSecretUntil = instantOf(new Date(context.now.getTime() + overlapMilliseconds))
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: own.version }],
      statements: updateRows(webhookSubscriptions, [
        { id, secret, previousSecret: held.secret, previousSecretUntil },
      ]),
      changed: [touched(id, own.version + 1)],
      totals: {},
      result: { parts: { ...own, previousSecretUntil }, secret },
      refusals: {},
      trace: traceStatement(id, sql`secret = ${secret}`),
    }
  })
  return sealedAnswer(context, { ...result, parts: stamped(result.parts, stamps) }, replayed)
}
