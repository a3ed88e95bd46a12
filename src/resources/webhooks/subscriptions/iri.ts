import { irisUnder } from '../../../core/iri.ts'

export const webhookSubscriptionIri = irisUnder('/api/webhook_subscriptions')
