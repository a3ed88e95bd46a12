import { declareProblems } from '../../core/problem.ts'
import { notFound } from '../shared/problems.ts'

/** The problem of a subscription without a topic or a callback URL. */
export function incomplete({ topic, callbackUrl }: { topic: string | null; callbackUrl: string | null }) {
  const missing = [...(topic === null ? ['topic'] : []), ...(callbackUrl === null ? ['callbackUrl'] : [])]
  const help = `The subscription has no ${missing.join(' and no ')}, and receives nothing. Set it first.`
  return webhookProblems.incomplete(undefined, { help })
}

/** The problems of operations on webhook subscriptions and their deliveries. */
export const webhookProblems = declareProblems('webhook', {
  subscription_not_found: notFound('WHK-1001', 'webhook subscription', 'webhook subscription'),
  delivery_not_found: {
    code: 'WHK-1002',
    status: 404,
    description:
      'No delivery of this subscription has this id, or it is older than 30 days and no longer stored. List the deliveries to see which exist.',
    message: 'The delivery {id} does not exist or is no longer stored.',
  },
  callback_url: {
    code: 'WHK-1003',
    status: 422,
    description:
      'The service sends no webhooks to the address in callbackUrl. Send an https URL with a public DNS name, on port 443 or 8443, without user info or fragment.',
    message: 'Webhooks cannot be sent to this address ({reason}).',
  },
  limit: {
    code: 'WHK-1004',
    status: 422,
    description:
      'The tenant has reached the maximum number of webhook subscriptions. Delete one before adding another.',
    message: 'No more webhook subscriptions can be created. Maximum: {maximum}.',
  },
  host_limit: {
    code: 'WHK-1005',
    status: 422,
    description:
      'The tenant has reached the maximum number of webhook subscriptions for this callback host. Use a wildcard topic, or delete one of them.',
    message: 'No more webhook subscriptions can be created for {host}. Maximum: {maximum}.',
  },
  topic_unknown: {
    code: 'WHK-1006',
    status: 422,
    description:
      'The topic is neither listed at /api/webhook_topics nor a wildcard of listed topics. Send a listed topic, "product/*" or "*".',
    message: 'The topic “{topic}” does not exist.',
  },
  include_fields: {
    code: 'WHK-1007',
    status: 422,
    description:
      'A path of includeFields is malformed or has more than eight segments. Correct the path that the message names.',
    message: 'The field path “{path}” is not valid for this subscription.',
  },
  disabled: {
    code: 'WHK-1008',
    status: 409,
    description: 'The subscription is DISABLED and receives nothing. Set its status to ACTIVE first.',
    message: 'This webhook subscription is disabled. Please enable it first.',
  },
  incomplete: {
    code: 'WHK-1009',
    status: 409,
    description: 'The subscription has no topic or no callbackUrl and receives nothing. Set both first.',
    message: 'This webhook subscription needs a topic and an address first.',
  },
  withheld: {
    code: 'WHK-1010',
    status: 409,
    description:
      'The subscription receives no resources of this kind, because the caller that set its target may not read them. A caller with that scope can write callbackUrl, topic, version and includeFields together.',
    message: 'This webhook subscription may not show this: the user who set it up cannot read it.',
  },
  replay_start: {
    code: 'WHK-1011',
    status: 422,
    description: 'The replay has both afterSequence and from. Send one of them, with or without until.',
    message: 'Please choose one start: a sequence or a time.',
  },
  replay_range: {
    code: 'WHK-1012',
    status: 422,
    description:
      'The end of the replay, until, is before its start, from. Send an end at or after the start.',
    message: 'The end {until} is before the start {from}.',
  },
})
