import { declareProblems } from '../../core/problem.ts'

export const eventProblems = declareProblems('event', {
  expired: {
    code: 'EVT-1001',
    status: 410,
    description:
      'The documents of the requested events are no longer stored. Read the lists again and continue the feed from their Service-Sequence.',
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
      'The body of the event for this subscription is over two megabytes, even with links instead of embedded resources. Its deliveries fail with `too_large`. Select fewer fields with `includeFields`.',
    message: 'This change is too large to be sent. Please choose fewer fields for the subscription.',
  },
  beyond_head: {
    code: 'EVT-1004',
    status: 409,
    description:
      'The sequence is above that of the last event, which the member `sequence` has, or in the gap before an event `catalogue/restored`. The catalogue was restored to an earlier time, or the sequence is of another tenant. Read the lists again and continue the feed from their Service-Sequence.',
    message:
      'There is no change {after} in this catalogue: the last one is {sequence}. Please load the data again in full.',
  },
})

/** The problem of events that are older than those with documents or deliveries. */
export function expired(firstAt: string, oldest: string) {
  const help = `The first of them is of ${firstAt}, and the service stores those since ${oldest}. ${eventProblems.expired.description}`
  return eventProblems.expired(undefined, { help })
}

export const revertProblems = declareProblems('revert', {
  not_restorable: {
    code: 'REV-1001',
    status: 409,
    description:
      'An earlier value cannot be restored; `violations` lists each. Send `partial=true` to restore the others, or send a PATCH.',
    message: 'Some earlier values cannot be restored.',
  },
  changed_later: {
    code: 'REV-1002',
    status: 409,
    description:
      'A later event changed the property again. Undo that event as well, or leave the property out with `partial=true`.',
    message: 'This was changed again later ({event}).',
  },
  expired: {
    code: 'REV-1003',
    status: 410,
    description:
      'Changes can be undone for 90 days. The values before the change are in `changes` of its event; send a PATCH.',
    message: 'This change is too old to be undone.',
  },
  deleted: {
    code: 'REV-1004',
    status: 409,
    description:
      'The resource was deleted, and its id cannot be used again. The `document` of its last event has its values; create a new resource with them.',
    message: 'This was deleted and cannot be restored. Please create it again.',
  },
  too_many_changes: {
    code: 'REV-1005',
    status: 409,
    description:
      'More than 1,000 changes, or more than 8 megabytes, are between the requested one and the present. Undo the latest ones first.',
    message: 'There are too many changes since then. Please undo the latest ones first.',
  },
})
