import { Link as Anchor, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, useRecordContext } from 'react-admin'
import { call } from '../core/http.ts'
import { hasScope } from '../core/session.ts'
import { type Issue, pageOf } from '../issues/issue.ts'
import { useIssueWords } from '../issues/words.ts'

type Market = {
  readonly key: string
  readonly channel: string
  readonly country: string
  readonly isSold: boolean
  readonly blockers: readonly Issue[]
}

/** The markets in which the product of the page is sold, by channel, and the reasons for the others. Each leads to where it is changed. */
export function WhereSold() {
  const words = useIssueWords()
  const product = useRecordContext()
  const iri = String(product?.['@id'])
  const { data } = useQuery({
    queryKey: ['sale_offers', 'readiness', iri, product?.version],
    enabled: hasScope('sale_offers:read') && product?.status === 'ACTIVE',
    queryFn: async () => (await call<{ markets: Market[] }>(`${iri}/readiness`)).json.markets,
  })
  if (!data || data.length === 0 || product?.status !== 'ACTIVE') return null
  const sold = Map.groupBy(
    data.filter(({ isSold }) => isSold),
    ({ channel }) => channel,
  )
  const places = [...sold].map(
    ([channel, markets]) => `${channel}: ${markets.map(({ country }) => country).join(', ')}`,
  )
  return (
    <Typography component="section" variant="body2" aria-label={words.whereSold} sx={{ mx: 2, mt: 1 }}>
      {words.sold(places.join('; '))}
      {data
        .filter(({ isSold }) => !isSold)
        .map(({ key, blockers }) => (
          <span key={key}>
            {'; '}
            {words.not(key)}
            {blockers.map((issue, index) => (
              <span key={issue['@id']}>
                {index > 0 && ', '}
                {issue.resource === iri && issue.type !== 'no_variant' ? (
                  <Anchor
                    component="button"
                    type="button"
                    onClick={() => document.querySelector<HTMLElement>('[name=channels]')?.focus()}
                  >
                    {words.reasons[issue.type] ?? issue.message}
                  </Anchor>
                ) : (
                  <Anchor component={Link} to={pageOf(issue)}>
                    {words.reasons[issue.type] ?? issue.message}
                  </Anchor>
                )}
              </span>
            ))}
          </span>
        ))}
      .
    </Typography>
  )
}
