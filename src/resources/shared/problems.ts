/**
 * Problems that several resources declare, each with a code of its own. `noun` names the resource for developers, `label`
 * for end users.
 */

export function notFound<Label extends string>(code: string, noun: string, label: Label) {
  return {
    code,
    status: 404,
    description: `No ${noun} of this tenant has this id. An id of another tenant answers the same.`,
    message: `The ${label} {id} does not exist.`,
  } as const
}

/** `others` are the resources that reserve their ids: `product that is not archived`. */
export function externalIdTaken<Label extends string>(
  code: string,
  noun: string,
  label: Label,
  others = noun,
) {
  return {
    code,
    status: 409,
    description: `Another ${others} has this externalId. Send another one, or write to that ${noun}.`,
    message: `Another ${label} already has the external ID “{externalId}”.`,
    takenName: 'externalId',
  } as const
}

export function archived<Noun extends string>(code: string, noun: Noun) {
  return {
    code,
    status: 409,
    description: `The ${noun} is archived and takes no other write. Restore it first with a PATCH of its status.`,
    message: `This ${noun} is archived. Please restore it before making changes.`,
  } as const
}
