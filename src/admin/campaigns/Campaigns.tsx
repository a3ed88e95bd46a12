import { Alert, Link as Anchor, Box, Button, Typography } from '@mui/material'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, Loading, Title, useLocale } from 'react-admin'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { momentText } from '../core/zone.ts'
import { DataTable } from '../layout/DataTable.tsx'
import { type Campaign, pageOf, stateOf } from './campaign.ts'
import { useCampaignWords } from './words.ts'

type Page = { readonly member: readonly Campaign[]; readonly view?: { readonly next?: string } }

/** The campaigns, newest first. */
export function Campaigns() {
  const words = useCampaignWords()
  const title = useWords('layout').campaigns
  const { next } = useWords('languages')
  const language = useLocale()
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['campaigns'],
    initialPageParam: '/api/campaigns?itemsPerPage=50',
    queryFn: async ({ pageParam }) => (await call<Page>(pageParam)).json,
    getNextPageParam: (page) => page.view?.next,
    staleTime: 0,
  })
  const rows = data?.pages.flatMap(({ member }) => member)
  const moment = (instant: string | null) => (instant === null ? words.open : momentText(instant, language))
  return (
    <Box sx={{ pt: 2 }}>
      <Title title={title} />
      <Typography sx={{ mb: 2 }}>{words.explained}</Typography>
      <Button component={Link} to="/sale" variant="contained" sx={{ mb: 2 }}>
        {useWords('sale').open}
      </Button>
      {error && <Alert severity="warning">{error.message}</Alert>}
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <Alert severity="info">{words.none}</Alert>}
      {rows && rows.length > 0 && (
        <DataTable
          label={title}
          rows={rows}
          keyOf={(campaign) => campaign['@id']}
          columns={[
            {
              title: words.name,
              component: 'th',
              scope: 'row',
              content: (campaign) => (
                <Anchor component={Link} to={pageOf(campaign)} sx={{ fontWeight: 600 }}>
                  {campaign.name}
                </Anchor>
              ),
            },
            { title: words.from, content: ({ validFrom }) => moment(validFrom) },
            { title: words.until, content: ({ validUntil }) => moment(validUntil) },
            { title: words.offers, align: 'right', content: ({ offers }) => offers },
            { title: words.state, content: (campaign) => words.states[stateOf(campaign, new Date())] },
          ]}
        />
      )}
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => fetchNextPage()} sx={{ mt: 1 }}>
          {next}
        </Button>
      )}
    </Box>
  )
}
