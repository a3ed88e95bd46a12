import type { Context } from '../../../core/operation.ts'
import { render } from '../../../core/state.ts'
import { write } from '../../../core/write.ts'
import { updateRows } from '../../../db/rows.ts'
import { touched } from './change.ts'
import { subscriptionState } from './document.ts'
import { webhookSubscriptionIri } from './iri.ts'
import { webhookSubscription as shape } from './schema.ts'
import { subscriptionStatement } from './store.ts'
import { webhookSubscriptions } from './table.ts'

/** Has a subscription follow the tenant's default locale where it named one that is on its way out. */
export async function forgetLocaleOfSubscription(
  context: Context,
  id: string,
  locale: string,
): Promise<unknown> {
  return write<null>(context, 'forgetLocale', async (read) => {
    const {
      found: [own],
    } = await read({ found: subscriptionStatement(id) })
    if (!own) return { unchanged: null }
    const { values, translations } = subscriptionState(own)
    if (values.locale !== locale) return { unchanged: null }
    const state = { values: { ...values, locale: null }, translations }
    const document = render(shape, { iri: webhookSubscriptionIri(id), id }, state, context.tenant.locales)
    return {
      guard: [{ kind: 'webhook_subscriptions', id, version: own.version }],
      statements: updateRows(webhookSubscriptions, [{ id, locale: null, document }]),
      changed: [touched(id, own.version + 1)],
      totals: {},
      result: null,
      refusals: {},
    }
  })
}
