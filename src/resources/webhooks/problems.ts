import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on webhook subscriptions and their deliveries. */
export const webhookProblems = declareProblems('webhook', {
  subscription_not_found: {
    code: 'WHK-1001',
    status: 404,
    description:
      'No webhook subscription of this tenant has this id. An id of another tenant answers the same.',
    message: 'The webhook subscription {id} does not exist.',
  },
  delivery_not_found: {
    code: 'WHK-1002',
    status: 404,
    description:
      'No delivery of this subscription has this id, or it is older than the 30 days for which deliveries are kept. List the deliveries to see which exist.',
    message: 'The delivery {id} does not exist or is no longer kept.',
  },
  callback_url: {
    code: 'WHK-1003',
    status: 422,
    description:
      'callbackUrl is not an address to which webhooks are sent. Send an https URL with a public DNS name, on port 443 or 8443, without user info or fragment.',
    message: 'Webhooks cannot be sent to this address ({reason}).',
  },
  limit: {
    code: 'WHK-1004',
    status: 422,
    description:
      'The tenant already has as many webhook subscriptions as it can have. Delete one before adding another.',
    message: 'No more webhook subscriptions can be created. Maximum: {maximum}.',
  },
  host_limit: {
    code: 'WHK-1005',
    status: 422,
    description:
      'The tenant already has as many webhook subscriptions for this callback host as it can have. Use a wildcard topic, or delete one of them.',
    message: 'No more webhook subscriptions can be created for {host}. Maximum: {maximum}.',
  },
  topic_unknown: {
    code: 'WHK-1006',
    status: 422,
    description:
      'The topic is none of those at /api/webhook_topics, nor one of their wildcards. Send a listed topic, "product/*" or "*".',
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
    description: 'The subscription is DISABLED, so nothing is sent for it. Set its status to ACTIVE first.',
    message: 'This webhook subscription is disabled. Please enable it first.',
  },
  incomplete: {
    code: 'WHK-1009',
    status: 409,
    description:
      'The subscription has no topic or no callbackUrl, so nothing is sent for it. Set both first.',
    message: 'This webhook subscription needs a topic and an address first.',
  },
  withheld: {
    code: 'WHK-1010',
    status: 409,
    description:
      'Nothing of this event is sent for the subscription, since whoever aimed it may not read such resources. Somebody who may can write callbackUrl, topic, version and includeFields together.',
    message: 'This webhook subscription may not show this: whoever set it up cannot read it.',
  },
})
