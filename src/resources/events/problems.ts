import { declareProblems } from '../../core/problem.ts'

export const eventProblems = declareProblems('event', {
  expired: {
    code: 'EVT-1001',
    status: 410,
    description:
      'The feed was asked for events whose documents are no longer kept. Read the lists anew and follow the feed from their Service-Sequence.',
    message: 'These changes are too old and no longer available. Please load the data again in full.',
  },
  not_found: {
    code: 'EVT-1002',
    status: 404,
    description: 'No event of this tenant has this id. An id of another tenant answers the same.',
    message: 'The event {id} does not exist.',
  },
  too_large: {
    code: 'EVT-1003',
    status: 409,
    description:
      'What the subscription would be sent of the event is over two megabytes even with links in place of what it embeds. Deliveries of it fail with `too_large`; select less by `includeFields`.',
    message: 'This change is too large to be sent. Please choose fewer fields for the subscription.',
  },
})
