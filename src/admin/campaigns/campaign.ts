/** A campaign as the pages read it. */
export type Campaign = {
  readonly '@id': string
  readonly name: string
  readonly description: string | null
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly offers: number
}

/** Whether a campaign is still to begin, runs or has ended. */
export function stateOf({ validFrom, validUntil }: Campaign, now: Date): 'planned' | 'running' | 'ended' {
  if (validUntil !== null && new Date(validUntil) <= now) return 'ended'
  return validFrom !== null && new Date(validFrom) > now ? 'planned' : 'running'
}

/** The address of a campaign's page. */
export const pageOf = ({ '@id': iri }: Pick<Campaign, '@id'>) => iri.replace('/api', '')
